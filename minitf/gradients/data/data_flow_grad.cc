// Gradients of queues and readers: there are none, data begins here.
//
// Ops        minitf/ops/data/data_flow_ops.cc, minitf/ops/data/reader_ops.cc
// Compare    tensorflow/python/ops/data_flow_ops.py, io_ops.py
// Read next  minitf/gradients/add_gradients.cc

#include "minitf/framework/gradient.h"

namespace minitf {
namespace {

const NotDifferentiable kDataFlowWithoutGradient(
    "FIFOQueueV2", "FixedLengthRecordReaderV2", "IdentityReaderV2", "PaddingFIFOQueueV2",
    "PriorityQueueV2", "QueueCloseV2", "QueueDequeueManyV2", "QueueDequeueUpToV2",
    "QueueDequeueV2", "QueueEnqueueManyV2", "QueueEnqueueV2", "QueueIsClosedV2",
    "QueueSizeV2", "RandomShuffleQueueV2", "ReaderNumRecordsProducedV2",
    "ReaderNumWorkUnitsCompletedV2", "ReaderReadUpToV2", "ReaderReadV2", "ReaderResetV2",
    "TFRecordReaderV2", "TextLineReaderV2", "WholeFileReaderV2");

}  // namespace
}  // namespace minitf
