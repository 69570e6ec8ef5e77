// Host memory: what a kernel says of its arguments, and what is made of it. The device
// here has memory of its own, told apart by its allocator.

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/eager/dispatch.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

// Repeats x `times` times, and says how long the result is.
REGISTER_OP("KernelTestRepeat")
    .Input("x: T")
    .Input("times: N * int64")
    .Output("y: T")
    .Output("size: int64")
    .Attr("T: {float, int32, int64, string}")
    .Attr("N: int = 1")
    .SetShapeFn([](InferenceContext* ctx) { ctx->set_output(1, Shape{}); })
    .Doc("x, several times.");

class RepeatOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    const int64_t times = ctx->host_input(1).scalar<int64_t>();
    Tensor* y = nullptr;
    Tensor* size = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0, 1}, 0, {times}, &y));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, Shape{}, &size));
    size->mutable_flat<int64_t>()[0] = times;
  }
};
REGISTER_KERNEL(
    Kernel("KernelTestRepeat").HostMemory("times", "size").HostMemoryIfInt32("T"),
    RepeatOp);
// The same, with a declaration left out.
REGISTER_KERNEL(Kernel("KernelTestRepeat").HostMemory("size").Label("careless"),
                RepeatOp);

// What a GPU gives its kernels.
class OtherMemory final : public Allocator {
 public:
  void* Allocate(size_t bytes) override { return CpuAllocator().Allocate(bytes); }
  void Free(void* memory, size_t bytes) override { CpuAllocator().Free(memory, bytes); }
  Stats stats() const override { return {}; }
  std::string name() const override { return "card 7"; }
};

class MemoryTypesTest : public ::testing::Test {
 protected:
  static MemoryTypes TypesOf(DType dtype, int64_t count) {
    Attrs attrs{{"T", dtype}, {"N", count}};
    std::vector<DType> inputs(1 + count, DType::kInt64);
    inputs[0] = dtype;
    const OpDef& op = FindOp("KernelTestRepeat");
    const Signature signature = CompleteAttrs(op, inputs, &attrs);
    return MemoryTypesFor({&FindKernel(op, attrs, Device::kCpu)}, op, attrs, signature);
  }

  Tensor On(Allocator& allocator, const Tensor& value) const {
    Tensor copy(value.dtype(), value.shape(), allocator);
    std::memcpy(copy.mutable_data(), value.data(), value.num_bytes());
    return copy;
  }

  // Runs the kernel on the card.
  Status Run(std::vector<Tensor> inputs, const char* label = "") {
    Attrs attrs{{"_kernel", std::string(label)}};
    const OpDef& op = FindOp("KernelTestRepeat");
    const Signature signature =
        CompleteAttrs(op, {inputs[0].dtype(), DType::kInt64}, &attrs);
    const auto kernel = MakeKernel("node", op, attrs, signature, Device::kCpu, device_);
    outputs_ = std::vector<Tensor>(2);
    OpKernelContext ctx(inputs, outputs_, signature.output_types, device_);
    RunKernel(kernel.get(), &ctx);
    return ctx.status();
  }

  OtherMemory memory_;
  const DeviceContext device_{&memory_, &ProcessThreads(), nullptr, nullptr,
                              &CpuAllocator()};
  const Tensor x_ = On(memory_, Tensor::Scalar(2.0F));
  const Tensor times_ = Tensor::Scalar(int64_t{1});
  std::vector<Tensor> outputs_;
};

constexpr auto kDevice = MemoryType::kDevice;
constexpr auto kHost = MemoryType::kHost;

TEST_F(MemoryTypesTest, AListCountsForAllItsTensors) {
  const MemoryTypes types = TypesOf(DType::kFloat32, 3);
  EXPECT_EQ(types.inputs, (std::vector{kDevice, kHost, kHost, kHost}));
  EXPECT_EQ(types.outputs, (std::vector{kDevice, kHost}));
}

TEST_F(MemoryTypesTest, AllIsOnTheHostForInt32WhereTheKernelSaysSo) {
  EXPECT_EQ(TypesOf(DType::kInt32, 1).inputs, (std::vector{kHost, kHost}));
  EXPECT_EQ(TypesOf(DType::kInt32, 1).outputs, (std::vector{kHost, kHost}));
}

