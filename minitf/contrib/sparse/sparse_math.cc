// Checked inputs and the order of elements, for the kernels of sparse arithmetic.

#include "minitf/contrib/sparse/sparse_math.h"

#include <algorithm>
#include <numeric>

#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

Tensor Widened(const Tensor& integers) {
  if (integers.dtype() == DType::kInt64) return integers;
  return Tensor::Of(integers.shape(), IntegersOf(integers));
}

}  // namespace

SparseParts CheckedSparse(OpKernelContext* ctx, int i) {
  SparseParts parts{Widened(ctx->input(i)), ctx->input(i + 1),
                    Widened(ctx->input(i + 2))};
  RequireSparse(parts);
  RequirePlacesWithin(parts);
  return parts;
}

std::span<const int64_t> PlaceAt(const Tensor& indices, int64_t i) {
  const auto rank = static_cast<size_t>(indices.dim(1));
  return indices.flat<int64_t>().subspan(static_cast<size_t>(i) * rank, rank);
}

std::strong_ordering ComparePlaces(std::span<const int64_t> a,
                                   std::span<const int64_t> b) {
  return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
}

std::vector<int64_t> RowMajorOrder(const Tensor& indices) {
  std::vector<int64_t> order(indices.dim(0));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::ranges::stable_sort(order, [&](int64_t i, int64_t j) {
    return ComparePlaces(PlaceAt(indices, i), PlaceAt(indices, j)) < 0;
  });
  return order;
}

std::vector<int64_t> DenseStrides(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * std::max<int64_t>(shape[axis], 1);
  }
  return strides;
}

int64_t OffsetOf(std::span<const int64_t> place, std::span<const int64_t> strides) {
  return std::inner_product(place.begin(), place.end(), strides.begin(), int64_t{0});
}

}  // namespace minitf
