// MatMul on the CPU.
//
// A kernel that runs unless asked otherwise, and one for each tier (product_tiers.h), for
// reading, measuring and tests; the node's attribute _kernel asks for it by name.
//
// Op         minitf/ops/math/math_ops.cc
// Compare    tensorflow/core/kernels/matmul_op.cc
// Read next  kernels/cpu/gemm/matrix_product.cc

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string_view>

#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/gemm/product_tiers.h"
#include "minitf/base/logging.h"
#include "minitf/base/tier_note.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

/// What all MatMul kernels do: settings, sizes, output. Multiply is the work.
class MatMulBase : public OpKernel {
 public:
  explicit MatMulBase(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("transpose_a", &transpose_a_));
    OP_REQUIRES_OK(construction, construction->GetAttr("transpose_b", &transpose_b_));
  }

  void Compute(OpKernelContext* ctx) final {
    const Tensor& a = ctx->input(0);  // [m,k], or [k,m] if transpose_a
    const Tensor& b = ctx->input(1);  // [k,n], or [n,k] if transpose_b
    const ProductSizes sizes = SizesOfProduct(a, b, transpose_a_, transpose_b_);
    Tensor* product = nullptr;  // [m,n]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {sizes.m, sizes.n}, &product));
    VLOG(2) << "MatMul: m = " << sizes.m << ", k = " << sizes.k << ", n = " << sizes.n;
    Multiply(ctx, sizes, a, b, product);
  }

 protected:
  virtual void Multiply(OpKernelContext* ctx, const ProductSizes& sizes, const Tensor& a,
                        const Tensor& b, Tensor* product) = 0;

 private:
  bool transpose_a_ = false;
  bool transpose_b_ = false;
};

template <typename T>
class MatMulOp final : public MatMulBase {
 public:
  using MatMulBase::MatMulBase;

 private:
  void Multiply(OpKernelContext* ctx, const ProductSizes& sizes, const Tensor& a,
                const Tensor& b, Tensor* product) override {
    MultiplyMatrices(sizes, a.flat<T>().data(), b.flat<T>().data(),
                     product->mutable_flat<T>().data(), &ctx->threads());
  }
};

// For the label of a kernel: always by the same tier.
template <typename T>
class TierMatMulOp final : public MatMulBase {
 public:
  TierMatMulOp(OpKernelConstruction* construction, std::string_view tier)
      : MatMulBase(construction), tier_(tier), multiply_(FindMultiplier<T>(tier)) {}

 private:
  void Multiply(OpKernelContext* ctx, const ProductSizes& sizes, const Tensor& a,
                const Tensor& b, Tensor* product) override {
    T* const elements = product->mutable_flat<T>().data();
    if (sizes.k == 0) {
      std::fill_n(elements, product->num_elements(), T(0));
    } else if (product->num_elements() > 0) {
      NoteTier(tier_);
      multiply_(sizes, a.flat<T>().data(), b.flat<T>().data(), elements, &ctx->threads());
    }
  }

  const std::string_view tier_;
  const Multiplier<T> multiply_;
};

using MatMulTypes = decltype(RealTypes{} + ComplexTypes{} + Types<int32_t, int64_t>{});

template <typename T>
void RegisterTiers(std::initializer_list<const char*> tiers) {
  for (const char* tier : tiers) {
    KernelRegistrar(Kernel("MatMul").Type<T>("T").Label(tier),
                    [=](OpKernelConstruction* construction) {
                      return std::make_unique<TierMatMulOp<T>>(construction, tier);
                    });
  }
}

const bool kMatMulRegistered[] = {
    ForTypes(
        MatMulTypes{},
        []<typename T>() { RegisterKernel<MatMulOp<T>>(Kernel("MatMul").Type<T>("T")); }),
    ForTypes(Types<float, double>{},
             []<typename T>() {
               RegisterTiers<T>(
                   {"naive", "reordered", "tiled", "eigen", "packed", "autotune"});
             }),
    ForTypes(Types<bfloat16>{},
             []<typename T>() {
               RegisterTiers<T>({"widened", "pairs"});
             }),
};

}  // namespace
}  // namespace minitf
