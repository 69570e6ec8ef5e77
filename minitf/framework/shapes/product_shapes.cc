// Shapes of products.
//
// Exercise   exercises/02_registry

#include "minitf/framework/shapes/product_shapes.h"

#include <vector>

#include "minitf/framework/shape_inference.h"

namespace minitf {

PartialShape MatMulShape(const PartialShape& a, const PartialShape& b, bool transpose_a,
                         bool transpose_b) {
  // LAB(02.10) begin: return the shape; dim() of an unknown rank is unknown
  const int64_t a_inner = a.dim(transpose_a ? 0 : 1);
  const int64_t b_inner = b.dim(transpose_b ? 1 : 0);
  Require(a_inner == b_inner || a_inner == kUnknown || b_inner == kUnknown,
          "Matrix size-incompatible: a is ", a, ", b is ", b);
  return {a.dim(transpose_a ? 1 : 0), b.dim(transpose_b ? 0 : 1)};
  // LAB(02.10) end
}

PartialShape BatchMatMulShape(PartialShape x, PartialShape y, bool adj_x, bool adj_y,
                              bool broadcasts) {
  Require((!x.has_rank() || x.rank() >= 2) && (!y.has_rank() || y.rank() >= 2),
          "x and y must have at least rank 2, x is ", x, ", y is ", y);
  if (!x.has_rank() && !y.has_rank()) return {};
  // LAB(02.10) begin: return the shape; MatMulShape knows about the last two axes
  if (!x.has_rank() || !y.has_rank()) {
    if (broadcasts) return {};
    (x.has_rank() ? y : x) = PartialShape::OfRank(x.has_rank() ? x.rank() : y.rank());
  }
  const auto batch = [](const PartialShape& shape) {
    return PartialShape(shape.sizes().first(shape.rank() - 2));
  };
  const auto matrix = [](const PartialShape& shape) {
    return PartialShape(shape.sizes().last(2));
  };
  std::vector<int64_t> sizes;
  try {
    const PartialShape product = MatMulShape(matrix(x), matrix(y), adj_x, adj_y);
    const PartialShape front =
        broadcasts ? BroadcastShapes(batch(x), batch(y)) : batch(x).MergedWith(batch(y));
    sizes = front.ToVector();
    sizes.insert(sizes.end(), product.sizes().begin(), product.sizes().end());
  } catch (const Error& error) {  // which names the axes that differ
    ThrowInvalidArgument(error.status().message(), "; x is ", x, ", y is ", y);
  }
  return PartialShape(sizes);
  // LAB(02.10) end
}

}  // namespace minitf
