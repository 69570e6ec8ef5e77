// Sums of sparse tensors on the CPU, and the larger or smaller of two.
//
// Both tensors are walked in row-major order, as in a merge of two sorted lists.
//
// Op         minitf/contrib/sparse/sparse_math_ops.cc
// Compare    tensorflow/core/kernels/sparse_add_op.cc, sparse_add_grad_op.cc,
//            sparse_sparse_binary_op_shared.cc, sparse_tensor_dense_add_op.cc

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/cpu/common/scalars.h"
#include "minitf/base/text.h"
#include "minitf/contrib/sparse/sparse_math.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

constexpr int64_t kMissing = -1;

// An element of a or of b, or one of each at the same place.
struct Pair {
  int64_t a = kMissing;
  int64_t b = kMissing;
};

std::vector<Pair> Merged(const Tensor& a, const Tensor& b) {
  const std::vector<int64_t> of_a = RowMajorOrder(a);
  const std::vector<int64_t> of_b = RowMajorOrder(b);
  std::vector<Pair> pairs;
  size_t i = 0;
  size_t j = 0;
  while (i < of_a.size() && j < of_b.size()) {
    const auto order = ComparePlaces(PlaceAt(a, of_a[i]), PlaceAt(b, of_b[j]));
    Pair pair;
    if (order <= 0) pair.a = of_a[i++];
    if (order >= 0) pair.b = of_b[j++];
    pairs.push_back(pair);
  }
  for (; i < of_a.size(); ++i) pairs.push_back({of_a[i], kMissing});
  for (; j < of_b.size(); ++j) pairs.push_back({kMissing, of_b[j]});
  return pairs;
}

// The places of `pairs` as output 0.
void SetPlaces(OpKernelContext* ctx, const std::vector<Pair>& pairs, const Tensor& a,
               const Tensor& b) {
  Tensor* places = nullptr;
  OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {std::ssize(pairs), a.dim(1)}, &places));
  auto to = places->mutable_flat<int64_t>().begin();
  for (const Pair& pair : pairs) {
    const auto place = pair.a != kMissing ? PlaceAt(a, pair.a) : PlaceAt(b, pair.b);
    to = std::ranges::copy(place, to).out;
  }
}

void RequireSameShape(const SparseParts& a, const SparseParts& b) {
  const auto of_a = a.shape.flat<int64_t>();
  const auto of_b = b.shape.flat<int64_t>();
  Require(std::ranges::equal(of_a, of_b), "the shapes of a and b differ: [",
          minitf::Join(of_a, ","), "] and [", minitf::Join(of_b, ","), "]");
}

// Function of each pair as output 1; 0 stands for a missing element.
template <typename Function, typename T>
void SetValues(OpKernelContext* ctx, const std::vector<Pair>& pairs, const SparseParts& a,
               const SparseParts& b) {
  Tensor* values = nullptr;
  OP_REQUIRES_OK(ctx, ctx->allocate_output(1, {std::ssize(pairs)}, &values));
  const auto of_a = a.values.flat<T>();
  const auto of_b = b.values.flat<T>();
  const auto to = values->mutable_flat<T>();
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto& [in_a, in_b] = pairs[i];
    const T x = in_a != kMissing ? of_a[in_a] : T{};
    const T y = in_b != kMissing ? of_b[in_b] : T{};
    to[i] = Function::Apply(x, y);
  }
}

// ---- SparseAdd ------------------------------------------------------------------------

// Whether the magnitude of `x` is less than the scalar `thresh`.
template <typename T>
bool IsBelow(const T& x, const Tensor& thresh) {
  if constexpr (kIsComplex<T>) {
    return std::abs(x) < thresh.scalar<typename T::value_type>();
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    // The magnitude of the least integer is no T, but more than any threshold.
    const T limit = thresh.scalar<T>();
    return x < 0 ? x > -limit : x < limit;
  } else if constexpr (std::is_integral_v<T>) {
    return x < thresh.scalar<T>();
  } else {
    using C = ComputeType<T>;
    return std::abs(static_cast<C>(x)) < static_cast<C>(thresh.scalar<T>());
  }
}

class SparseAddOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const SparseParts a = CheckedSparse(ctx, 0);
    const SparseParts b = CheckedSparse(ctx, 3);
    RequireSameShape(a, b);
    RequireScalar(ctx->input(6), "thresh");
    VisitNumber(a.values.dtype(), [&]<typename T>() { Sum<T>(ctx, a, b); });
    ctx->set_output(2, a.shape);
  }

 private:
  template <typename T>
  static void Sum(OpKernelContext* ctx, const SparseParts& a, const SparseParts& b) {
    const Tensor& thresh = ctx->input(6);
    if constexpr (kIsComplex<T>) {
      RequireType<typename T::value_type>(thresh, a.values.dtype());
    } else {
      RequireType<T>(thresh, a.values.dtype());
    }
    std::vector<Pair> pairs = Merged(a.indices, b.indices);
    const auto of_a = a.values.flat<T>();
    const auto of_b = b.values.flat<T>();
    std::erase_if(pairs, [&](const Pair& pair) {
      return pair.a != kMissing && pair.b != kMissing &&
             IsBelow(SumOfTwo::Apply(of_a[pair.a], of_b[pair.b]), thresh);
    });
    SetPlaces(ctx, pairs, a.indices, b.indices);
    SetValues<SumOfTwo, T>(ctx, pairs, a, b);
  }

  template <typename Real>
  static void RequireType(const Tensor& thresh, DType values) {
    Require(thresh.dtype() == DTypeOf<Real>(), "thresh must be ", DTypeOf<Real>(),
            " for values of ", values, ", is ", thresh.dtype());
  }
};
REGISTER_KERNEL(Kernel("SparseAdd").On(Device::kCpu), SparseAddOp);

class SparseAddGradOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& dy = ctx->input(0);   // [n]
    const Tensor& sum = ctx->input(3);  // [n, rank]
    Require(dy.rank() == 1, "backprop_val_grad must be a vector, its shape is ",
            dy.shape());
    Require(sum.rank() == 2 && sum.dim(0) == dy.dim(0),
            "sum_indices must be a matrix of ", dy.dim(0), " rows, its shape is ",
            sum.shape());
    VisitNumber(dy.dtype(), [&]<typename T>() {
      SetGradient<T>(ctx, 0, "a_indices");
      SetGradient<T>(ctx, 1, "b_indices");
    });
  }

 private:
  // The gradient of the values of term i. A value that is not in the sum has none.
  template <typename T>
  static void SetGradient(OpKernelContext* ctx, int i, std::string_view name) {
    const auto dy = ctx->input(0).flat<T>();
    const Tensor& places = ctx->input(i + 1);
    const Tensor& sum = ctx->input(3);
    Require(places.rank() == 2 && places.dim(1) == sum.dim(1), name,
            " must be a matrix of ", sum.dim(1), " columns, its shape is ",
            places.shape());
    Tensor* dx = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(i, {places.dim(0)}, &dx));
    const auto to = dx->mutable_flat<T>();
    std::ranges::fill(to, T{});
    const std::vector<int64_t> order = RowMajorOrder(places);
    size_t next = 0;
    for (const int64_t k : RowMajorOrder(sum)) {
      const auto place = PlaceAt(sum, k);
      while (next < order.size() &&
             ComparePlaces(PlaceAt(places, order[next]), place) < 0) {
        ++next;
      }
      if (next == order.size()) break;
      if (ComparePlaces(PlaceAt(places, order[next]), place) == 0) {
        to[order[next++]] = dy[k];
      }
    }
  }
};
REGISTER_KERNEL(Kernel("SparseAddGrad").On(Device::kCpu), SparseAddGradOp);

// ---- The larger or smaller of two -----------------------------------------------------

template <typename Choice>
class SparseSparseOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const SparseParts a = CheckedSparse(ctx, 0);
    const SparseParts b = CheckedSparse(ctx, 3);
    RequireSameShape(a, b);
    const std::vector<Pair> pairs = Merged(a.indices, b.indices);
    VisitNumber(a.values.dtype(), [&]<typename T>() {
      if constexpr (requires(const T& x) { Choice::Apply(x, x); }) {
        SetValues<Choice, T>(ctx, pairs, a, b);
      } else {
        throw Error(errors::Unimplemented("not defined for ", a.values.dtype()));
      }
    });
    SetPlaces(ctx, pairs, a.indices, b.indices);
  }
};
REGISTER_KERNEL(Kernel("SparseSparseMaximum").On(Device::kCpu),
                SparseSparseOp<LargerOfTwo>);
REGISTER_KERNEL(Kernel("SparseSparseMinimum").On(Device::kCpu),
                SparseSparseOp<SmallerOfTwo>);

// ---- A sparse and a dense term --------------------------------------------------------

class SparseTensorDenseAddOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const SparseParts a = CheckedSparse(ctx, 0);
    const Tensor& b = ctx->input(3);
    const Shape shape(a.shape.flat<int64_t>());
    Require(shape == b.shape(), "the shapes of a and b differ: ", shape, " and ",
            b.shape());
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, b.shape(), &y));
    const std::vector<int64_t> strides = DenseStrides(shape.sizes());
    VisitNumber(b.dtype(), [&]<typename T>() {
      const auto to = y->mutable_flat<T>();
      std::ranges::copy(b.flat<T>(), to.begin());
      const auto values = a.values.flat<T>();
      for (int64_t i = 0; i < a.values.dim(0); ++i) {
        T& sum = to[OffsetOf(PlaceAt(a.indices, i), strides)];
        sum = WrapAdd(sum, values[i]);
      }
    });
  }
};
REGISTER_KERNEL(Kernel("SparseTensorDenseAdd").On(Device::kCpu), SparseTensorDenseAddOp);

}  // namespace
}  // namespace minitf
