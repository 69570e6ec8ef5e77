// Branches and loops: kernels that pass tensors on. The executor's propagator decides
// where they go and what is dead (minitf/runtime/executor/propagator.h).
//
// Op         minitf/ops/step/control_flow_ops.cc
// Compare    tensorflow/core/kernels/control_flow_ops.cc
// Read next  minitf/runtime/executor/propagator.h

#include <string>

#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

// A kernel that takes no time: it is never worth a thread.
class PassingKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;
  bool IsExpensive() const final { return false; }
};

class SwitchOp final : public PassingKernel {
 public:
  using PassingKernel::PassingKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& pred = ctx->host_input(1);
    Require(pred.rank() == 0, "The second input must be a scalar, but it has shape ",
            pred.shape());
    ctx->set_output(pred.scalar<bool>() ? 1 : 0, ctx->input(0));
  }
};
REGISTER_KERNEL(Kernel("Switch").OnAllDevices().HostMemory("pred").HostMemoryIfInt32("T"),
                SwitchOp);

class MergeOp final : public PassingKernel {
 public:
  using PassingKernel::PassingKernel;

  void Compute(OpKernelContext* ctx) override {
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      if (!ctx->input(i).has_value()) continue;
      ctx->set_output(0, ctx->input(i));
      ctx->set_output(1, Tensor::Scalar(i));
      return;
    }
    ctx->SetStatus(errors::Internal("Merge ran without a value"));
  }
};
REGISTER_KERNEL(
    Kernel("Merge").OnAllDevices().HostMemory("value_index").HostMemoryIfInt32("T"),
    MergeOp);

// Enter, Exit and NextIteration; LoopCond, whose input is checked by its shape function
// or here.
class PassOnOp final : public PassingKernel {
 public:
  using PassingKernel::PassingKernel;
  void Compute(OpKernelContext* ctx) override { ctx->set_output(0, ctx->input(0)); }
};
REGISTER_KERNEL(Kernel("Enter").OnAllDevices().HostMemoryIfInt32("T"), PassOnOp);
REGISTER_KERNEL(Kernel("Exit").OnAllDevices().HostMemoryIfInt32("T"), PassOnOp);
REGISTER_KERNEL(Kernel("NextIteration").OnAllDevices().HostMemoryIfInt32("T"), PassOnOp);
REGISTER_KERNEL(Kernel("LoopCond").OnAllDevices().HostMemory("input", "output"),
                PassOnOp);

class ControlTriggerOp final : public PassingKernel {
 public:
  using PassingKernel::PassingKernel;
  void Compute(OpKernelContext*) override {}
};
REGISTER_KERNEL(Kernel("ControlTrigger").OnAllDevices(), ControlTriggerOp);

class AbortOp final : public PassingKernel {
 public:
  explicit AbortOp(OpKernelConstruction* construction)
      : PassingKernel(construction),
        message_(construction->attrs().Get<std::string>("error_msg")) {}

  void Compute(OpKernelContext* ctx) override {
    ctx->SetStatus(errors::Aborted("Abort error: ", message_));
  }

 private:
  const std::string message_;
};
REGISTER_KERNEL(Kernel("Abort").OnAllDevices(), AbortOp);

}  // namespace
}  // namespace minitf
