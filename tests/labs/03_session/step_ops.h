// Ops of the driver alone, for what no op of minitf does: to leave outputs out, and to
// cancel a step while it fails.
//
//   TestCareless   x -> y, z   both are x, but if x is not 0 something is wrong: `how`
//                              says what. One that fails has given y; slow_end gives
//                              one that takes its time to go
//   TestPair       none -> y, z   has no kernel: it is for graphs that do not run
//   TestBell       none -> y   waits until its step is given up; then it rings
//   TestTwin       x -> y   waits for another one of its kind, and both fail at once

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "minitf/framework/cancellation.h"
#include "minitf/framework/op.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/rendezvous.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {

// What is cancelled, in the thread that rings, when a bell rings. Null: nothing.
inline std::atomic<CancellationManager*> bell_cancels = nullptr;
inline std::atomic<int> num_rings = 0;  // in this step
inline std::atomic<int> ring_ms = 0;    // for how long a bell rings

inline void Ring() {
  if (CancellationManager* const cancellation = bell_cancels) cancellation->StartCancel();
  ++num_rings;
  std::this_thread::sleep_for(std::chrono::milliseconds(ring_ms));
}

// How many twins have come in this step, and when both go on, in nanoseconds.
inline std::atomic<int> num_twins = 0;
inline std::atomic<int64_t> twins_go_at = 0;

REGISTER_OP("TestCareless")
    .Input("x: double")
    .Output("y: double")
    .Output("z: double")
    .Attr(
        "how: {'fails', 'fails_inside', 'slow_end', 'no_second', 'nothing', "
        "'wrong_type'}")
    .SetShapeFn(UnknownShape)
    .SetIsStateful()
    .Doc("x twice.");
REGISTER_OP("TestPair")
    .Output("y: double")
    .Output("z: double")
    .SetShapeFn(UnknownShape)
    .Doc("Two outputs of a source without state.");
REGISTER_OP("TestTwin")
    .Input("x: double")
    .Output("y: double")
    .SetShapeFn(UnknownShape)
    .SetIsStateful()
    .Doc("Fails when another one does.");
REGISTER_OP("TestBell")
    .Output("y: double")
    .SetShapeFn(UnknownShape)
    .SetIsStateful()
    .Doc("Waits until its step is given up.");

// How many numbers there are of those that take 30 ms to go.
inline std::atomic<int> num_slow = 0;

inline Tensor SlowToGo(double value) {
  ++num_slow;
  auto* const memory = new double(value);
  return Tensor::Borrowed(DType::kFloat64, {}, memory, [memory] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    delete memory;
    --num_slow;
  });
}

class CarelessOp final : public OpKernel {
 public:
  explicit CarelessOp(OpKernelConstruction* construction)
      : OpKernel(construction), how_(construction->attrs().Get<std::string>("how")) {}

  void Compute(OpKernelContext* ctx) override {
    const double x = ctx->input(0).scalar<double>();
    const bool is_right = x == 0;
    if (!is_right && how_ == "nothing") return;
    const bool is_slow = !is_right && how_ == "slow_end";
    ctx->set_output(0, is_slow ? SlowToGo(x) : Tensor::Scalar(x));
    if (is_right) ctx->set_output(1, Tensor::Scalar(x));
    if (!is_right && how_ == "wrong_type") ctx->set_output(1, Tensor::Scalar(1.0f));
    const Status careless = errors::Aborted("careless");
    if (is_slow || (!is_right && how_ == "fails")) ctx->SetStatus(careless);
    // As the kernel of a function does, in which a node has failed.
    if (!is_right && how_ == "fails_inside") ctx->SetStatus(careless.AtNode("inner"));
  }

 private:
  const std::string how_;
};

class TwinOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    ctx->set_output(0, ctx->input(0));
    if (num_twins++ == 1) twins_go_at = Now() + 20'000;
    // The other one may not come: a thread that helps comes when it can.
    const int64_t limit = Now() + 5'000'000;
    while (Now() < limit && (num_twins < 2 || Now() < twins_go_at)) continue;
    ctx->SetStatus(errors::Aborted("one of two"));
  }

 private:
  static int64_t Now() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::nanoseconds(now).count();
  }
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
REGISTER_KERNEL(Kernel("TestTwin").On(Device::kCpu), TwinOp);
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
