// Transfers: an edge between devices, as the kernels of _Send and _Recv.
//
// A _Send leaves its tensor in the step's rendezvous and is done. A _Recv leaves a
// callback there and is done when that is called; until then it holds no thread, so that
// a pool of one thread is enough for any number of them. A dead tensor is sent, too, and
// makes what is received dead.
//
// Op         minitf/ops/step/transfer_ops.cc
// Compare    tensorflow/core/kernels/sendrecv_ops.cc

#include <cstdint>
#include <string>
#include <utility>

#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

// The key of an edge: made once, but for frame and iteration. An edge outside of loops
// carries one tensor a step, so its key is parsed when the kernel is made. In a loop it
// carries one for each iteration, and each has a key of its own.
class EdgeKey {
 public:
  explicit EdgeKey(OpKernelConstruction* construction) {
    int64_t incarnation = 0;
    const Status statuses[] = {
        construction->GetAttr("send_device", &send_device_),
        construction->GetAttr("recv_device", &recv_device_),
        construction->GetAttr("tensor_name", &name_),
        construction->GetAttr("send_device_incarnation", &incarnation)};
    for (const Status& status : statuses) construction->SetStatus(status);
    incarnation_ = static_cast<uint64_t>(incarnation);
    if (!construction->status().ok()) return;
    construction->SetStatus(Rendezvous::ParseKey(Text({}), &outside_of_loops_));
  }

  // The key for `frame_iter`, made in *made unless it is at hand.
  const Rendezvous::ParsedKey& For(const FrameAndIter& frame_iter,
                                   Rendezvous::ParsedKey* made) const {
    if (frame_iter == FrameAndIter{}) return outside_of_loops_;
    ThrowIfError(Rendezvous::ParseKey(Text(frame_iter), made));
    return *made;
  }

 private:
  std::string Text(const FrameAndIter& frame_iter) const {
    return Rendezvous::CreateKey(send_device_, incarnation_, recv_device_, name_,
                                 frame_iter);
  }

  std::string send_device_;
  std::string recv_device_;
  std::string name_;
  uint64_t incarnation_ = 0;
  Rendezvous::ParsedKey outside_of_loops_;
};

Rendezvous& RendezvousOf(const OpKernelContext& ctx) {
  if (ctx.rendezvous() == nullptr) {
    throw Error(errors::Internal("Op kernel context needs to provide a rendezvous."));
  }
  return *ctx.rendezvous();
}

Rendezvous::Args ArgsOf(const OpKernelContext& ctx, MemoryType memory) {
  return {&ctx.device(), ctx.cancellation(), memory == MemoryType::kHost};
}

class SendOp final : public OpKernel {
 public:
  explicit SendOp(OpKernelConstruction* construction)
      : OpKernel(construction), key_(construction) {}

  void Compute(OpKernelContext* ctx) override {
    Rendezvous::ParsedKey made;
    const auto& key = key_.For(ctx->frame_iter(), &made);
    ctx->SetStatus(RendezvousOf(*ctx).Send(key, ArgsOf(*ctx, memory_types().inputs[0]),
                                           ctx->input(0), ctx->is_input_dead()));
  }
  bool IsExpensive() const override { return false; }

 private:
  const EdgeKey key_;
};
REGISTER_KERNEL(Kernel("_Send").OnAllDevices(), SendOp);
REGISTER_KERNEL(Kernel("_HostSend").OnAllDevices().HostMemory("tensor"), SendOp);

class RecvOp final : public AsyncOpKernel {
 public:
  explicit RecvOp(OpKernelConstruction* construction)
      : AsyncOpKernel(construction), key_(construction) {}

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    Rendezvous::ParsedKey made;
    const auto& key = key_.For(ctx->frame_iter(), &made);
    RendezvousOf(*ctx).RecvAsync(
        key, ArgsOf(*ctx, memory_types().outputs[0]),
        [ctx, done = std::move(done)](const Status& status, const Rendezvous::Args&,
                                      const Rendezvous::Args&, Tensor value,
                                      bool is_dead) {
          ctx->SetStatus(status);
          // An output without a value is a dead one.
          if (status.ok() && !is_dead) ctx->set_output(0, std::move(value));
          done();
        });
  }
  bool IsExpensive() const override { return false; }

 private:
  const EdgeKey key_;
};
REGISTER_KERNEL(Kernel("_Recv").OnAllDevices(), RecvOp);
REGISTER_KERNEL(Kernel("_HostRecv").OnAllDevices().HostMemory("tensor"), RecvOp);

}  // namespace
}  // namespace minitf
