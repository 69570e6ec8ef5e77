// Queues on the CPU: from nodes to the calls of a Queue.
//
// A node that waits holds no thread: its kernel leaves a callback with the queue, which
// sets the outputs and says that the node is done. Otherwise as many nodes as there are
// threads, all waiting for elements, would keep the nodes from running that enqueue them.
//
// The queue itself is found when the kernel is made, and the node's output is a handle to
// it; so a step looks up no name.
//
// Op         minitf/ops/data/data_flow_ops.cc
// Compare    tensorflow/core/kernels/queue_op.cc, queue_ops.cc
// Read next  kernels/cpu/data/readers.cc

#include "minitf/io/queues/queues.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cpu/common/scalars.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/io/queues/shared_resource.h"

namespace minitf {
namespace {

// ---- Finding a queue ------------------------------------------------------------------

QueueSpec SpecOf(const OpKernelConstruction& construction) {
  const Attrs& attrs = construction.attrs();
  QueueSpec spec;
  spec.kind = construction.op().name;
  spec.kind.resize(spec.kind.size() - 2);  // without "V2"
  spec.capacity = attrs.Get<int64_t>("capacity");
  spec.element = {attrs.Get<std::vector<DType>>("component_types"),
                  attrs.Get<std::vector<PartialShape>>("shapes")};
  if (spec.kind == "RandomShuffleQueue") {
    spec.min_after_dequeue = attrs.Get<int64_t>("min_after_dequeue");
    spec.seed = attrs.Get<int64_t>("seed");
    spec.seed2 = attrs.Get<int64_t>("seed2");
  }
  if (spec.kind == "PriorityQueue") {
    spec.element.dtypes.insert(spec.element.dtypes.begin(), DType::kInt64);
    spec.element.shapes.insert(spec.element.shapes.begin(), PartialShape(Shape{}));
  }
  return spec;
}

template <typename Kind>
class QueueOp final : public OpKernel {
 public:
  explicit QueueOp(OpKernelConstruction* construction) : OpKernel(construction) {
    QueueSpec spec = SpecOf(*construction);
    const auto queue =
        FindOrMakeShared<Queue>(*construction, [&](const std::string& name) {
          spec.name = name;
          return std::make_shared<Kind>(spec);
        });
    queue->RequireSameAs(spec);
    handle_ = HandleTo(queue);
  }

  void Compute(OpKernelContext* ctx) override { ctx->set_output(0, handle_); }
  bool IsExpensive() const override { return false; }

 private:
  Tensor handle_;
};
REGISTER_KERNEL(Kernel("FIFOQueueV2").On(Device::kCpu), QueueOp<FifoQueue>);
REGISTER_KERNEL(Kernel("PaddingFIFOQueueV2").On(Device::kCpu), QueueOp<PaddingFifoQueue>);
REGISTER_KERNEL(Kernel("RandomShuffleQueueV2").On(Device::kCpu),
                QueueOp<RandomShuffleQueue>);
REGISTER_KERNEL(Kernel("PriorityQueueV2").On(Device::kCpu), QueueOp<PriorityQueue>);

// ---- Putting in and taking out --------------------------------------------------------

void RequireNoTimeout(OpKernelConstruction* construction) {
  const auto timeout_ms = construction->attrs().Get<int64_t>("timeout_ms");
  if (timeout_ms == -1) return;
  throw Error(errors::Unimplemented("Timeout not supported yet: timeout_ms must be -1, ",
                                    "got ", timeout_ms));
}

template <bool kMany>
class EnqueueOp final : public AsyncOpKernel {
 public:
  explicit EnqueueOp(OpKernelConstruction* construction) : AsyncOpKernel(construction) {
    RequireNoTimeout(construction);
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    const auto queue = ctx->input_resource<Queue>(0);
    Element components;
    for (int i = 1; i < ctx->num_inputs(); ++i) components.push_back(ctx->input(i));

    // `queue` is kept until the end: the node may hold the last handle to it.
    const auto finish = [ctx, queue, done = std::move(done)](const Status& status,
                                                             const Element&) {
      ctx->SetStatus(status);
      done();
    };
    if (kMany) {
      queue->EnqueueMany(std::move(components), ctx->cancellation(), finish);
    } else {
      queue->Enqueue(std::move(components), ctx->cancellation(), finish);
    }
  }
  // To wait takes no thread, so none needs to be woken for it.
  bool IsExpensive() const override { return false; }
};
REGISTER_KERNEL(Kernel("QueueEnqueueV2").On(Device::kCpu), EnqueueOp<false>);
REGISTER_KERNEL(Kernel("QueueEnqueueManyV2").On(Device::kCpu), EnqueueOp<true>);

enum class Amount { kOne, kMany, kUpTo };

template <Amount kAmount>
class DequeueOp final : public AsyncOpKernel {
 public:
  explicit DequeueOp(OpKernelConstruction* construction) : AsyncOpKernel(construction) {
    RequireNoTimeout(construction);
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    const auto queue = ctx->input_resource<Queue>(0);
    RequireTypes(ctx, *queue);

    const auto finish = [ctx, queue, done = std::move(done)](const Status& status,
                                                             Element element) {
      ctx->SetStatus(status);
      for (size_t i = 0; i < element.size(); ++i) {
        ctx->set_output(static_cast<int>(i), std::move(element[i]));
      }
      done();
    };
    if (kAmount == Amount::kOne) return queue->Dequeue(ctx->cancellation(), finish);
    RequireScalar(ctx->input(1), "n");
    queue->DequeueMany(ctx->input(1).scalar<int32_t>(), kAmount == Amount::kUpTo,
                       ctx->cancellation(), finish);
  }
  bool IsExpensive() const override { return false; }

