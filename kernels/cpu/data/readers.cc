// Readers on the CPU: the nodes that stand for readers, and those that read.
//
// A reader lives longer than a step, as its place in a file must be kept, and belongs to
// the node that makes it. The nodes that read take a handle to it, and hold no thread
// while the queue of their work items is empty.
//
// Op         minitf/ops/data/reader_ops.cc
// Compare    tensorflow/core/kernels/reader_ops.cc, tf_record_reader_op.cc
// Read next  minitf/io/records/record_file.h

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cpu/common/scalars.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/io/readers/file_readers.h"
#include "minitf/io/readers/reader_op_kernel.h"

namespace minitf {
namespace {

// ---- Making readers -------------------------------------------------------------------

// A reader that is made from nothing but its name.
template <typename Reader>
class PlainReaderOp final : public ReaderOpKernel {
 public:
  explicit PlainReaderOp(OpKernelConstruction* construction)
      : ReaderOpKernel(construction) {
    SetReaderFactory(
        [](const std::string& name) { return std::make_shared<Reader>(name); });
  }
};
REGISTER_KERNEL(Kernel("IdentityReaderV2").On(Device::kCpu),
                PlainReaderOp<IdentityReader>);
REGISTER_KERNEL(Kernel("WholeFileReaderV2").On(Device::kCpu),
                PlainReaderOp<WholeFileReader>);

class TextLineReaderOp final : public ReaderOpKernel {
 public:
  explicit TextLineReaderOp(OpKernelConstruction* construction)
      : ReaderOpKernel(construction) {
    const auto skipped = construction->attrs().Get<int64_t>("skip_header_lines");
    Require(skipped >= 0, "skip_header_lines must be >= 0 not ", skipped);
    SetReaderFactory([skipped](const std::string& name) {
      return std::make_shared<TextLineReader>(name, skipped);
    });
  }
};
REGISTER_KERNEL(Kernel("TextLineReaderV2").On(Device::kCpu), TextLineReaderOp);

class FixedLengthRecordReaderOp final : public ReaderOpKernel {
 public:
  explicit FixedLengthRecordReaderOp(OpKernelConstruction* construction)
      : ReaderOpKernel(construction) {
    const Attrs& attrs = construction->attrs();
    const RecordLayout layout = {
        attrs.Get<int64_t>("header_bytes"), attrs.Get<int64_t>("record_bytes"),
        attrs.Get<int64_t>("footer_bytes"), attrs.Get<int64_t>("hop_bytes")};
    const auto compression = CompressionFromName(attrs.Get<std::string>("encoding"));
    SetReaderFactory([=](const std::string& name) {
      return std::make_shared<FixedLengthRecordReader>(name, layout, compression);
    });
  }
};
REGISTER_KERNEL(Kernel("FixedLengthRecordReaderV2").On(Device::kCpu),
                FixedLengthRecordReaderOp);

class TFRecordReaderOp final : public ReaderOpKernel {
 public:
  explicit TFRecordReaderOp(OpKernelConstruction* construction)
      : ReaderOpKernel(construction) {
    const auto compression =
        CompressionFromName(construction->attrs().Get<std::string>("compression_type"));
    SetReaderFactory([compression](const std::string& name) {
      return std::make_shared<TFRecordReader>(name, compression);
    });
  }
};
REGISTER_KERNEL(Kernel("TFRecordReaderV2").On(Device::kCpu), TFRecordReaderOp);

// ---- Reading --------------------------------------------------------------------------

// A scalar that takes `text` over: a record may be a whole file.
Tensor StringScalar(std::string text) {
  Tensor scalar(DType::kString, Shape{});
  scalar.mutable_flat<std::string>()[0] = std::move(text);
  return scalar;
}

class ReaderReadOp final : public AsyncOpKernel {
 public:
  using AsyncOpKernel::AsyncOpKernel;

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    const auto reader = ctx->input_resource<ReaderInterface>(0);
    reader->ReadUpTo(
        1, ctx->input_resource<Queue>(1), ctx->cancellation(),
        [ctx, reader, done = std::move(done)](
            const Status& status, std::vector<ReaderInterface::Record> records) {
          ctx->SetStatus(status);
          if (status.ok()) {
            ctx->set_output(0, StringScalar(std::move(records[0].key)));
            ctx->set_output(1, StringScalar(std::move(records[0].value)));
          }
          done();
        });
  }
};
REGISTER_KERNEL(Kernel("ReaderReadV2").On(Device::kCpu), ReaderReadOp);

class ReaderReadUpToOp final : public AsyncOpKernel {
 public:
  using AsyncOpKernel::AsyncOpKernel;

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    const auto reader = ctx->input_resource<ReaderInterface>(0);
    const Tensor& count = ctx->input(2);
    RequireScalar(count, "num_records");
    reader->ReadUpTo(
        count.scalar<int64_t>(), ctx->input_resource<Queue>(1), ctx->cancellation(),
        [ctx, reader, done = std::move(done)](
            const Status& status, std::vector<ReaderInterface::Record> records) {
          ctx->SetStatus(status);
          if (status.ok()) SetOutputs(ctx, &records);
          done();
        });
  }

 private:
  static void SetOutputs(OpKernelContext* ctx,
                         std::vector<ReaderInterface::Record>* records) {
    const int64_t n = std::ssize(*records);
    Tensor keys(DType::kString, {n});
    Tensor values(DType::kString, {n});
    for (int64_t i = 0; i < n; ++i) {
      keys.mutable_flat<std::string>()[i] = std::move((*records)[i].key);
      values.mutable_flat<std::string>()[i] = std::move((*records)[i].value);
    }
    ctx->set_output(0, std::move(keys));
    ctx->set_output(1, std::move(values));
  }
};
REGISTER_KERNEL(Kernel("ReaderReadUpToV2").On(Device::kCpu), ReaderReadUpToOp);

// ---- State ----------------------------------------------------------------------------

// An op whose output is what `kFunction` of the reader returns.
template <auto kFunction>
class AskReaderOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const auto reader = ctx->input_resource<ReaderInterface>(0);
    ctx->set_output(0, Tensor::Scalar((reader.get()->*kFunction)()));
  }
};
REGISTER_KERNEL(Kernel("ReaderNumRecordsProducedV2").On(Device::kCpu),
                AskReaderOp<&ReaderInterface::NumRecordsProduced>);
REGISTER_KERNEL(Kernel("ReaderNumWorkUnitsCompletedV2").On(Device::kCpu),
                AskReaderOp<&ReaderInterface::NumWorkUnitsCompleted>);

class ReaderResetOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    ctx->input_resource<ReaderInterface>(0)->Reset();
  }
};
REGISTER_KERNEL(Kernel("ReaderResetV2").On(Device::kCpu), ReaderResetOp);

}  // namespace
}  // namespace minitf
