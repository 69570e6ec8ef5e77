// The CPU kernel of _FusedMatMul: blocks of rows are multiplied, then finished.
//
// A product that fits the second cache is one block. Of a larger one, a block is as many
// rows as fit; each block packs b anew, so it has at least kMinRows of them.
//
// Op         minitf/ops/step/fused_ops.cc
// Compare    tensorflow/core/kernels/matmul_op_fused.cc
// Read next  kernels/cpu/cwise/fused_elementwise.cc

#include <algorithm>

#include "kernels/cpu/common/epilogue.h"
#include "kernels/cpu/gemm/matrix_product.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

constexpr int64_t kBlockBytes = 1 << 20;
constexpr int64_t kMinRows = 256;

template <typename T>
class FusedMatMulOp final : public OpKernel {
 public:
  explicit FusedMatMulOp(OpKernelConstruction* construction)
      : OpKernel(construction), epilogue_(Epilogue::Of(construction, DTypeOf<T>())) {
    OP_REQUIRES_OK(construction, construction->GetAttr("transpose_a", &transpose_a_));
    OP_REQUIRES_OK(construction, construction->GetAttr("transpose_b", &transpose_b_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& a = ctx->input(0);  // [m,k], or [k,m] if transpose_a
    const Tensor& b = ctx->input(1);  // [k,n], or [n,k] if transpose_b
    const ProductSizes sizes = SizesOfProduct(a, b, transpose_a_, transpose_b_);
    const T* bias = nullptr;  // [n]
    if (epilogue_.adds_bias()) {
      OP_REQUIRES_OK(ctx, Epilogue::CheckBias(ctx->input(2), sizes.n));
      bias = ctx->input(2).flat<T>().data();
    }
    Tensor* product = nullptr;  // [m,n]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {sizes.m, sizes.n}, &product));

    if (product->num_elements() == 0) return;
    MultiplyBlocks(sizes, a.flat<T>().data(), b.flat<T>().data(), bias,
                   product->mutable_flat<T>().data(), ctx->threads());
  }

 private:
  void MultiplyBlocks(const ProductSizes& sizes, const T* a, const T* b, const T* bias,
                      T* product, ThreadPool& threads) const {
    // Rows of a transposed matrix do not lie together.
    const auto bytes_of_row = sizes.n * static_cast<int64_t>(sizeof(T));
    const int64_t block =
        sizes.transpose_a ? sizes.m : std::max(kMinRows, kBlockBytes / bytes_of_row);
    for (int64_t first = 0; first < sizes.m; first += block) {
      ProductSizes part = sizes;
      part.m = std::min(block, sizes.m - first);
      T* rows = product + first * sizes.n;
      MultiplyMatrices(part, a + first * sizes.k, b, rows, &threads);
      threads.ParallelFor(part.m, sizes.n / 4 + 1, [&](int64_t begin, int64_t end) {
        epilogue_.Apply(bias, rows + begin * sizes.n, end - begin, sizes.n);
      });
    }
  }

  const Epilogue epilogue_;
  bool transpose_a_ = false;
  bool transpose_b_ = false;
};

REGISTER_KERNEL(Kernel("_FusedMatMul").Type<float>("T"), FusedMatMulOp<float>);
REGISTER_KERNEL(Kernel("_FusedMatMul").Type<double>("T"), FusedMatMulOp<double>);

}  // namespace
}  // namespace minitf
