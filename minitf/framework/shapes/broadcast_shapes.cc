// BroadcastShapes: the shape of what is computed from two tensors, element by element.
//
// Exercise   exercises/01_tensor
// Compare    tensorflow/core/framework/common_shape_fns.h, BroadcastBinaryOpShapeFn

#include <algorithm>
#include <vector>

#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// Whether two sizes of one axis broadcast, or may do so once both are known.
bool Fit(int64_t x, int64_t y) {
  // LAB(01.8) begin: return whether they do
  return x == y || x == 1 || y == 1 || x == kUnknown || y == kUnknown;
  // LAB(01.8) end
}

// The size that two sizes of one axis broadcast to; kUnknown if that is not certain.
// Beside a 0, as beside a 1, an unknown size leaves it open, as in TensorFlow.
int64_t BroadcastSize(int64_t x, int64_t y) {
  // LAB(01.8) begin: return it; x and y fit
  if (x == 1) return y;
  if (y == 1 || x == y) return x;
  // One of the two is unknown: it is 1, or equals the other if that is more than 1.
  const int64_t known = std::max(x, y);
  return known > 1 ? known : kUnknown;
  // LAB(01.8) end
}

}  // namespace

PartialShape BroadcastShapes(const PartialShape& x, const PartialShape& y) {
  if (!x.has_rank() || !y.has_rank()) return {};
  std::vector<int64_t> sizes(std::max(x.rank(), y.rank()));
  bool fit = true;
  // LAB(01.8) begin: set every size, or `fit` to false
  const int rank = static_cast<int>(sizes.size());
  for (int from_end = 1; from_end <= rank; ++from_end) {
    const int64_t x_size = from_end <= x.rank() ? x.dim(-from_end) : 1;
    const int64_t y_size = from_end <= y.rank() ? y.dim(-from_end) : 1;
    fit &= Fit(x_size, y_size);
    sizes[rank - from_end] = BroadcastSize(x_size, y_size);
  }
  // LAB(01.8) end
  Require(fit, "Incompatible shapes: ", x, " vs. ", y);
  return PartialShape(sizes);
}

Shape BroadcastShapes(const Shape& x, const Shape& y) {
  if (x == y) return x;
  return BroadcastShapes(PartialShape(x), PartialShape(y)).ToShape();
}

}  // namespace minitf
