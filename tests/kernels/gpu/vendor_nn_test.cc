// Which poolings and softmaxes of a card go to cuDNN, and that the numbers are right. In
// place of cuDNN computes tests/kernels/gpu/fake_library.h; what cuDNN itself makes of
// them is in tests/python/project/test_gpu_libraries.py, for machines with a card.

#include "kernels/gpu/vendor/card_library.h"
#include "kernels/gpu/vendor/pooling_fit.h"
#include "tests/kernels/gpu/card.h"
#include "tests/kernels/gpu/fake_library.h"
#include "tests/kernels/kernel_testing.h"

namespace minitf::testing {
namespace {

using gpu::ConvLayout;
using gpu::ElementType;
using gpu::PoolKind;
using gpu::PoolProblem;
using gpu::SetVendorOpener;
using gpu::WhyNotPooled;

const std::string kNotComputed = "the kernel 'cudnn' does not compute this: ";

// Poolings of x by windows of `taps`, and their inputs in float64.
struct Pools {
  std::string format = "NHWC";
  std::string padding = "VALID";
  int64_t size = 8, taps = 2, stride = 2;  // of rows; columns have 6, 1 and 1
  int64_t images = 2;

  Attrs attrs(const std::string& label = "") const {
    const auto list = [this](int64_t rows) {
      return format == "NHWC" ? std::vector<int64_t>{1, rows, 1, 1}
                              : std::vector<int64_t>{1, 1, rows, 1};
    };
    Attrs attrs = {{"ksize", list(taps)},
                   {"strides", list(stride)},
                   {"padding", padding},
                   {"data_format", format}};
    if (!label.empty()) attrs.Set("_kernel", label);
    return attrs;
  }
  Tensor x() const {
    const bool is_nhwc = format == "NHWC";
    return RandomTensor(is_nhwc ? Shape{images, size, 6, 3} : Shape{images, 3, size, 6},
                        1);
  }
};

Tensor SizesOf(const Tensor& tensor) {
  const std::vector<int64_t> list = tensor.shape().ToVector();
  return Ints({list.begin(), list.end()});
}

class VendorNn : public ::testing::Test {
 protected:
  VendorNn() {
    SetVendorOpener(
        [this](Status*) { return std::make_unique<gpu::FakeLibrary>(&record_); });
  }
  ~VendorNn() override {
    SetVendorOpener([](Status*) { return nullptr; });
  }

  static void ExpectSame(const char* op, const std::vector<Tensor>& inputs, DType dtype,
                         const Attrs& on_card, const Attrs& on_cpu) {
    const double tolerance = dtype == DType::kFloat64 ? 1e-12 : 1e-5;
    EXPECT_TRUE(AllClose(Card::Get().Run(op, inputs, on_card),
                         OutputOf(op, inputs, on_cpu), tolerance))
        << op;
  }

  // Compares with the CPU, and returns the problems that the library was given.
  std::vector<PoolProblem> Problems(const Pools& pools, DType dtype = DType::kFloat32,
                                    const std::string& label = "") {
    record_.pools.clear();
    const Tensor x = CastTo(dtype, pools.x());
    const Tensor y = OutputOf("MaxPool", {x}, pools.attrs());
    const Tensor dy = CastTo(dtype, RandomTensor(y.shape(), 3));
    const Attrs on_card = pools.attrs(label);
    const Attrs on_cpu = pools.attrs();
    ExpectSame("MaxPool", {x}, dtype, on_card, on_cpu);
    ExpectSame("AvgPool", {x}, dtype, on_card, on_cpu);
    ExpectSame("AvgPoolGrad", {SizesOf(x), dy}, dtype, on_card, on_cpu);
    if (label != "cudnn") ExpectSame("MaxPoolGrad", {x, y, dy}, dtype, on_card, on_cpu);
    return record_.pools;
  }

  static std::string ErrorOfCudnn(const char* op, const std::vector<Tensor>& inputs,
                                  Attrs attrs) {
    attrs.Set("_kernel", "cudnn");
    return MessageOf([&] { Card::Get().Run(op, inputs, std::move(attrs)); });
  }
  static std::string ErrorOfCudnn(const Pools& pools) {
    return ErrorOfCudnn("AvgPool", {pools.x()}, pools.attrs());
  }

