// Reader ops: handles to readers, and reading records through them.
//
// Kernels    kernels/cpu/data/readers.cc
// Gradients  minitf/gradients/data/data_flow_grad.cc
// Compare    tensorflow/core/ops/io_ops.cc
// Read next  minitf/io/queues/queues.h

#include <string>

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// ---- Readers --------------------------------------------------------------------------

REGISTER_OP("IdentityReaderV2")
    .Output("reader_handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetIsHostOnly()
    .SetShapeFn(ScalarShape)
    .Doc("A reader whose records are the work items themselves, as key and as value.");

REGISTER_OP("WholeFileReaderV2")
    .Output("reader_handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetIsHostOnly()
    .SetShapeFn(ScalarShape)
    .Doc("A reader whose records are whole files; the key is the file's name.");

REGISTER_OP("TextLineReaderV2")
    .Output("reader_handle: resource")
    .Attr("skip_header_lines: int = 0")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetIsHostOnly()
    .SetShapeFn(ScalarShape)
    .Doc(
        "A reader whose records are the lines of files, without their ends; the key is "
        "'file:line'. The first `skip_header_lines` lines of each file are left out.");

REGISTER_OP("FixedLengthRecordReaderV2")
    .Output("reader_handle: resource")
    .Attr("header_bytes: int = 0")
    .Attr("record_bytes: int")
    .Attr("footer_bytes: int = 0")
    .Attr("hop_bytes: int = 0")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("encoding: string = ''")
    .SetIsStateful()
    .SetIsHostOnly()
    .SetShapeFn(ScalarShape)
    .Doc(
        "A reader whose records are `record_bytes` bytes of a file, between a header and "
        "a footer; the key is 'file:record'. Records begin `hop_bytes` apart, or follow "
        "each other if that is 0. `encoding` is '', 'ZLIB' or 'GZIP'.");

REGISTER_OP("TFRecordReaderV2")
    .Output("reader_handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("compression_type: string = ''")
    .SetIsStateful()
    .SetIsHostOnly()
    .SetShapeFn(ScalarShape)
    .Doc(
        "A reader of TFRecord files; the key is 'file:offset'. `compression_type` is '', "
        "'ZLIB' or 'GZIP'.");

// ---- Reading --------------------------------------------------------------------------

void CheckHandles(InferenceContext* ctx) {
  for (int i = 0; i < ctx->num_inputs(); ++i) {
    ctx->WithRank(i, 0, i == 0 ? "reader_handle" : i == 1 ? "input 1" : "num_records");
  }
}

REGISTER_OP("ReaderReadV2")
    .Input("reader_handle: resource")
    .Input("queue_handle: resource")
    .Output("key: string")
    .Output("value: string")
    .SetIsStateful()
    .SetShapeFn([](InferenceContext* ctx) {
      CheckHandles(ctx);
      ctx->set_output(0, PartialShape(Shape{}));
      ctx->set_output(1, PartialShape(Shape{}));
    })
    .Doc(
        "The next record of a reader, which takes work items, such as names of files, "
        "from a queue when it needs one. Waits for the queue.");

REGISTER_OP("ReaderReadUpToV2")
    .Input("reader_handle: resource")
    .Input("queue_handle: resource")
    .Input("num_records: int64")
    .Output("keys: string")
    .Output("values: string")
    .SetIsStateful()
    .SetShapeFn([](InferenceContext* ctx) {
      CheckHandles(ctx);
      ctx->set_output(0, PartialShape::OfRank(1));
      ctx->set_output(1, PartialShape::OfRank(1));
    })
    .Doc(
        "The next records of a reader, at least one and up to `num_records`, all of one "
        "work item.");

// ---- State ----------------------------------------------------------------------------

void AskShape(InferenceContext* ctx) {
  CheckHandles(ctx);
  ctx->set_output(0, PartialShape(Shape{}));
}

REGISTER_OP("ReaderNumRecordsProducedV2")
    .Input("reader_handle: resource")
    .Output("records_produced: int64")
    .SetIsStateful()
    .SetShapeFn(AskShape)
    .Doc("How many records a reader has read.");

REGISTER_OP("ReaderNumWorkUnitsCompletedV2")
    .Input("reader_handle: resource")
    .Output("units_completed: int64")
    .SetIsStateful()
    .SetShapeFn(AskShape)
    .Doc("How many work items a reader has read to their end.");

REGISTER_OP("ReaderSerializeStateV2")
    .Input("reader_handle: resource")
    .Output("state: string")
    .SetIsStateful()
    .SetShapeFn(AskShape)
    .Doc("Where a reader stands, as bytes. Not every reader can say.");

REGISTER_OP("ReaderRestoreStateV2")
    .Input("reader_handle: resource")
    .Input("state: string")
    .SetIsStateful()
    .SetShapeFn(CheckHandles)
    .Doc("Lets a reader go on where it stood when `state` was taken.");

REGISTER_OP("ReaderResetV2")
    .Input("reader_handle: resource")
    .SetIsStateful()
    .SetShapeFn(CheckHandles)
    .Doc("Lets a reader forget everything: it is as new.");

}  // namespace
}  // namespace minitf