TEST_F(MemoryTypesTest, WhatIsNoPlainNumberIsOnTheHost) {
  EXPECT_EQ(TypesOf(DType::kString, 1).inputs, (std::vector{kHost, kHost}));
  EXPECT_EQ(TypesOf(DType::kString, 1).outputs, (std::vector{kHost, kHost}));
}

TEST_F(MemoryTypesTest, OutputsAreMadeWhereTheyBelong) {
  ThrowIfError(Run({x_, times_}));
  EXPECT_EQ(outputs_[0].allocator(), &memory_);
  EXPECT_EQ(outputs_[1].allocator(), &CpuAllocator());
}

TEST_F(MemoryTypesTest, AnInputInTheWrongMemoryIsRefused) {
  const Status from_host = Run({Tensor::Scalar(2.0F), times_});
  EXPECT_EQ(from_host.code(), Code::kInternal);
  EXPECT_EQ(from_host.message(),
            "input 0 lies in host memory; on card 7 the kernel has it in device memory");
  EXPECT_EQ(Run({x_, On(memory_, times_)}).message(),
            "input 1 lies in device memory; on card 7 the kernel has it in host memory");
  float lent = 2;
  EXPECT_EQ(
      Run({Tensor::Borrowed(DType::kFloat32, Shape{}, &lent, nullptr), times_}).code(),
      Code::kInternal);
}

// `times` is a free tensor of the right size and type, but lies in the wrong memory.
TEST_F(MemoryTypesTest, AnInputIsNotForwardedToAnotherMemory) {
  const Tensor x = On(memory_, Tensor::Scalar(int64_t{7}));
  ThrowIfError(Run({x, Tensor::Scalar(int64_t{1})}));
  EXPECT_EQ(outputs_[0].allocator(), &memory_);
}

// On every device, so that any test of such a kernel finds what is missing.
TEST_F(MemoryTypesTest, WhatIsReadOnTheHostMustBeDeclared) {
  const std::string expected =
      "the kernel reads the elements of input 1 on the host, but is not registered with "
      "HostMemory for it";
  EXPECT_EQ(Run({x_, On(memory_, times_)}, "careless").message(), expected);
  const std::string message = MessageOf([&] {
    RunOp("KernelTestRepeat", {Tensor::Scalar(2.0F), times_},
          {{"_kernel", std::string("careless")}});
  });
  EXPECT_EQ(message, "KernelTestRepeat: " + expected);
}

TEST(HostMemory, NamesAnArgumentOfTheOp) {
  const auto add = [](const Kernel& kernel) {
    return MessageOf([&] { RegisterKernel<RepeatOp>(kernel); });
  };
  EXPECT_EQ(
      add(Kernel("KernelTestRepeat").Label("wrong").HostMemory("size", "shape")),
      "kernel KernelTestRepeat on CPU, label 'wrong' has HostMemory(\"shape\"), but "
      "the arguments of the op are x, times, y, size");
  EXPECT_EQ(add(Kernel("KernelTestRepeat").Label("wrong").HostMemoryIfInt32("N")),
            "kernel KernelTestRepeat on CPU, label 'wrong' has HostMemoryIfInt32(\"N\"), "
            "but the op has no attribute of that name that is a type");
}

// A kernel may be registered before its op: a library of several files has no order.
TEST(HostMemory, IsCheckedWhenTheOpComesLater) {
  RegisterKernel<RepeatOp>(Kernel("KernelTestLater").HostMemory("nothing"));
  OpRegistrar(OpDefBuilder("KernelTestLater")
                  .Input("x: float")
                  .SetShapeFn(NoOutputs)
                  .Doc("Nothing."));
  EXPECT_EQ(MessageOf([] { RunOp("KernelTestLater", {Tensor::Scalar(2.0F)}); }),
            "KernelTestLater: kernel KernelTestLater on CPU has HostMemory(\"nothing\"), "
            "but the arguments of the op are x");
}

}  // namespace
}  // namespace minitf::testing