  gpu::FakeRecord record_;
};

// ---- Poolings -------------------------------------------------------------------------

TEST_F(VendorNn, PoolingsGoToCudnnAsTheyLieButForTheGradientOfMaxima) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    for (const std::string format : {"NHWC", "NCHW"}) {
      const std::vector<PoolProblem> problems = Problems({.format = format}, dtype);
      ASSERT_EQ(problems.size(), 3);
      EXPECT_EQ(problems[0].kind, PoolKind::kMax);
      EXPECT_EQ(problems[1].kind, PoolKind::kAverage);
      EXPECT_EQ(problems[2].kind, PoolKind::kAverageGradient);
      for (const auto& [kind, type, layout, sizes] : problems) {
        EXPECT_EQ(type == ElementType::kFloat64, dtype == DType::kFloat64);
        EXPECT_EQ(layout == ConvLayout::kNhwc, format == "NHWC");
        EXPECT_EQ(sizes.h, 8);
        EXPECT_EQ(sizes.p, 4);
        EXPECT_EQ(sizes.c, 3);
      }
    }
  }
}

TEST_F(VendorNn, LabelsOfPoolingsSayWhoPools) {
  EXPECT_EQ(Problems({}, DType::kFloat32, "cudnn").size(), 3);
  EXPECT_EQ(Problems({}, DType::kFloat32, "direct").size(), 0);
  const Tensor x = Numbers({1, 1, 2, 1}, {5, 5});
  const Tensor y = Numbers({1, 1, 1, 1}, {5});
  const Attrs attrs = {{"ksize", std::vector<int64_t>{1, 1, 2, 1}},
                       {"strides", std::vector<int64_t>{1, 1, 1, 1}},
                       {"padding", "VALID"}};
  EXPECT_TRUE(AllClose(Card::Get().Run("MaxPoolGrad", {x, y, y}, attrs),
                       Numbers({1, 1, 2, 1}, {5, 0})));
  EXPECT_EQ(ErrorOfCudnn("MaxPoolGrad", {x, y, y}, attrs),
            kNotComputed + "it does not say which of equal maxima it takes");
}

TEST_F(VendorNn, EvenPaddingIsLeftToCudnnAndUnevenPaddingToOurKernels) {
  // 9 rows: a zero before and one after. 8 rows: one after.
  const Pools even{.padding = "SAME", .size = 9, .taps = 3};
  for (const PoolProblem& problem : Problems(even)) {
    EXPECT_EQ(problem.sizes.pad_top, 1);
    EXPECT_EQ(problem.sizes.p, 5);
  }
  EXPECT_EQ(record_.pools.size(), 3);
  const Pools uneven{.padding = "SAME", .size = 8, .taps = 3};
  EXPECT_EQ(Problems(uneven).size(), 0);
  EXPECT_EQ(ErrorOfCudnn(uneven),
            kNotComputed + "there is more padding after the image than before it");
}

TEST_F(VendorNn, WindowsAcrossChannelsAreForOurKernels) {
  const Tensor x = RandomFloats({2, 3, 2, 6}, 1);
  const Attrs attrs = {{"ksize", std::vector<int64_t>{1, 1, 1, 2}},
                       {"strides", std::vector<int64_t>{1, 1, 1, 2}},
                       {"padding", "VALID"}};
  ExpectSame("MaxPool", {x}, DType::kFloat32, attrs, attrs);
  EXPECT_TRUE(record_.pools.empty());
  EXPECT_EQ(ErrorOfCudnn("MaxPool", {x}, attrs),
            kNotComputed + "the windows go across channels");
}

TEST_F(VendorNn, NoImagesMakeNoCall) {
  EXPECT_EQ(Problems({.images = 0}).size(), 0);
  EXPECT_EQ(Card::Get().Run("Softmax", {RandomFloats({0, 3}, 1)}, {}).shape(),
            (Shape{0, 3}));
  EXPECT_TRUE(record_.softmaxes.empty());
}

TEST_F(VendorNn, NanIsTheLargestForCudnnAndForOurKernels) {
  const Tensor x = Numbers({1, 1, 4, 1}, {1, NAN, 3, NAN});
  const Tensor dy = Numbers({1, 1, 1, 1}, {7});
  for (const std::string label : {"", "direct"}) {
    const Attrs attrs = {{"ksize", std::vector<int64_t>{1, 1, 4, 1}},
                         {"strides", std::vector<int64_t>{1, 1, 1, 1}},
                         {"padding", "VALID"},
                         {"_kernel", label}};
    const Tensor y = Card::Get().Run("MaxPool", {x}, attrs);
    EXPECT_TRUE(AllClose(y, Numbers({1, 1, 1, 1}, {NAN}))) << label;
    EXPECT_TRUE(AllClose(Card::Get().Run("MaxPoolGrad", {x, y, dy}, attrs),
                         Numbers({1, 1, 4, 1}, {0, 7, 0, 0})))
        << label;
  }
}

