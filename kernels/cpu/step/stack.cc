// Stacks of tensors: one for each run of a StackV2.
//
// A stack shares the elements that are pushed, it copies none. So a pushed tensor has two
// owners, and no kernel writes over it.
//
// Op         minitf/ops/step/stack_ops.cc
// Compare    tensorflow/core/kernels/stack.cc
// Read next  minitf/graph/gradients/loop_gradient.h

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/io/queues/shared_resource.h"

namespace minitf {
namespace {

class Stack final : public Resource {
 public:
  static constexpr const char* kKind = "stack";

  Stack(std::string name, DType dtype, int64_t max_size)
      : name_(std::move(name)), dtype_(dtype), max_size_(max_size) {}

  /// Throws InvalidArgument for another dtype, when the stack is full, or closed.
  void Push(Tensor element) {
    const std::lock_guard lock(mutex_);
    RequireOpen();
    Require(element.dtype() == dtype_, "Must have type ", dtype_, " but got ",
            element.dtype());
    const bool is_full = max_size_ >= 0 && std::ssize(elements_) >= max_size_;
    if (is_full) Fail(" overflowed its max_size (", max_size_, ")");
    elements_.push_back(std::move(element));
  }

  /// Throws InvalidArgument for another dtype, when the stack is empty, or closed.
  Tensor Pop(DType dtype) {
    const std::lock_guard lock(mutex_);
    RequireOpen();
    Require(dtype == dtype_, "Must have type ", dtype_, " but got ", dtype);
    if (elements_.empty()) Fail(" is empty when calling Pop().");
    Tensor top = std::move(elements_.back());
    elements_.pop_back();
    return top;
  }

  void Close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    elements_.clear();
  }

  std::string DebugString() const override { return StrCat("Stack[", name_, "]"); }

 private:
  template <typename... Parts>
  [[noreturn]] void Fail(const Parts&... parts) const {
    throw Error(errors::InvalidArgument(DebugString(), parts...));
  }

  void RequireOpen() const {
    if (is_closed_) Fail(" has already been closed.");
  }

  const std::string name_;
  const DType dtype_;
  const int64_t max_size_;
  std::mutex mutex_;  // guards what follows
  std::vector<Tensor> elements_;
  bool is_closed_ = false;
};

// A kernel that moves a tensor: it is never worth a thread.
class MovingKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;
  bool IsExpensive() const final { return false; }
};

class StackOp final : public MovingKernel {
 public:
  explicit StackOp(OpKernelConstruction* construction)
      : MovingKernel(construction),
        dtype_(construction->attrs().Get<DType>("elem_type")),
        stack_name_(construction->attrs().Get<std::string>("stack_name")) {
    if (stack_name_.empty()) stack_name_ = construction->node_name();
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& max_size = ctx->host_input(0);
    OP_REQUIRES(ctx, max_size.num_elements() == 1,
                errors::InvalidArgument("max_size must be a scalar, it has shape ",
                                        max_size.shape()));
    auto stack = std::make_shared<Stack>(stack_name_, dtype_, IntegersOf(max_size)[0]);
    ctx->set_output(0, HandleTo(std::move(stack)));
  }

 private:
  const DType dtype_;
  std::string stack_name_;
};
REGISTER_KERNEL(Kernel("StackV2").OnAllDevices().HostMemory("max_size"), StackOp);

class StackPushOp final : public MovingKernel {
 public:
  using MovingKernel::MovingKernel;

  void Compute(OpKernelContext* ctx) override {
    ctx->input_resource<Stack>(0)->Push(ctx->input(1));
    ctx->set_output(0, ctx->input(1));
  }
};
REGISTER_KERNEL(Kernel("StackPushV2").OnAllDevices().HostMemoryIfInt32("T"), StackPushOp);

class StackPopOp final : public MovingKernel {
 public:
  explicit StackPopOp(OpKernelConstruction* construction)
      : MovingKernel(construction),
        dtype_(construction->attrs().Get<DType>("elem_type")) {}

  void Compute(OpKernelContext* ctx) override {
    ctx->set_output(0, ctx->input_resource<Stack>(0)->Pop(dtype_));
  }

 private:
  const DType dtype_;
};
REGISTER_KERNEL(Kernel("StackPopV2").OnAllDevices().HostMemoryIfInt32("elem_type"),
                StackPopOp);

class StackCloseOp final : public MovingKernel {
 public:
  using MovingKernel::MovingKernel;
  void Compute(OpKernelContext* ctx) override { ctx->input_resource<Stack>(0)->Close(); }
};
REGISTER_KERNEL(Kernel("StackCloseV2").OnAllDevices(), StackCloseOp);

}  // namespace
}  // namespace minitf