 private:
  static void RequireTypes(OpKernelContext* ctx, const Queue& queue) {
    const auto& dtypes = queue.spec().element.dtypes;
    const int count = ctx->num_outputs();
    if (count != std::ssize(dtypes)) {
      throw Error(errors::InvalidArgument(queue.DebugString(), " has ", dtypes.size(),
                                          " components, asked for ", count));
    }
    for (int i = 0; i < count; ++i) {
      if (dtypes[i] == ctx->output_type(i)) continue;
      throw Error(errors::InvalidArgument("component ", i, " of ", queue.DebugString(),
                                          " is ", dtypes[i], ", asked for as ",
                                          ctx->output_type(i)));
    }
  }
};
REGISTER_KERNEL(Kernel("QueueDequeueV2").On(Device::kCpu), DequeueOp<Amount::kOne>);
REGISTER_KERNEL(Kernel("QueueDequeueManyV2").On(Device::kCpu), DequeueOp<Amount::kMany>);
REGISTER_KERNEL(Kernel("QueueDequeueUpToV2").On(Device::kCpu), DequeueOp<Amount::kUpTo>);

// ---- Closing and asking ---------------------------------------------------------------

class QueueCloseOp final : public AsyncOpKernel {
 public:
  explicit QueueCloseOp(OpKernelConstruction* construction)
      : AsyncOpKernel(construction) {
    OP_REQUIRES_OK(construction,
                   construction->GetAttr("cancel_pending_enqueues", &cancel_pending_));
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    const auto queue = ctx->input_resource<Queue>(0);
    queue->Close(
        cancel_pending_, ctx->cancellation(),
        [ctx, queue, done = std::move(done)](const Status& status, const Element&) {
          ctx->SetStatus(status);
          done();
        });
  }
  bool IsExpensive() const override { return false; }

 private:
  bool cancel_pending_ = false;
};
REGISTER_KERNEL(Kernel("QueueCloseV2").On(Device::kCpu), QueueCloseOp);

class QueueIsClosedOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    ctx->set_output(0, Tensor::Scalar(ctx->input_resource<Queue>(0)->is_closed()));
  }
  bool IsExpensive() const override { return false; }
};
REGISTER_KERNEL(Kernel("QueueIsClosedV2").On(Device::kCpu), QueueIsClosedOp);

class QueueSizeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const int64_t size = ctx->input_resource<Queue>(0)->size();
    ctx->set_output(0, Tensor::Scalar(static_cast<int32_t>(size)));
  }
  bool IsExpensive() const override { return false; }
};
REGISTER_KERNEL(Kernel("QueueSizeV2").On(Device::kCpu), QueueSizeOp);

}  // namespace
}  // namespace minitf
