// Gradients of queues and readers: there are none, data begins here.
//
// Ops        minitf/ops/data/data_flow_ops.cc, minitf/ops/data/reader_ops.cc
// Compare    tensorflow/python/ops/data_flow_ops.py, io_ops.py
// Read next  minitf/gradients/add_gradients.cc

#include "minitf/framework/gradient.h"

namespace minitf {
namespace {

const GradientRegistrar kDataFlowWithoutGradient[] = {
    {"FIFOQueueV2", kNotDifferentiable},
    {"FixedLengthRecordReaderV2", kNotDifferentiable},
    {"IdentityReaderV2", kNotDifferentiable},
    {"PaddingFIFOQueueV2", kNotDifferentiable},
    {"PriorityQueueV2", kNotDifferentiable},
    {"QueueCloseV2", kNotDifferentiable},
    {"QueueDequeueManyV2", kNotDifferentiable},
    {"QueueDequeueUpToV2", kNotDifferentiable},
    {"QueueDequeueV2", kNotDifferentiable},
    {"QueueEnqueueManyV2", kNotDifferentiable},
    {"QueueEnqueueV2", kNotDifferentiable},
    {"QueueIsClosedV2", kNotDifferentiable},
    {"QueueSizeV2", kNotDifferentiable},
    {"RandomShuffleQueueV2", kNotDifferentiable},
    {"ReaderNumRecordsProducedV2", kNotDifferentiable},
    {"ReaderNumWorkUnitsCompletedV2", kNotDifferentiable},
    {"ReaderReadUpToV2", kNotDifferentiable},
    {"ReaderReadV2", kNotDifferentiable},
    {"ReaderResetV2", kNotDifferentiable},
    {"ReaderRestoreStateV2", kNotDifferentiable},
    {"ReaderSerializeStateV2", kNotDifferentiable},
    {"TFRecordReaderV2", kNotDifferentiable},
    {"TextLineReaderV2", kNotDifferentiable},
    {"WholeFileReaderV2", kNotDifferentiable},
};

}  // namespace
}  // namespace minitf
