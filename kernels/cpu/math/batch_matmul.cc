// BatchMatMul on the CPU: one matrix product after another, or many at once.
//
// Many small products are handed to the threads whole; a few large ones are computed one
// after another, each by all threads.
//
// Op         minitf/ops/math/math_ops.cc
// Compare    tensorflow/core/kernels/batch_matmul_op_impl.h
// Read next  kernels/cpu/math/reduction.cc

#include <array>
#include <complex>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/cpu/common/broadcast_plan.h"
#include "kernels/cpu/cwise/cwise.h"
#include "kernels/cpu/gemm/matrix_product.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// All axes but the last two.
Shape BatchOf(const Tensor& x) { return Shape(x.shape().sizes().first(x.rank() - 2)); }

// The elements of x as they are multiplied: conjugated, if so asked, or as C.
template <typename T, typename C>
Tensor Prepared(OpKernelContext* ctx, const Tensor& x, bool conjugate) {
  Tensor result;
  if constexpr (!std::is_same_v<T, C>) {
    ThrowIfError(ctx->allocate_temp(DTypeOf<C>(), x.shape(), &result));
    const T* const from = x.flat<T>().data();
    C* const to = result.mutable_flat<C>().data();
    ctx->threads().ParallelFor(x.num_elements(), 1, [&](int64_t begin, int64_t end) {
      Widen(from + begin, to + begin, end - begin);
    });
    return result;
  } else if constexpr (kIsComplex<T>) {
    if (!conjugate) return x;
    ThrowIfError(ctx->allocate_temp(x.dtype(), x.shape(), &result));
    AsArray<T>(&result) = AsArray<T>(x).conjugate();
    return result;
  } else {
    return x;
  }
}

template <typename T>
class BatchMatMulOp final : public OpKernel {
 public:
  explicit BatchMatMulOp(OpKernelConstruction* construction)
      : OpKernel(construction), broadcasts_(construction->op().name != "BatchMatMul") {
    OP_REQUIRES_OK(construction, construction->GetAttr("adj_x", &adj_x_));
    OP_REQUIRES_OK(construction, construction->GetAttr("adj_y", &adj_y_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [..., m,k], or [..., k,m] if adj_x
    const Tensor& y = ctx->input(1);  // [..., k,n], or [..., n,k] if adj_y
    const auto [sizes, shape] = SizesAndOutputShape(x, y);
    Tensor* output = nullptr;  // [..., m,n]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    if (output->num_elements() == 0) return;

    if constexpr (kIsHalf<T>) {
      // Matrices become floats first: one can be part of many products. Not so where that
      // is not needed, and a product is large enough.
      constexpr int64_t kLarge = 16;
      if (std::is_same_v<T, bfloat16> && sizes.m >= kLarge && sizes.n >= kLarge &&
          IsComputedByPairs(sizes)) {
        return MultiplyAll<T>(ctx, sizes, x, y, output);
      }
      Tensor wide;
      OP_REQUIRES_OK(ctx, ctx->allocate_temp(DType::kFloat32, shape, &wide));
      MultiplyAll<float>(ctx, sizes, x, y, &wide);
      const float* const from = wide.flat<float>().data();
      T* const to = output->mutable_flat<T>().data();
      ctx->threads().ParallelFor(wide.num_elements(), 1, [&](int64_t begin, int64_t end) {
        Narrow(from + begin, to + begin, end - begin);
      });
    } else {
      MultiplyAll<T>(ctx, sizes, x, y, output);
    }
  }

 private:
  // Throws when the shapes do not fit.
  std::pair<ProductSizes, Shape> SizesAndOutputShape(const Tensor& x,
                                                     const Tensor& y) const {
    Require(x.rank() >= 2 && y.rank() >= 2, "x and y must have at least rank 2, x is ",
            x.shape(), ", y is ", y.shape());
    const auto from_end = [](const Tensor& t, int i) { return t.dim(t.rank() - i); };
    const ProductSizes sizes = {.m = from_end(x, adj_x_ ? 1 : 2),
                                .k = from_end(x, adj_x_ ? 2 : 1),
                                .n = from_end(y, adj_y_ ? 2 : 1),
                                .transpose_a = adj_x_,
                                .transpose_b = adj_y_};
    Require(sizes.k == from_end(y, adj_y_ ? 1 : 2), "Matrix size-incompatible: x is ",
            x.shape(), ", y is ", y.shape());
    Require(broadcasts_ || BatchOf(x) == BatchOf(y),
            "all axes but the last two must agree: x is ", x.shape(), ", y is ",
            y.shape());
    std::vector<int64_t> output = BroadcastShapes(BatchOf(x), BatchOf(y)).ToVector();
    output.push_back(sizes.m);
    output.push_back(sizes.n);
    return {sizes, Shape(output)};
  }

  // Batches broadcast as elements do: the plan is made for the shapes of the batches, and
  // an offset of it is the number of a matrix.
  // They are computed as products of C.
  template <typename C>
  void MultiplyAll(OpKernelContext* ctx, const ProductSizes& sizes, const Tensor& x,
                   const Tensor& y, Tensor* product) const {
    const Tensor a = Prepared<T, C>(ctx, x, adj_x_);
    const Tensor b = Prepared<T, C>(ctx, y, adj_y_);
    const std::array<Shape, 2> batches = {BatchOf(a), BatchOf(b)};
    const std::array<const Shape*, 2> pointers = {&batches[0], &batches[1]};
    const Shape batch = BatchOf(*product);
    const BroadcastPlan plan(batch, pointers);
    const C* a_elements = a.flat<C>().data();
    const C* b_elements = b.flat<C>().data();
    C* result = product->mutable_flat<C>().data();

    const auto multiply = [&](int64_t begin, int64_t end, ThreadPool* threads) {
      for (int64_t i = begin; i < end; ++i) {
        plan.ForEachRow(i, i + 1, [&](const auto& offsets, int64_t, int64_t) {
          MultiplyMatrices(sizes, a_elements + offsets[0] * sizes.m * sizes.k,
                           b_elements + offsets[1] * sizes.k * sizes.n,
                           result + i * sizes.m * sizes.n, threads);
        });
      }
    };
    // Threads are used at one level only: within each product when there are few, else
    // for different products, which needs no waiting between them.
    const int64_t count = batch.num_elements();
    if (count < ctx->threads().num_threads()) return multiply(0, count, &ctx->threads());
    ctx->threads().ParallelFor(
        count, sizes.m * sizes.k * sizes.n / 16 + 1,
        [&](int64_t begin, int64_t end) { multiply(begin, end, nullptr); });
  }

  const bool broadcasts_;
  bool adj_x_ = false;
  bool adj_y_ = false;
};

const bool kBatchMatmulRegistered =
    ForTypes(RealTypes{} + ComplexTypes{} + Types<int32_t, int64_t>{}, []<typename T>() {
      RegisterKernel<BatchMatMulOp<T>>(Kernel("BatchMatMul").Type<T>("T"));
      RegisterKernel<BatchMatMulOp<T>>(Kernel("BatchMatMulV2").Type<T>("T"));
    });

}  // namespace
}  // namespace minitf
