// Which ops of a card go to cuBLAS and cuDNN, and that the numbers are right on the way
// there and back. In place of the libraries computes tests/kernels/gpu/fake_library.h.

#include <dlfcn.h>
#include <filesystem>
#include <thread>

#include "kernels/gpu/vendor/card_library.h"
#include "tests/kernels/gpu/card.h"
#include "tests/kernels/gpu/fake_library.h"
#include "tests/kernels/kernel_testing.h"

namespace minitf::testing {
namespace {

using gpu::ConvKind;
using gpu::ConvLayout;
using gpu::ConvProblem;
using gpu::ElementType;
using gpu::SetVendorOpener;
using gpu::VendorOptionsFromEnvironment;

using Inputs = std::vector<Tensor>;

// A convolution, its two gradients, and their inputs in float64.
struct Conv {
  std::string format = "NHWC";
  std::string padding = "VALID";
  int64_t stride = 1, dilation = 1;  // of rows; columns have a dilation of 1
  std::vector<int64_t> paddings = {};
  bool use_cudnn = true;
  int64_t images = 2, channels = 3;  // of the filters; x may have several groups of them
  int64_t groups = 1;

  Attrs attrs(const std::string& label = "") const {
    const auto list = [this](int64_t rows, int64_t columns) {
      return format == "NHWC" ? std::vector<int64_t>{1, rows, columns, 1}
                              : std::vector<int64_t>{1, 1, rows, columns};
    };
    Attrs attrs = {{"strides", list(stride, stride)},
                   {"dilations", list(dilation, 1)},
                   {"padding", padding},
                   {"data_format", format},
                   {"use_cudnn_on_gpu", use_cudnn}};
    if (!paddings.empty()) attrs.Set("explicit_paddings", paddings);
    if (!label.empty()) attrs.Set("_kernel", label);
    return attrs;
  }
  Tensor x() const {
    const int64_t c = channels * groups;
    return RandomTensor(
        format == "NHWC" ? Shape{images, 8, 7, c} : Shape{images, c, 8, 7}, 1);
  }
  Tensor w() const { return RandomTensor({3, 2, channels, 4 * groups}, 2); }
  Inputs inputs() const {
    return {CastTo(DType::kFloat32, x()), CastTo(DType::kFloat32, w())};
  }
};

using RunOn = std::function<Tensor(const char* op, const Inputs& inputs, Attrs attrs)>;

// y, dx and dw of a convolution of elements `dtype`.
std::vector<Tensor> ResultsOf(const Conv& conv, DType dtype, const RunOn& run,
                              const std::string& label = "") {
  const Tensor x = CastTo(dtype, conv.x());
  const Tensor w = CastTo(dtype, conv.w());
  const auto sizes = [](const Tensor& tensor) {
    const std::vector<int64_t> list = tensor.shape().ToVector();
    return Ints({list.begin(), list.end()});
  };
  const Attrs attrs = conv.attrs(label);
  const Tensor y = run("Conv2D", {x, w}, attrs);
  const Tensor dy = CastTo(dtype, RandomTensor(y.shape(), 3));
  return {y, run("Conv2DBackpropInput", {sizes(x), w, dy}, attrs),
          run("Conv2DBackpropFilter", {x, sizes(w), dy}, attrs)};
}

Tensor RunOnCpu(const char* op, const Inputs& inputs, Attrs attrs) {
  return OutputOf(op, inputs, std::move(attrs));
}
Tensor RunOnCard(const char* op, const Inputs& inputs, Attrs attrs) {
  return Card::Get().Run(op, inputs, std::move(attrs));
}

class VendorOps : public ::testing::Test {
 protected:
  VendorOps() { Install(); }
  ~VendorOps() override {
    SetVendorOpener([](Status*) { return nullptr; });
    for (const char* name : kVariables) unsetenv(name);
  }

  // From now on the libraries are those that `record_` tells what to do.
  void Install() {
    SetVendorOpener([this](Status*) {
      ++num_opened_;
      return std::make_unique<gpu::FakeLibrary>(&record_);
    });
  }

