// BroadcastShapes: the shape of what is computed from two tensors, element by element.
//
// Exercise   exercises/01_tensor
// Compare    tensorflow/core/framework/common_shape_fns.h, BroadcastBinaryOpShapeFn

#include <algorithm>
#include <vector>

#include "minitf/base/lab.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// Whether two sizes of one axis broadcast, or may do so once both are known.
bool Fit(int64_t x, int64_t y) {
  // TODO(01.8) begin: return whether they do
  MINITF_TODO("01.8");
  // TODO(01.8) end
}

// The size that two sizes of one axis broadcast to; kUnknown if that is not certain.
// Beside a 0, as beside a 1, an unknown size leaves it open, as in TensorFlow.
int64_t BroadcastSize(int64_t x, int64_t y) {
  // TODO(01.8) begin: return it; x and y fit
  MINITF_TODO("01.8");
  // TODO(01.8) end
}

}  // namespace

PartialShape BroadcastShapes(const PartialShape& x, const PartialShape& y) {
  if (!x.has_rank() || !y.has_rank()) return {};
  std::vector<int64_t> sizes(std::max(x.rank(), y.rank()));
  bool fit = true;
  // TODO(01.8) begin: set every size, or `fit` to false
  MINITF_TODO("01.8");
  // TODO(01.8) end
  Require(fit, "Incompatible shapes: ", x, " vs. ", y);
  return PartialShape(sizes);
}

Shape BroadcastShapes(const Shape& x, const Shape& y) {
  if (x == y) return x;
  return BroadcastShapes(PartialShape(x), PartialShape(y)).ToShape();
}

}  // namespace minitf