TEST(PoolingFit, CudnnPutsAWindowDownWhereItFitsIntoTheImageAndEqualZerosAroundIt) {
  const auto fits = [](int size, int pad, int taps, int stride, int places) {
    gpu::Conv2dSizes g{.n = 1, .h = size, .w = 1, .c = 1, .r = taps, .s = 1, .k = 1};
    g.p = places, g.q = 1, g.stride_h = stride, g.pad_top = pad;
    gpu::Conv2dSizes turned = g;
    std::swap(turned.h, turned.w), std::swap(turned.r, turned.s);
    std::swap(turned.p, turned.q), std::swap(turned.pad_top, turned.pad_left);
    std::swap(turned.stride_h, turned.stride_w);
    EXPECT_EQ(WhyNotPooled(turned).empty(), WhyNotPooled(g).empty());
    return WhyNotPooled(g).empty();
  };
  EXPECT_TRUE(fits(8, 0, 2, 2, 4));   // VALID or SAME
  EXPECT_TRUE(fits(9, 0, 2, 2, 4));   // VALID: a row is seen by no window
  EXPECT_FALSE(fits(9, 0, 2, 2, 5));  // SAME: 0+1 zeros
  EXPECT_TRUE(fits(9, 1, 3, 2, 5));   // 1+1
  EXPECT_FALSE(fits(8, 0, 3, 2, 4));  // 0+1
  EXPECT_TRUE(fits(5, 1, 3, 1, 5));   // 1+1
  EXPECT_FALSE(fits(5, 1, 4, 1, 5));  // 1+2
  EXPECT_TRUE(fits(7, 0, 1, 3, 3));   // 0+0
}

TEST(PoolingFit, TensorsOfMoreThanTwoToThe31NumbersAreForOurKernels) {
  gpu::Conv2dSizes g{.n = 1 << 15, .h = 1 << 15, .w = 1, .c = 2, .r = 1, .s = 1, .k = 2};
  g.p = 1 << 15, g.q = 1;
  EXPECT_EQ(WhyNotPooled(g), "a tensor has more than 2^31 - 1 numbers");
  g.p = (g.h -= 1);
  EXPECT_EQ(WhyNotPooled(g), "");
}

// ---- Softmax --------------------------------------------------------------------------

TEST_F(VendorNn, SoftmaxGoesToCudnnRowByRow) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const Tensor x = CastTo(dtype, RandomTensor({2, 3, 5}, 1));
    for (const char* op : {"Softmax", "LogSoftmax"}) {
      for (const std::string label : {"", "cudnn", "direct"}) {
        record_.softmaxes.clear();
        ExpectSame(op, {x}, dtype, {{"_kernel", label}}, {});
        ASSERT_EQ(record_.softmaxes.size(), label == "direct" ? 0 : 1);
        if (label == "direct") continue;
        const auto& [type, is_log, rows, classes] = record_.softmaxes[0];
        EXPECT_EQ(type == ElementType::kFloat64, dtype == DType::kFloat64);
        EXPECT_EQ(is_log, std::string(op) == "LogSoftmax");
        EXPECT_EQ(rows, 6);
        EXPECT_EQ(classes, 5);
      }
    }
  }
}

// ---- What cuDNN says ------------------------------------------------------------------

TEST_F(VendorNn, WhatCudnnDoesNotTakeOurKernelsComputeAndALabelIsAnError) {
  record_.status = errors::Unimplemented("cuDNN: CUDNN_STATUS_NOT_SUPPORTED (why)");
  EXPECT_EQ(Problems({}).size(), 3);
  const Tensor x = RandomFloats({2, 3}, 1);
  ExpectSame("Softmax", {x}, DType::kFloat32, {}, {});
  const std::string why = kNotComputed + "cuDNN: CUDNN_STATUS_NOT_SUPPORTED (why)";
  EXPECT_EQ(ErrorOfCudnn({}), why);
  EXPECT_EQ(ErrorOfCudnn("Softmax", {x}, {}), why);
}

TEST_F(VendorNn, OtherErrorsOfCudnnAreThoseOfTheOp) {
  record_.status = errors::Internal("cuDNN: CUDNN_STATUS_EXECUTION_FAILED (why)");
  const Pools pools;
  const std::vector<Tensor> inputs = {pools.x()};
  EXPECT_EQ(MessageOf([&] { Card::Get().Run("AvgPool", inputs, pools.attrs()); }),
            "cuDNN: CUDNN_STATUS_EXECUTION_FAILED (why)");
}

TEST_F(VendorNn, CallsThatFindNoMemoryAreMadeOnceMore) {
  record_.num_without_memory = 1;
  EXPECT_EQ(Problems({}).size(), 4);
}

}  // namespace
}  // namespace minitf::testing