  // Compares with the CPU, and returns the problems that the library was given.
  std::vector<ConvProblem> Problems(const Conv& conv, DType dtype = DType::kFloat32,
                                    const std::string& label = "") {
    record_.convolutions.clear();
    const auto found = ResultsOf(conv, dtype, RunOnCard, label);
    const auto expected = ResultsOf(conv, dtype, RunOnCpu);
    for (size_t i = 0; i < found.size(); ++i) {
      const double tolerance = dtype == DType::kFloat64 ? 1e-12 : 1e-4;
      EXPECT_TRUE(AllClose(found[i], expected[i], tolerance)) << i;
    }
    std::vector<ConvProblem> problems;
    for (const auto& [problem, algorithm] : record_.convolutions) {
      problems.push_back(problem);
    }
    return problems;
  }

  static constexpr auto kVariables = {
      "TF_CUDNN_USE_AUTOTUNE", "TF_CUDNN_WORKSPACE_LIMIT_IN_MB", "TF_CUDNN_DETERMINISTIC",
      "TF_DETERMINISTIC_OPS", "MINITF_TF32"};
  gpu::FakeRecord record_;
  int num_opened_ = 0;
};

std::string ErrorOnCard(const char* op, const Inputs& inputs, const Attrs& attrs) {
  return MessageOf([&] { RunOnCard(op, inputs, attrs); });
}

std::string ErrorOfCudnn(const Conv& conv) {
  return ErrorOnCard("Conv2D", conv.inputs(), conv.attrs("cudnn"));
}

// ---- Convolutions ---------------------------------------------------------------------

TEST_F(VendorOps, AConvolutionAndItsGradientsGoToCudnnUnlessTheNodeSaysNo) {  // M158
  const std::vector<ConvProblem> problems = Problems({});
  ASSERT_EQ(problems.size(), 3);
  EXPECT_EQ(problems[0].kind, ConvKind::kForward);
  EXPECT_EQ(problems[1].kind, ConvKind::kInput);
  EXPECT_EQ(problems[2].kind, ConvKind::kFilter);
  EXPECT_EQ(problems[0].type, ElementType::kFloat32);
  EXPECT_FALSE(problems[0].use_tf32);
  EXPECT_EQ(Problems({}, DType::kFloat32, "cudnn").size(), 3);
  EXPECT_EQ(Problems({.use_cudnn = false}).size(), 0);
}

TEST_F(VendorOps, OurLabelsMeanOurKernels) {
  for (const char* label : {"direct", "tiles"}) {
    EXPECT_EQ(Problems({}, DType::kFloat32, label).size(), 0) << label;
  }
  for (const char* label : {"shared", "im2col"}) {
    const Conv conv;
    const Inputs inputs = conv.inputs();
    EXPECT_TRUE(AllClose(RunOnCard("Conv2D", inputs, conv.attrs(label)),
                         RunOnCpu("Conv2D", inputs, conv.attrs()), 1e-4));
  }
  EXPECT_TRUE(record_.searches.empty());
}

TEST_F(VendorOps, ImagesAreTakenInTheOrderInWhichTheyLie) {  // M154
  EXPECT_EQ(Problems({.format = "NHWC"})[0].layout, ConvLayout::kNhwc);
  EXPECT_EQ(Problems({.format = "NCHW"})[0].layout, ConvLayout::kNchw);
}

TEST_F(VendorOps, DilatedFiltersAndFloat64GoThroughNchw) {
  for (const ConvProblem& problem : Problems({.dilation = 2})) {
    EXPECT_EQ(problem.layout, ConvLayout::kNchw);
    EXPECT_EQ(problem.sizes.dilation_h, 2);
  }
  const auto problems = Problems({}, DType::kFloat64);
  ASSERT_EQ(problems.size(), 3);
  for (const ConvProblem& problem : problems) {
    EXPECT_EQ(problem.layout, ConvLayout::kNchw);
    EXPECT_EQ(problem.type, ElementType::kFloat64);
  }
  EXPECT_EQ(Problems({}, DType::kFloat64, "cudnn").size(), 3);
}

TEST_F(VendorOps, WhereThereIsNoAlgorithmInNhwcImagesAreTurned) {
  record_.takes = [](const ConvProblem& problem) {
    return problem.layout == ConvLayout::kNchw;
  };
  for (const char* padding : {"VALID", "SAME"}) {
    for (const ConvProblem& problem : Problems({.padding = padding, .stride = 2})) {
      EXPECT_EQ(problem.layout, ConvLayout::kNchw);
    }
  }
}

TEST_F(VendorOps, EvenZerosAreLeftToCudnnAndUnevenOnesArePutIntoTheImage) {
  // 3 taps on 8 rows: a zero before and one after. 2 taps on 7 columns: one after.
  for (const char* format : {"NHWC", "NCHW"}) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      const auto same = Problems({.format = format, .padding = "SAME"}, dtype);
      ASSERT_EQ(same.size(), 3);
      for (const ConvProblem& problem : same) {
        EXPECT_EQ(problem.sizes.h, 10);
        EXPECT_EQ(problem.sizes.w, 8);
        EXPECT_EQ(problem.sizes.pad_top, 0);
      }
    }
    std::vector<int64_t> even = {0, 0, 1, 1, 2, 2, 0, 0};
    if (std::string(format) == "NCHW") even = {0, 0, 0, 0, 1, 1, 2, 2};
    const Conv conv{.format = format, .padding = "EXPLICIT", .paddings = even};
    for (const ConvProblem& problem : Problems(conv)) {
      EXPECT_EQ(problem.sizes.h, 8);
      EXPECT_EQ(problem.sizes.pad_top, 1);
      EXPECT_EQ(problem.sizes.pad_left, 2);
    }
    std::vector<int64_t> uneven = even;
    uneven[5] += 1;
    const Conv other{.format = format, .padding = "EXPLICIT", .paddings = uneven};
    EXPECT_EQ(Problems(other)[0].sizes.pad_top, 0);
  }
}

