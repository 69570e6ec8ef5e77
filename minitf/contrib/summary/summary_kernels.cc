// Summaries of numbers and tensors.
//
// Op         minitf/contrib/summary/summary_ops.cc
// Compare    tensorflow/core/kernels/summary_op.cc, summary_tensor_op.cc
// Read next  minitf/contrib/summary/summary_media.cc

#include <cmath>
#include <string>

#include "kernels/cpu/common/element_types.h"
#include "minitf/contrib/summary/summary_builder.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

void SetSummary(OpKernelContext* ctx, const SummaryBuilder& summary) {
  ctx->set_output(0, Tensor::Scalar(summary.ToBytes()));
}

// " (tag 'loss')" for a message, if there is a single one.
std::string SingleTag(const Tensor& tags) {
  return tags.num_elements() == 1 ? StrCat(" (tag '", tags.flat<std::string>()[0], "')")
                                  : "";
}

template <typename T>
class ScalarSummaryOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& tags = ctx->input(0);
    const Tensor& values = ctx->input(1);  // of the same shape, or both a single one
    const bool are_single = tags.num_elements() == 1 && values.num_elements() == 1;
    OP_REQUIRES(
        ctx, tags.shape() == values.shape() || are_single,
        errors::InvalidArgument("tags and values are not the same shape: ", tags.shape(),
                                " != ", values.shape(), SingleTag(tags)));
    SummaryBuilder summary;
    for (int64_t i = 0; i < values.num_elements(); ++i) {
      summary.AddScalar(tags.flat<std::string>()[i],
                        static_cast<float>(values.flat<T>()[i]));
    }
    SetSummary(ctx, summary);
  }
};

template <typename T>
class HistogramSummaryOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& tag = ctx->input(0);
    OP_REQUIRES(ctx, tag.rank() == 0, errors::InvalidArgument("tag must be scalar"));
    Histogram histogram;
    for (const T& element : ctx->input(1).flat<T>()) {
      const auto value = static_cast<double>(element);
      OP_REQUIRES(ctx, std::isfinite(value),
                  errors::InvalidArgument(
                      std::isnan(value) ? "Nan" : "Infinity",
                      " in summary histogram for: ", tag.scalar<std::string>()));
      histogram.Add(value);
    }
    SummaryBuilder summary;
    summary.AddHistogram(tag.scalar<std::string>(), histogram);
    SetSummary(ctx, summary);
  }
};

class TensorSummaryOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    for (const int i : {0, 2}) {
      OP_REQUIRES(ctx, ctx->input(i).rank() == 0,
                  errors::InvalidArgument(i == 0 ? "tag" : "serialized_summary_metadata",
                                          " must be scalar"));
    }
    SummaryBuilder summary;
    summary.AddTensor(ctx->input(0).scalar<std::string>(), ctx->input(1),
                      ctx->input(2).scalar<std::string>());
    SetSummary(ctx, summary);
  }
};
REGISTER_KERNEL(Kernel("TensorSummaryV2").On(Device::kCpu), TensorSummaryOp);

class MergeSummaryOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    SummaryBuilder summary;
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      for (const std::string& bytes : ctx->input(i).flat<std::string>()) {
        summary.Merge(bytes);
      }
    }
    SetSummary(ctx, summary);
  }
};
REGISTER_KERNEL(Kernel("MergeSummary").On(Device::kCpu), MergeSummaryOp);

const bool kSummaryRegistered = ForTypes(OrderedTypes{}, []<typename T>() {
  RegisterKernel<ScalarSummaryOp<T>>(Kernel("ScalarSummary").Type<T>("T"));
  RegisterKernel<HistogramSummaryOp<T>>(Kernel("HistogramSummary").Type<T>("T"));
});

}  // namespace
}  // namespace minitf
