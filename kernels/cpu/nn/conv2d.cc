// Conv2D on the CPU: gather patches, then multiply matrices (im2col).
//
// From its place (p,q) the filter sees R * S * C numbers of the image. Write them as one
// row, all places of all images below each other, and the convolution is a product of
// matrices:
//
//   patches [N*P*Q, R*S*C]  *  filters [R*S*C, K]  =  result [N*P*Q, K]
//
// A pixel is copied once for every tap that sees it, R * S times at stride 1. That buys
// the speed of a blocked matrix product. The matrix of patches never exists as a whole:
// a block of its rows is gathered, multiplied while it is still in the cache, and
// forgotten.
//
// Op         minitf/ops/nn/nn_ops.cc
// Compare    tensorflow/core/kernels/conv_ops.cc
// Read next  kernels/cpu/nn/conv2d_direct.cc

#include "kernels/cpu/nn/conv2d.h"

#include <algorithm>
#include <memory>
#include <type_traits>

#include "kernels/cpu/common/eigen_view.h"
#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/common/epilogue.h"
#include "kernels/cpu/gemm/packed_product.h"
#include "kernels/cpu/nn/nhwc.h"
#include "kernels/cpu/nn/patches.h"
#include "minitf/base/logging.h"
#include "minitf/base/stop.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {

template <typename T>
void Conv2dByPatches(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                     ThreadPool& threads, const RowsDone<T>& rows_done) {
  const int64_t all_places = g.n * g.places();
  const int64_t patch_size = g.patch_size();
  if (patch_size == 0) {
    std::fill_n(y, all_places * g.k, T(0));
    if (rows_done) rows_done(y, all_places);
    return;
  }
  const StridedMatrix<T> filters = {w, g.k, 1};
  const int64_t block = PatchesAtATime<T>(g);

  // Each thread has its own places of the result and its own memory for patches, so the
  // threads share nothing that is written. `rows_done` gets the rows of a block while
  // they are in the cache: a bias that is added later would have to fetch them again.
  const auto work = [&](int64_t begin, int64_t end) {
    Matrix<T> scratch(PatchesArePixels(g) ? 0 : block, patch_size);
    for (int64_t first = begin; first < end; first += block) {
      StopIfAsked();
      const int64_t count = std::min(block, end - first);
      const T* patches = x + first * g.c;
      if (!PatchesArePixels(g)) {
        GatherPatches(g, x, first, first + count, scratch.data());
        patches = scratch.data();
      }
      const MatrixPanels<T> rows({patches, patch_size, 1}, !PatchesArePixels(g));
      MultiplyPacked<T>({count, patch_size, g.k}, rows, filters, y + first * g.k,
                        nullptr);
      if (rows_done) rows_done(y + first * g.k, count);
    }
  };
  threads.ParallelPieces(all_places, patch_size * g.k / 16, work);
}

template void Conv2dByPatches<float>(const Conv2dGeometry&, const float*, const float*,
                                     float*, ThreadPool&, const RowsDone<float>&);
template void Conv2dByPatches<double>(const Conv2dGeometry&, const double*, const double*,
                                      double*, ThreadPool&, const RowsDone<double>&);

namespace {

void Log(const Conv2dGeometry& g) {
  VLOG(2) << "Conv2D: in_depth = " << g.c << ", patch_depth = " << g.c / g.groups
          << ", input_cols = " << g.w << ", filter_cols = " << g.s
          << ", input_rows = " << g.h << ", filter_rows = " << g.r
          << ", stride_rows = " << g.stride_h << ", stride_cols = " << g.stride_w
          << ", dilation_rows = " << g.dilation_h << ", dilation_cols = " << g.dilation_w
          << ", out_depth = " << g.k;
}

// Conv2D, and _FusedConv2D if there is an epilogue. Sum is the type in which it is
// computed, whatever the tensors are made of.
template <typename Sum>
class Conv2DOp final : public OpKernel {
 public:
  Conv2DOp(OpKernelConstruction* construction, Conv2dAlgorithm algorithm, bool is_fused)
      : OpKernel(construction),
        attrs_(Conv2dAttrs::Of(construction->attrs())),
        algorithm_(algorithm),
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
    Log(g);
    if (y->num_elements() == 0) return;

    const Tensor images = ToNhwc(x, g.format);
    const Tensor filters = Widened(w);
    Tensor result = NhwcBuffer(*y, g.format);
    ComputeRows(ctx, g, images.flat<Sum>().data(), filters.flat<Sum>().data(),
                result.mutable_flat<Sum>().data());
    StoreNhwc(result, g.format, y);
  }

 private:
  void ComputeRows(OpKernelContext* ctx, const Conv2dGeometry& g, const Sum* x,
                   const Sum* w, Sum* y) const {
    RowsDone<Sum> rows_done;
    if (is_fused_) {
      const Sum* bias =  // [K]
          epilogue_.adds_bias() ? ctx->input(2).flat<Sum>().data() : nullptr;
      rows_done = [this, bias, k = g.k](Sum* rows, int64_t count) {
        epilogue_.Apply(bias, rows, count, k);
      };
    }
    if (ChooseConv2d(algorithm_, g) == Conv2dAlgorithm::kPatches) {
      return Conv2dByPatches<Sum>(g, x, w, y, ctx->threads(), rows_done);
    }
    Conv2dDirect<Sum>(g, x, w, y, ctx->threads());
    if (rows_done) rows_done(y, g.n * g.places());
  }

  const Conv2dAttrs attrs_;
  const Conv2dAlgorithm algorithm_;
  const bool is_fused_;
  Epilogue epilogue_;
};

template <typename T>
void RegisterConv2d(const Kernel& kernel, Conv2dAlgorithm algorithm, bool is_fused) {
  KernelRegistrar(Kernel(kernel).Type<T>("T"), [=](OpKernelConstruction* construction) {
    return std::make_unique<Conv2DOp<SumType<T>>>(construction, algorithm, is_fused);
  });
}

const bool kConv2dRegistered = ForTypes(RealTypes{}, []<typename T>() {
  constexpr auto patches = Conv2dAlgorithm::kPatches;
  RegisterConv2d<T>(Kernel("Conv2D"), patches, false);
  RegisterConv2d<T>(Kernel("Conv2D").Label("direct"), Conv2dAlgorithm::kDirect, false);
  // Fused only where Sum is T: the epilogue reads the bias as a tensor of Sum.
  if constexpr (std::is_floating_point_v<T>) {
    RegisterConv2d<T>(Kernel("_FusedConv2D"), patches, true);
  }
});

}  // namespace
}  // namespace minitf