TEST_F(VendorOps, GroupsAreForOurKernels) {
  EXPECT_EQ(Problems({.groups = 2}).size(), 0);
  EXPECT_EQ(ErrorOfCudnn({.groups = 2}),
            "the kernel 'cudnn' does not compute this: the filters are in 2 groups");
}

TEST_F(VendorOps, ALabelThatContradictsTheNodeIsAnError) {
  EXPECT_EQ(ErrorOfCudnn({.use_cudnn = false}),
            "the kernel 'cudnn' does not compute this: use_cudnn_on_gpu is false");
}

TEST_F(VendorOps, NoImagesMakeNoCallAndAGradientOfZeros) {
  EXPECT_EQ(Problems({.images = 0}).size(), 0);
  EXPECT_EQ(Problems({.channels = 0}).size(), 0);
}

TEST_F(VendorOps, WhereThereIsNoAlgorithmOurKernelsCompute) {
  record_.takes = [](const ConvProblem&) { return false; };
  EXPECT_EQ(Problems({}).size(), 0);
  EXPECT_EQ(record_.searches.size(), 6);  // three kinds, two layouts
  EXPECT_EQ(ErrorOfCudnn({}),
            "the kernel 'cudnn' does not compute this: cuDNN has no algorithm for these "
            "sizes that is allowed");
  EXPECT_EQ(record_.searches.size(), 6);  // which was known by then
}

TEST_F(VendorOps, WithoutMemoryForCudnnOurKernelsComputeAndALabelIsAnError) {
  record_.algorithms = {{.id = 1, .workspace = size_t{1} << 50}};
  setenv("TF_CUDNN_WORKSPACE_LIMIT_IN_MB", "2000000000", 1);
  EXPECT_EQ(Problems({}).size(), 0);
  EXPECT_TRUE(Says(ErrorOfCudnn({}),
                   "there is no memory of 1125899906842624 bytes for cuDNN, for a "
                   "convolution of 2 images"));
}

TEST_F(VendorOps, ImagesThatArePaddedToMoreThanTwoToThe31AreForOurKernels) {
  const Conv conv{.padding = "EXPLICIT",
                  .stride = 20000,
                  .paddings = {0, 0, 0, 30000, 0, 30000, 0, 0}};
  EXPECT_EQ(Problems(conv).size(), 0);
  EXPECT_TRUE(record_.searches.empty());
  EXPECT_EQ(ErrorOfCudnn(conv),
            "the kernel 'cudnn' does not compute this: a padded tensor has more "
            "than 2^31 - 1 numbers");
}

TEST_F(VendorOps, DepthwiseConvolutionsAreForOurKernels) {
  const Tensor x = RandomFloats({2, 5, 5, 1}, 1);
  const Tensor w = RandomFloats({3, 3, 1, 2}, 2);
  const Attrs attrs = {{"strides", std::vector<int64_t>{1, 1, 1, 1}},
                       {"padding", "SAME"}};
  EXPECT_TRUE(AllClose(RunOnCard("DepthwiseConv2dNative", {x, w}, attrs),
                       RunOnCpu("DepthwiseConv2dNative", {x, w}, attrs), 1e-5));
  EXPECT_TRUE(record_.searches.empty());
}

