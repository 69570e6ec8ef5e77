// Kernels: finding the right one, errors of constructors and of Compute, forwarding.

#include "minitf/framework/op_kernel.h"

#include <new>
#include <type_traits>

#include "gtest/gtest.h"
#include "minitf/eager/dispatch.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

static_assert(std::is_abstract_v<OpKernel>);
static_assert(!std::is_copy_constructible_v<OpKernel>);

REGISTER_OP("KernelTestTwice")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {float, double, int32}")
    .Attr("fail: {'no', 'constructor', 'status', 'throw', 'memory'} = 'no'")
    .SetShapeFn(UnchangedShape)
    .Doc("2 x, or a failure of some kind.");

template <typename T, int kFactor>
class TwiceOp final : public OpKernel {
 public:
  explicit TwiceOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("fail", &fail_));
    OP_REQUIRES(construction, fail_ != "constructor",
                errors::InvalidArgument("refused by the constructor"));
  }

  void Compute(OpKernelContext* ctx) override {
    OP_REQUIRES(ctx, fail_ != "status", errors::OutOfRange("refused by Compute"));
    if (fail_ == "throw") throw std::runtime_error("thrown by Compute");
    if (fail_ == "memory") throw std::bad_alloc();
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, ctx->input(0).shape(), &y));
    for (int64_t i = 0; i < y->num_elements(); ++i) {
      y->mutable_flat<T>()[i] = ctx->input(0).flat<T>()[i] * kFactor;
    }
  }

 private:
  std::string fail_;
};

REGISTER_KERNEL(Kernel("KernelTestTwice").On(Device::kCpu).Type<float>("T"),
                TwiceOp<float, 2>);
REGISTER_KERNEL(
    Kernel("KernelTestTwice").On(Device::kCpu).Type<float>("T").Label("thrice"),
    TwiceOp<float, 3>);
REGISTER_KERNEL(Kernel("KernelTestTwice").On(Device::kCpu).Type<double>("T"),
                TwiceOp<double, 2>);

Status StatusOf(const Tensor& x, Attrs attrs) {
  try {
    RunOp("KernelTestTwice", {x}, std::move(attrs));
  } catch (const Error& error) {
    return error.status();
  }
  return {};
}

TEST(FindKernel, GoesByTypeAndLabel) {
  const Tensor x = Tensor::Of<float>({1}, {5});
  EXPECT_EQ(RunOp("KernelTestTwice", {x})[0].scalar<float>(), 10);
  EXPECT_EQ(RunOp("KernelTestTwice", {x}, {{"_kernel", std::string("thrice")}})[0]
                .scalar<float>(),
            15);
  const Tensor y = Tensor::Of<double>({1}, {5});
  EXPECT_EQ(RunOp("KernelTestTwice", {y})[0].dtype(), DType::kFloat64);
}

TEST(FindKernel, ListsWhatThereIs) {
  const Status status = StatusOf(Tensor::Of<int32_t>({1}, {5}), {});
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_EQ(
      status.message(),
      "KernelTestTwice: no kernel is registered on CPU for T=int32; registered are: "
      "CPU for T=float32; CPU for T=float32, label 'thrice'; CPU for T=float64");
}

TEST(RegisterKernel, RefusesASecondOneOfTheSameKey) {
  EXPECT_THROW((RegisterKernel<TwiceOp<float, 2>>(
                   Kernel("KernelTestTwice").On(Device::kCpu).Type<float>("T"))),
               Error);
}

TEST(RunKernel, ReportsEveryKindOfFailure) {
  const Tensor x = Tensor::Of<float>({1}, {5});
  const auto fail = [&](const char* how) {
    return StatusOf(x, {{"fail", std::string(how)}});
  };
  EXPECT_EQ(fail("constructor").message(), "KernelTestTwice: refused by the constructor");
  EXPECT_EQ(fail("status").code(), Code::kOutOfRange);
  EXPECT_EQ(fail("status").message(), "KernelTestTwice: refused by Compute");
  EXPECT_EQ(fail("throw").message(), "KernelTestTwice: thrown by Compute");
  EXPECT_EQ(fail("memory").code(), Code::kResourceExhausted);
  EXPECT_TRUE(fail("no").ok());
}

class ForwardTest : public ::testing::Test {
 protected:
  // Whether a kernel with the one input `x` would get an output in x's memory.
  static bool IsForwarded(Tensor x, const Shape& shape, DType output_type) {
    const DeviceContext device{&CpuAllocator(), nullptr, nullptr, nullptr};
    const void* memory = x.data();
    std::vector<Tensor> inputs;
    inputs.push_back(std::move(x));
    std::vector<Tensor> outputs(1);
    const std::vector<DType> types = {output_type};
    OpKernelContext ctx(inputs, outputs, types, device);
    Tensor* y = nullptr;
    EXPECT_TRUE(ctx.forward_input_or_allocate_output({0}, 0, shape, &y).ok());
    EXPECT_EQ(y->shape(), shape);
    return y->data() == memory;
  }
};

TEST_F(ForwardTest, TakesOverWhatNobodyElseNeeds) {
  const Tensor x = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  EXPECT_TRUE(IsForwarded(x.Clone(), {2, 2}, DType::kFloat32));
  EXPECT_TRUE(IsForwarded(x.Clone(), {4}, DType::kFloat32));
}

TEST_F(ForwardTest, LeavesOthersTheirElements) {
  const Tensor x = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  EXPECT_FALSE(IsForwarded(x, {2, 2}, DType::kFloat32));
  EXPECT_FALSE(IsForwarded(x.Clone(), {2, 2}, DType::kInt32));
  EXPECT_FALSE(IsForwarded(x.Clone(), {2, 3}, DType::kFloat32));
  float memory[4];
  const Tensor borrowed = Tensor::Borrowed(DType::kFloat32, {4}, memory, nullptr);
  EXPECT_FALSE(IsForwarded(borrowed, {4}, DType::kFloat32));
}

}  // namespace
}  // namespace minitf
