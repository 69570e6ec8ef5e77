// Shapes of products.
//
// Exercise   exercises/02_registry

#include "minitf/framework/shapes/product_shapes.h"

#include <vector>

#include "minitf/base/lab.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {

PartialShape MatMulShape(const PartialShape& a, const PartialShape& b, bool transpose_a,
                         bool transpose_b) {
  // TODO(02.10) begin: return the shape; dim() of an unknown rank is unknown
  const int64_t m = a.dim(transpose_a ? 1 : 0);
  const int64_t a_inner = a.dim(transpose_a ? 0 : 1);
  const int64_t b_inner = b.dim(transpose_b ? 1 : 0);
  const int64_t n = b.dim(transpose_b ? 0 : 1);
  Require(a_inner == b_inner || a_inner == kUnknown || b_inner == kUnknown,
          "Matrix size-incompatible: In[0]: ", a, ", In[1]: ", b);
  return {m, n};
  // TODO(02.10) end
}

PartialShape BatchMatMulShape(PartialShape x, PartialShape y, bool adj_x, bool adj_y,
                              bool broadcasts) {
  Require((!x.has_rank() || x.rank() >= 2) && (!y.has_rank() || y.rank() >= 2),
          "x and y must have at least rank 2, x is ", x, ", y is ", y);
  if (!x.has_rank() && !y.has_rank()) return {};
  // TODO(02.10) begin: return the shape; MatMulShape knows about the last two axes
  if (!x.has_rank() || !y.has_rank()) {
    if (broadcasts) return {};
    // All axes in front are those of the other one.
    if (!x.has_rank()) x = PartialShape::OfRank(y.rank());
    if (!y.has_rank()) y = PartialShape::OfRank(x.rank());
  }
  const auto front = [](const PartialShape& shape) {
    return PartialShape(shape.sizes().first(shape.rank() - 2));
  };
  const auto matrix = [](const PartialShape& shape) {
    return PartialShape(shape.sizes().last(2));
  };
  try {
    const PartialShape batch = broadcasts ? BroadcastShapes(front(x), front(y))
                                          : front(x).MergedWith(front(y));
    const PartialShape product = MatMulShape(matrix(x), matrix(y), adj_x, adj_y);
    std::vector<int64_t> result = batch.ToVector();
    result.insert(result.end(), product.sizes().begin(), product.sizes().end());
    return PartialShape(result);
  } catch (const Error& error) {
    ThrowInvalidArgument(error.status().message(), "; x is ", x, ", y is ", y);
  }
  // TODO(02.10) end
}

}  // namespace minitf