TEST_F(VendorOps, WhatTheLibrarySaysIsTheErrorOfTheOp) {
  record_.status = errors::Internal("cuDNN: CUDNN_STATUS_EXECUTION_FAILED (why)");
  const Conv conv{.stride = 2};
  const Inputs inputs = conv.inputs();
  EXPECT_EQ(
      ErrorOnCard("Conv2D", inputs, conv.attrs()),
      "cuDNN: CUDNN_STATUS_EXECUTION_FAILED (why), for a convolution of 2 images of "
      "8x7 with 3 channels and 4 filters of 3x2, strides 2 and 2, dilations 1 and "
      "1, padding 0+0 and 0+0, in NHWC; cuDNN got it in NCHW");
  EXPECT_EQ(ErrorOnCard("MatMul", {RandomFloats({2, 3}, 1), RandomFloats({3, 4}, 2)}, {}),
            "cuDNN: CUDNN_STATUS_EXECUTION_FAILED (why), for 1 products of 2x3 and 3x4");
  record_.status = {};
  EXPECT_EQ(Problems(conv).size(), 3);  // an error is not remembered
}

// ---- Products -------------------------------------------------------------------------

TEST_F(VendorOps, ProductsGoToCublasAsTheyLie) {  // M235
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    const Tensor a = CastTo(dtype, RandomTensor({5, 3}, 1));
    const Tensor b = CastTo(dtype, RandomTensor({4, 5}, 2));
    const Attrs attrs = {{"transpose_a", true}, {"transpose_b", true}};
    record_.products.clear();
    EXPECT_TRUE(AllClose(RunOnCard("MatMul", {a, b}, attrs),
                         RunOnCpu("MatMul", {a, b}, attrs), 1e-5));
    ASSERT_EQ(record_.products.size(), 1);
    const auto& [type, sizes, use_tf32] = record_.products[0];
    EXPECT_EQ(type == ElementType::kFloat64, dtype == DType::kFloat64);
    EXPECT_EQ(sizes.m, 3);
    EXPECT_EQ(sizes.n, 4);
    EXPECT_EQ(sizes.k, 5);
    EXPECT_TRUE(sizes.transpose_a && sizes.transpose_b);
    EXPECT_FALSE(use_tf32);
  }
}

TEST_F(VendorOps, LabelsOfProductsSayWhoMultiplies) {
  const Tensor a = RandomFloats({5, 3}, 1);
  const Tensor b = RandomFloats({3, 4}, 2);
  for (const auto& [label, num_calls] :
       {std::pair("cublas", 1), {"naive", 0}, {"shared", 0}, {"registers", 0}}) {
    record_.products.clear();
    EXPECT_TRUE(AllClose(RunOnCard("MatMul", {a, b}, {{"_kernel", label}}),
                         RunOnCpu("MatMul", {a, b}, {}), 1e-5));
    EXPECT_EQ(record_.products.size(), num_calls) << label;
  }
}

TEST_F(VendorOps, ABatchOfProductsIsOneCallForEachRowOfItsBroadcast) {
  const Tensor x = RandomFloats({2, 1, 3, 5}, 1);
  const Tensor y = RandomFloats({4, 5, 6}, 2);
  for (const Attrs& attrs : {Attrs(), Attrs{{"_kernel", "cublas"}}}) {
    record_.products.clear();
    EXPECT_TRUE(AllClose(RunOnCard("BatchMatMulV2", {x, y}, attrs),
                         RunOnCpu("BatchMatMulV2", {x, y}, {}), 1e-5));
    ASSERT_EQ(record_.products.size(), 2);
    EXPECT_EQ(record_.products[0].sizes.batch, 4);
    EXPECT_FALSE(record_.products[0].sizes.a_moves);
    EXPECT_TRUE(record_.products[0].sizes.b_moves);
  }
}

TEST_F(VendorOps, ProductsThatAddNothingUpAreZero) {
  EXPECT_TRUE(AllClose(
      RunOnCard("MatMul", {RandomFloats({2, 0}, 1), RandomFloats({0, 3}, 1)}, {}),
      Tensor::Of({2, 3}, std::vector<float>(6, 0))));
  const Tensor none =
      RunOnCard("MatMul", {RandomFloats({0, 2}, 1), RandomFloats({2, 3}, 1)}, {});
  EXPECT_EQ(none.shape(), (Shape{0, 3}));
}

