// Data flow ops: queues, and what puts elements in and takes them out.
//
// As with a variable, one op gives a handle to a queue, and all others take the handle.
// The shapes of what comes out are not known to the graph: tf.QueueBase sets them.
//
// Kernels    kernels/cpu/data/queues.cc
// Gradients  minitf/gradients/data/data_flow_grad.cc
// Compare    tensorflow/core/ops/data_flow_ops.cc
// Read next  minitf/ops/data/reader_ops.cc

#include <string>

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// ---- Queues ---------------------------------------------------------------------------

// An op that gives a handle to a queue; `doc` says which.
OpDefBuilder QueueOp(const std::string& name, const std::string& doc) {
  OpDefBuilder builder(name);
  builder.Output("handle: resource")
      .Attr(name == "PriorityQueueV2" ? "component_types: list(type) >= 0 = []"
                                      : "component_types: list(type) >= 1")
      .Attr(name == "PriorityQueueV2" ? "shapes: list(shape) >= 0"
                                      : "shapes: list(shape) >= 0 = []")
      .Attr("capacity: int = -1");
  if (name == "RandomShuffleQueueV2") {
    builder.Attr("min_after_dequeue: int = 0")
        .Attr("seed: int = 0")
        .Attr("seed2: int = 0");
  }
  return builder.Attr("container: string = ''")
      .Attr("shared_name: string = ''")
      .SetIsStateful()
      .SetIsHostOnly()
      .SetShapeFn(ScalarShape)
      .Doc(doc);
}

const OpRegistrar kQueueOps[] = {
    QueueOp("FIFOQueueV2",
            "A queue whose elements come out in the order in which they went in."),
    QueueOp("PaddingFIFOQueueV2",
            "A FIFOQueue whose elements may differ in size; a batch of them is filled up "
            "with zeros."),
    QueueOp("RandomShuffleQueueV2",
            "A queue whose elements come out in random order; it keeps "
            "`min_after_dequeue` of them while it is open."),
    QueueOp("PriorityQueueV2",
            "A queue whose elements come out in the order of their first component, an "
            "int64 scalar that stands before `component_types`."),
};

// ---- Putting in and taking out --------------------------------------------------------

void CheckHandle(InferenceContext* ctx) { ctx->WithRank(0, 0, "handle"); }

// The shapes of n elements of a queue, n being a scalar.
void TakenShapes(InferenceContext* ctx) {
  CheckHandle(ctx);
  if (ctx->num_inputs() > 1) ctx->WithRank(1, 0, "n");
}

REGISTER_OP("QueueEnqueueV2")
    .Input("handle: resource")
    .Input("components: Tcomponents")
    .Attr("Tcomponents: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .SetIsStateful()
    .SetShapeFn(CheckHandle)
    .Doc("Puts one element into a queue; waits until there is room.");

REGISTER_OP("QueueEnqueueManyV2")
    .Input("handle: resource")
    .Input("components: Tcomponents")
    .Attr("Tcomponents: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .SetIsStateful()
    .SetShapeFn(CheckHandle)
    .Doc(
        "Puts the rows of `components`, each [n, ...], into a queue as n elements; waits "
        "until all are in.");

REGISTER_OP("QueueDequeueV2")
    .Input("handle: resource")
    .Output("components: component_types")
    .Attr("component_types: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .SetIsStateful()
    .SetShapeFn(TakenShapes)
    .Doc("Takes one element from a queue; waits until there is one.");

REGISTER_OP("QueueDequeueManyV2")
    .Input("handle: resource")
    .Input("n: int32")
    .Output("components: component_types")
    .Attr("component_types: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .SetIsStateful()
    .SetShapeFn(TakenShapes)
    .Doc("Takes n elements from a queue and stacks each component to [n, ...].");

REGISTER_OP("QueueDequeueUpToV2")
    .Input("handle: resource")
    .Input("n: int32")
    .Output("components: component_types")
    .Attr("component_types: list(type) >= 1")
    .Attr("timeout_ms: int = -1")
    .SetIsStateful()
    .SetShapeFn(TakenShapes)
    .Doc(
        "As QueueDequeueManyV2; of a closed queue with fewer than n elements it takes "
        "those that are left.");

// ---- Closing and asking ---------------------------------------------------------------

REGISTER_OP("QueueCloseV2")
    .Input("handle: resource")
    .Attr("cancel_pending_enqueues: bool = false")
    .SetIsStateful()
    .SetShapeFn(CheckHandle)
    .Doc(
        "Closes a queue: it takes no more elements. Calls that wait to put one in still "
        "do so, unless `cancel_pending_enqueues`.");

REGISTER_OP("QueueIsClosedV2")
    .Input("handle: resource")
    .Output("is_closed: bool")
    .SetIsStateful()
    .SetShapeFn(ScalarShape)
    .Doc("Whether a queue is closed.");

REGISTER_OP("QueueSizeV2")
    .Input("handle: resource")
    .Output("size: int32")
    .SetIsStateful()
    .SetShapeFn(ScalarShape)
    .Doc("How many elements a queue holds now.");

}  // namespace
}  // namespace minitf
