// Conv2D on the CPU: the op, whatever tier computes it.
//
// Op         minitf/ops/nn/nn_ops.cc
// Compare    tensorflow/core/kernels/conv_ops.cc
// Read next  kernels/cpu/conv/choose_conv2d.cc

#include "kernels/cpu/conv/conv2d.h"

#include <array>
#include <memory>
#include <type_traits>

#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/common/epilogue.h"
#include "kernels/cpu/conv/nhwc.h"
#include "minitf/base/logging.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

void Log(const Conv2dGeometry& g, Conv2dTier tier) {
  VLOG(2) << "Conv2D: in_depth = " << g.c << ", patch_depth = " << g.c / g.groups
          << ", input_cols = " << g.w << ", filter_cols = " << g.s
          << ", input_rows = " << g.h << ", filter_rows = " << g.r
          << ", stride_rows = " << g.stride_h << ", stride_cols = " << g.stride_w
          << ", dilation_rows = " << g.dilation_h << ", dilation_cols = " << g.dilation_w
          << ", out_depth = " << g.k << ", tier = " << NameOf(tier);
}

// Conv2D, and _FusedConv2D if there is an epilogue. Sum is the type in which it is
// computed, whatever the tensors are made of.
template <typename Sum>
class Conv2DOp final : public OpKernel {
 public:
  Conv2DOp(OpKernelConstruction* construction, std::string_view tier, bool is_fused)
      : OpKernel(construction),
        attrs_(Conv2dAttrs::Of(construction->attrs())),
        tier_(tier),
        is_fused_(is_fused) {
    if (is_fused_) epilogue_ = Epilogue::Of(construction, DTypeOf<Sum>());
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [N,H,W,C], or [N,C,H,W]
    const Tensor& w = ctx->input(1);  // [R,S,C/G,K]
    const auto g = Conv2dGeometry::Of(x.shape(), w.shape(), attrs_);
    if (epilogue_.adds_bias()) {
      OP_REQUIRES_OK(ctx, Epilogue::CheckBias(ctx->input(2), g.k));
    }
    Tensor* y = nullptr;  // [N,P,Q,K], or [N,K,P,Q]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, g.output_shape().ToShape(), &y));
    if (y->num_elements() == 0) return;

    const Tensor images = ToNhwc(x, g.format);
    const Tensor filters = Widened(w);
    Tensor result = NhwcBuffer(*y, g.format);
    const Conv2dTier tier = ComputeConv2d(
        tier_, Conv2dPart::kForward, g, DTypeOf<Sum>(), ctx->threads(),
        [&](Conv2dTier tier) {
          ComputeRows(ctx, tier, g, images.flat<Sum>().data(), filters.flat<Sum>().data(),
                      result.mutable_flat<Sum>().data());
        });
    Log(g, tier);
    StoreNhwc(result, g.format, y);
  }

 private:
  void ComputeRows(OpKernelContext* ctx, Conv2dTier tier, const Conv2dGeometry& g,
                   const Sum* x, const Sum* w, Sum* y) const {
    RowsDone<Sum> rows_done;
    if (is_fused_) {
      const Sum* bias =  // [K]
          epilogue_.adds_bias() ? ctx->input(2).flat<Sum>().data() : nullptr;
      rows_done = [this, bias, k = g.k](Sum* rows, int64_t count) {
        epilogue_.Apply(bias, rows, count, k);
      };
    }
    constexpr std::array kFunctions = {Conv2dNaive<Sum>,       Conv2dEigen<Sum>,
                                       Conv2dIm2col<Sum>,      Conv2dImplicit<Sum>,
                                       Conv2dDirect<Sum>,      Conv2dWinograd<Sum>,
                                       Conv2dWinograd2x2<Sum>, Conv2dWinograd5x5<Sum>};
    kFunctions[static_cast<int>(tier)](g, x, w, y, ctx->threads(), rows_done);
  }

  const Conv2dAttrs attrs_;
  const std::string_view tier_;  // empty: the fastest
  const bool is_fused_;
  Epilogue epilogue_;
};

template <typename T>
void RegisterConv2d(const Kernel& kernel, std::string_view tier, bool is_fused) {
  KernelRegistrar(
      Kernel(kernel).Label(tier).Type<T>("T"), [=](OpKernelConstruction* construction) {
        return std::make_unique<Conv2DOp<SumType<T>>>(construction, tier, is_fused);
      });
}

const bool kConv2dRegistered = ForTypes(RealTypes{}, []<typename T>() {
  RegisterConv2d<T>(Kernel("Conv2D"), "", false);
  RegisterConv2d<T>(Kernel("Conv2D"), "autotune", false);
  for (const std::string_view tier : kConv2dTiers) {
    RegisterConv2d<T>(Kernel("Conv2D"), tier, false);
  }
  // Fused only where Sum is T: the epilogue reads the bias as a tensor of Sum.
  if constexpr (std::is_floating_point_v<T>) {
    RegisterConv2d<T>(Kernel("_FusedConv2D"), "", true);
  }
});

}  // namespace
}  // namespace minitf