// ---- Libraries that are there, or not -------------------------------------------------

TEST_F(VendorOps, WithoutTheLibrariesOurKernelsComputeAndALabelIsAnError) {  // M157
  int num_asked = 0;
  SetVendorOpener([&](Status* why_not) {
    ++num_asked;
    *why_not = errors::NotFound("libcudnn.so.9: cannot open shared object file");
    return nullptr;
  });
  EXPECT_EQ(Problems({}).size(), 0);
  EXPECT_EQ(num_asked, 1);
  const std::string why = " does not compute this: libcudnn.so.9: cannot open shared ";
  EXPECT_TRUE(Says(ErrorOfCudnn({}), "'cudnn'" + why));
  const Inputs products = {RandomFloats({2, 3}, 1), RandomFloats({3, 4}, 2)};
  EXPECT_TRUE(
      Says(ErrorOnCard("MatMul", products, {{"_kernel", "cublas"}}), "'cublas'" + why));
  EXPECT_EQ(num_asked, 1);
}

TEST_F(VendorOps, LibrariesThatFindNoMemoryAreAskedOnceMoreAndForgotten) {
  int num_asked = 0;
  int num_without_memory = 1;
  const auto opener = [&](Status* why_not) -> std::unique_ptr<gpu::VendorLibrary> {
    if (++num_asked > num_without_memory) {
      return std::make_unique<gpu::FakeLibrary>(&record_);
    }
    *why_not = errors::ResourceExhausted("no memory");
    return nullptr;
  };
  SetVendorOpener(opener);
  const Inputs inputs = {RandomFloats({2, 3}, 1), RandomFloats({3, 4}, 2)};
  RunOnCard("MatMul", inputs, {{"_kernel", "cublas"}});
  EXPECT_EQ(num_asked, 2);
  num_asked = 0;
  num_without_memory = 2;
  SetVendorOpener(opener);
  RunOnCard("MatMul", inputs, {});
  EXPECT_EQ(num_asked, 2);
  EXPECT_EQ(record_.products.size(), 1);
  RunOnCard("MatMul", inputs, {});
  EXPECT_EQ(num_asked, 3);
  EXPECT_EQ(record_.products.size(), 2);
}

TEST_F(VendorOps, CallsThatFindNoMemoryAreMadeOnceMore) {
  const Inputs inputs = {RandomFloats({2, 3}, 1), RandomFloats({3, 4}, 2)};
  record_.num_without_memory = 1;
  EXPECT_TRUE(
      AllClose(RunOnCard("MatMul", inputs, {}), RunOnCpu("MatMul", inputs, {}), 1e-5));
  EXPECT_EQ(record_.products.size(), 2);
  record_.num_without_memory = 1;
  EXPECT_EQ(Problems({}).size(), 4);
}

TEST_F(VendorOps, EachCardHasLibrariesOfItsOwn) {
  const Inputs inputs = {RandomFloats({2, 3}, 1), RandomFloats({3, 4}, 2)};
  for (const int number : {0, 1, 0, 1}) Card::Get(number).Run("MatMul", inputs, {});
  EXPECT_EQ(num_opened_, 2);
}

TEST_F(VendorOps, ThreadsTakeTurns) {
  record_.duration = std::chrono::microseconds(200);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      const Conv conv{.padding = i % 2 == 0 ? "SAME" : "VALID", .channels = 1 + i};
      for (int repeat = 0; repeat < 5; ++repeat) {
        const auto found = ResultsOf(conv, DType::kFloat32, RunOnCard);
        const auto expected = ResultsOf(conv, DType::kFloat32, RunOnCpu);
        for (size_t k = 0; k < found.size(); ++k) {
          EXPECT_TRUE(AllClose(found[k], expected[k], 1e-4));
        }
        const Inputs inputs = {RandomFloats({6, 3 + i}, i), RandomFloats({3 + i, 4}, i)};
        EXPECT_TRUE(AllClose(RunOnCard("MatMul", inputs, {}),
                             RunOnCpu("MatMul", inputs, {}), 1e-5));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_opened_, 1);
  EXPECT_EQ(record_.most_inside, 1);
  EXPECT_EQ(record_.convolutions.size(), 4 * 5 * 3);
  EXPECT_EQ(record_.measurements.size(), 4 * 3);
}

