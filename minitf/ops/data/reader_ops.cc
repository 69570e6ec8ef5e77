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

constexpr char kContainer[] = "container: string = ''";
constexpr char kSharedName[] = "shared_name: string = ''";

// An op that gives a handle to a reader; `doc` says which.
OpDefBuilder ReaderOp(std::string_view name, const std::vector<std::string_view>& attrs,
                      std::string_view doc) {
  OpDefBuilder builder(name);
  builder.Output("reader_handle: resource");
  for (const std::string_view attr : attrs) builder.Attr(attr);
  return builder.SetIsStateful().SetIsHostOnly().SetShapeFn(ScalarShape).Doc(doc);
}

const OpRegistrar kReaderOps[] = {
    ReaderOp(
        "IdentityReaderV2", {kContainer, kSharedName},
        "A reader whose records are the work items themselves, as key and as value."),
    ReaderOp("WholeFileReaderV2", {kContainer, kSharedName},
             "A reader whose records are whole files; the key is the file's name."),
    ReaderOp(
        "TextLineReaderV2", {"skip_header_lines: int = 0", kContainer, kSharedName},
        "A reader whose records are the lines of files, without their ends; the key is "
        "'file:line'. The first `skip_header_lines` lines of each file are left out."),
    ReaderOp(
        "FixedLengthRecordReaderV2",
        {"header_bytes: int = 0", "record_bytes: int", "footer_bytes: int = 0",
         "hop_bytes: int = 0", kContainer, kSharedName, "encoding: string = ''"},
        "A reader whose records are `record_bytes` bytes of a file, between a header and "
        "a footer; the key is 'file:record'. Records begin `hop_bytes` apart, or follow "
        "each other if that is 0. `encoding` is '', 'ZLIB' or 'GZIP'."),
    ReaderOp("TFRecordReaderV2",
             {kContainer, kSharedName, "compression_type: string = ''"},
             "A reader of TFRecord files; the key is 'file:offset'. `compression_type` "
             "is '', 'ZLIB' or 'GZIP'."),
};

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

// An op that gives a scalar that a reader knows.
OpDefBuilder AskOp(std::string_view name, std::string_view output, std::string_view doc) {
  return OpDefBuilder(name)
      .Input("reader_handle: resource")
      .Output(output)
      .SetIsStateful()
      .SetShapeFn(AskShape)
      .Doc(doc);
}

const OpRegistrar kAskOps[] = {
    AskOp("ReaderNumRecordsProducedV2", "records_produced: int64",
          "How many records a reader has read."),
    AskOp("ReaderNumWorkUnitsCompletedV2", "units_completed: int64",
          "How many work items a reader has read to their end."),
};

REGISTER_OP("ReaderResetV2")
    .Input("reader_handle: resource")
    .SetIsStateful()
    .SetShapeFn(CheckHandles)
    .Doc("Lets a reader forget everything: it is as new.");

}  // namespace
}  // namespace minitf
