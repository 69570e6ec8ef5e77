// TopKV2, InTopK and InTopKV2 on the CPU.
//
// Op         minitf/ops/nn/activation_ops.cc
// Compare    tensorflow/core/kernels/topk_op.cc, in_topk_op.cc
// Read next  kernels/cpu/nn/lrn.cc

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/common/scalars.h"
#include "kernels/cpu/conv/nhwc.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

// Whether a stands before b among the largest. NaN counts as larger than any number, so
// that this is an order whatever the input.
template <typename T>
bool IsLarger(T a, T b) {
  return a > b || (a != a && b == b);
}

// The places of the k largest of `row`, the largest first; of equal ones the first. Only
// the first k have to be sorted: for C columns that takes C log k steps, not C log C.
// Comparing places where elements are equal makes the order of the result certain, which
// a sort of elements alone would leave open.
template <typename T>
void TopK(const T* row, int64_t columns, int64_t k, std::vector<int32_t>* places) {
  places->resize(columns);
  std::iota(places->begin(), places->end(), 0);
  std::partial_sort(places->begin(), places->begin() + k, places->end(),
                    [row](int32_t i, int32_t j) {
                      if (IsLarger(row[i], row[j])) return true;
                      return i < j && !IsLarger(row[j], row[i]);
                    });
}

template <typename T>
class TopKOp final : public OpKernel {
 public:
  explicit TopKOp(OpKernelConstruction* construction) : OpKernel(construction) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [...,C]
    Require(x.rank() >= 1, "input must have at least rank 1, is ", x.shape());
    const int64_t k = IntegerOf(ctx->host_input(1), "k");
    const int64_t columns = x.dim(x.rank() - 1);
    Require(k >= 0, "Need k >= 0, got ", k);
    Require(k <= columns, "input must have at least k columns. Had ", columns,
            ", needed ", k);
    std::vector<int64_t> sizes = x.shape().ToVector();
    sizes.back() = k;
    Tensor* values = nullptr;  // [...,k]
    Tensor* places = nullptr;  // [...,k]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, Shape(sizes), &values));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, Shape(sizes), &places));
    if (values->num_elements() == 0) return;

    using Sum = SumType<T>;
    const Tensor wide = Widened(x);
    const auto work = [&](int64_t begin, int64_t end) {
      std::vector<int32_t> order;
      for (int64_t row = begin; row < end; ++row) {
        TopK(wide.flat<Sum>().data() + row * columns, columns, k, &order);
        for (int64_t i = 0; i < k; ++i) {
          values->mutable_flat<T>()[row * k + i] = x.flat<T>()[row * columns + order[i]];
          places->mutable_flat<int32_t>()[row * k + i] = order[i];
        }
      }
    };
    ctx->threads().ParallelFor(x.num_elements() / columns, columns * 4, work);
  }
};

// Whether fewer than k predictions are above that of the target. A prediction that is not
// finite leaves it open, and so does a target out of range: then the answer is no.
template <typename Index>
bool IsInTopK(const float* row, int64_t classes, Index target, int64_t k) {
  if (target < 0 || target >= classes || !std::isfinite(row[target])) return false;
  int64_t above = 0;
  for (int64_t c = 0; c < classes; ++c) {
    if (!std::isfinite(row[c])) return false;
    if (row[c] > row[target]) ++above;
  }
  return above < k;
}

// With `k` as an attribute, or as the third input.
template <typename Index>
class InTopKOp final : public OpKernel {
 public:
  explicit InTopKOp(OpKernelConstruction* construction) : OpKernel(construction) {
    if (construction->num_inputs() > 2) return;
    OP_REQUIRES_OK(construction, construction->GetAttr("k", &k_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& predictions = ctx->input(0);  // [N,C]
    const Tensor& targets = ctx->input(1);      // [N]
    const int64_t k = ctx->num_inputs() > 2 ? IntegerOf(ctx->input(2), "k") : k_;
    Require(predictions.rank() == 2, "predictions must be 2-dimensional, are ",
            predictions.shape());
    Require(targets.rank() == 1 && targets.dim(0) == predictions.dim(0),
            "First dimension of predictions ", predictions.shape(),
            " must match length of targets ", targets.shape());
    Tensor* is_in = nullptr;  // [N]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, targets.shape(), &is_in));

    const int64_t classes = predictions.dim(1);
    for (int64_t i = 0; i < targets.dim(0); ++i) {
      is_in->mutable_flat<bool>()[i] =
          IsInTopK(predictions.flat<float>().data() + i * classes, classes,
                   targets.flat<Index>()[i], k);
    }
  }

 private:
  int64_t k_ = 0;
};

const bool kTopKRegistered = ForTypes(NhwcTypes{}, []<typename T>() {
  RegisterKernel<TopKOp<T>>(Kernel("TopKV2").HostMemory("k").Type<T>("T"));
});
const bool kInTopKRegistered = ForTypes(Types<int32_t, int64_t>{}, []<typename T>() {
  RegisterKernel<InTopKOp<T>>(Kernel("InTopK").Type<T>("T"));
  RegisterKernel<InTopKOp<T>>(Kernel("InTopKV2").Type<T>("T"));
});

}  // namespace
}  // namespace minitf
