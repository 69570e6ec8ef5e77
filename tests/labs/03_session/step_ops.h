// Ops of the driver alone, for what no op of minitf does: to leave outputs out, and to
// cancel a step while it fails.
//
//   TestCareless   x -> y, z   both are x, but if x is not 0 something is wrong: `how`
//                              says what. One that fails has given y
//   TestPair       none -> y, z   has no kernel: it is for graphs that do not run
//   TestBell       none -> y   waits until its step is given up; then it rings

#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "minitf/framework/cancellation.h"
#include "minitf/framework/op.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/rendezvous.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {

// What is cancelled, in the thread that rings, when a bell rings. Null: nothing.
inline std::atomic<CancellationManager*> bell_cancels = nullptr;

inline void Ring() {
  if (CancellationManager* const cancellation = bell_cancels) cancellation->StartCancel();
}

REGISTER_OP("TestCareless")
    .Input("x: double")
    .Output("y: double")
    .Output("z: double")
    .Attr("how: {'fails', 'no_second', 'nothing', 'wrong_type'}")
    .SetShapeFn(UnknownShape)
    .SetIsStateful()
    .Doc("x twice.");
REGISTER_OP("TestPair")
    .Output("y: double")
    .Output("z: double")
    .SetShapeFn(UnknownShape)
    .Doc("Two outputs of a source without state.");
REGISTER_OP("TestBell")
    .Output("y: double")
    .SetShapeFn(UnknownShape)
    .SetIsStateful()
    .Doc("Waits until its step is given up.");

class CarelessOp final : public OpKernel {
 public:
  explicit CarelessOp(OpKernelConstruction* construction)
      : OpKernel(construction), how_(construction->attrs().Get<std::string>("how")) {}

  void Compute(OpKernelContext* ctx) override {
    const double x = ctx->input(0).scalar<double>();
    const bool is_right = x == 0;
    if (!is_right && how_ == "nothing") return;
    ctx->set_output(0, Tensor::Scalar(x));
    if (is_right) ctx->set_output(1, Tensor::Scalar(x));
    if (!is_right && how_ == "wrong_type") ctx->set_output(1, Tensor::Scalar(1.0f));
    if (!is_right && how_ == "fails") ctx->SetStatus(errors::Aborted("careless"));
  }

 private:
  const std::string how_;
};

class BellOp final : public AsyncOpKernel {
 public:
  using AsyncOpKernel::AsyncOpKernel;

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    CancellationManager* const step = ctx->cancellation();
    const auto end = [ctx, done = std::move(done)] {
      ctx->SetStatus(errors::Cancelled("the bell has rung"));
      done();
    };
    const auto ring = [end] {
      Ring();
      end();
    };
    if (!step->RegisterCallback(step->NewToken(), ring)) end();
  }
};

REGISTER_KERNEL(Kernel("TestCareless").On(Device::kCpu), CarelessOp);
REGISTER_KERNEL(Kernel("TestBell").On(Device::kCpu), BellOp);

// Rings when it is aborted.
class RingingRendezvous final : public Rendezvous {
 public:
  Status Send(const ParsedKey& key, const Args& args, const Tensor& value,
              bool is_dead) override {
    return local_->Send(key, args, value, is_dead);
  }
  void RecvAsync(const ParsedKey& key, const Args& args, DoneCallback done) override {
    local_->RecvAsync(key, args, std::move(done));
  }
  void StartAbort(const Status& status) override {
    Ring();
    local_->StartAbort(status);
  }
  Activity activity() const override { return local_->activity(); }

 private:
  const std::shared_ptr<Rendezvous> local_ = NewLocalRendezvous();
};

}  // namespace minitf
