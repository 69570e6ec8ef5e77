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
  MINITF_TODO("02.10");
  // TODO(02.10) end
}

PartialShape BatchMatMulShape(PartialShape x, PartialShape y, bool adj_x, bool adj_y,
                              bool broadcasts) {
  Require((!x.has_rank() || x.rank() >= 2) && (!y.has_rank() || y.rank() >= 2),
          "x and y must have at least rank 2, x is ", x, ", y is ", y);
  if (!x.has_rank() && !y.has_rank()) return {};
  // TODO(02.10) begin: return the shape; MatMulShape knows about the last two axes
  MINITF_TODO("02.10");
  // TODO(02.10) end
}

}  // namespace minitf