// ---- Switches -------------------------------------------------------------------------

TEST_F(VendorOps, TheEnvironmentSaysHowTheLibrariesAreUsed) {  // M159
  gpu::VendorOptions options = VendorOptionsFromEnvironment();
  EXPECT_TRUE(options.convolutions.autotune);
  EXPECT_TRUE(options.convolutions.only_deterministic);
  EXPECT_EQ(options.convolutions.workspace_limit, size_t{4} << 30);
  EXPECT_FALSE(options.use_tf32);

  setenv("TF_CUDNN_USE_AUTOTUNE", "0", 1);
  setenv("TF_CUDNN_WORKSPACE_LIMIT_IN_MB", "3", 1);
  setenv("MINITF_TF32", "1", 1);
  options = VendorOptionsFromEnvironment();
  EXPECT_FALSE(options.convolutions.autotune);
  EXPECT_EQ(options.convolutions.workspace_limit, 3 << 20);
  EXPECT_TRUE(options.use_tf32);

  setenv("TF_CUDNN_USE_AUTOTUNE", "true", 1);
  EXPECT_TRUE(VendorOptionsFromEnvironment().convolutions.autotune);
  for (const char* name : {"TF_CUDNN_DETERMINISTIC", "TF_DETERMINISTIC_OPS"}) {
    setenv(name, "1", 1);
    EXPECT_FALSE(VendorOptionsFromEnvironment().convolutions.autotune) << name;
    unsetenv(name);
  }
}

TEST_F(VendorOps, TheEnvironmentReachesTheLibrary) {
  setenv("TF_CUDNN_USE_AUTOTUNE", "0", 1);
  setenv("TF_CUDNN_WORKSPACE_LIMIT_IN_MB", "1", 1);
  setenv("MINITF_TF32", "1", 1);
  record_.algorithms = {{.id = 1, .workspace = (1 << 20) + 1}, {.id = 2}, {.id = 3}};
  for (const ConvProblem& problem : Problems({})) EXPECT_TRUE(problem.use_tf32);
  for (const auto& [problem, algorithm] : record_.convolutions) EXPECT_EQ(algorithm, 2);
  EXPECT_TRUE(record_.measurements.empty());
  RunOnCard("MatMul", {RandomFloats({2, 3}, 1), RandomFloats({3, 4}, 2)}, {});
  EXPECT_TRUE(record_.products[0].use_tf32);
}

TEST_F(VendorOps, AValueThatASwitchHasNotIsAnErrorOfTheOp) {
  const Inputs inputs = {RandomFloats({2, 3}, 1), RandomFloats({3, 4}, 2)};
  setenv("TF_CUDNN_USE_AUTOTUNE", "yes", 1);
  EXPECT_EQ(ErrorOnCard("MatMul", inputs, {}),
            "TF_CUDNN_USE_AUTOTUNE is 'yes'; expected 0, 1, false or true");
  setenv("TF_CUDNN_USE_AUTOTUNE", "1", 1);
  for (const char* said : {"-1", "4k", "99999999999999999999"}) {
    setenv("TF_CUDNN_WORKSPACE_LIMIT_IN_MB", said, 1);
    EXPECT_TRUE(Says(ErrorOnCard("MatMul", inputs, {}), "expected a number of megabytes"))
        << said;
  }
}

// ---- The library itself ---------------------------------------------------------------

TEST(VendorLibrary, IsLinkedAndSaysWhyItDoesNotOpenWithoutACard) {
  const std::filesystem::path path = MINITF_GPU_VENDOR;
  if (!std::filesystem::exists(path)) {
    GTEST_SKIP()
        << "libminitf_gpu_vendor.so is not built: it needs nvcc, cuBLAS and cuDNN";
  }
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  void* const open = dlsym(library, gpu::kOpenVendorLibrary);
  ASSERT_NE(open, nullptr) << dlerror();
  Status why_not;
  const std::unique_ptr<gpu::VendorLibrary> opened(
      reinterpret_cast<gpu::OpenVendorLibrary*>(open)(&why_not));
  if (opened != nullptr) GTEST_SKIP() << "this machine has a card";
  EXPECT_TRUE(Says(why_not.message(), "there is no card: "));
}

}  // namespace
}  // namespace minitf::testing
