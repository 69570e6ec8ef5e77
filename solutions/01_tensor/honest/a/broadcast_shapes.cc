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
  return x == y || x == 1 || y == 1 || x == kUnknown || y == kUnknown;
  // TODO(01.8) end
}

// The size that two sizes of one axis broadcast to; kUnknown if that is not certain.
// Beside a 0, as beside a 1, an unknown size leaves it open, as in TensorFlow.
int64_t BroadcastSize(int64_t x, int64_t y) {
  // TODO(01.8) begin: return it; x and y fit
  if (x == 1) return y;
  if (y == 1) return x;
  if (x == y) return x;
  const int64_t known = std::max(x, y);  // the other one is not
  return known > 1 ? known : kUnknown;
  // TODO(01.8) end
}

}  // namespace

PartialShape BroadcastShapes(const PartialShape& x, const PartialShape& y) {
  if (!x.has_rank() || !y.has_rank()) return {};
  std::vector<int64_t> sizes(std::max(x.rank(), y.rank()));
  bool fit = true;
  // TODO(01.8) begin: set every size, or `fit` to false
  const int rank = static_cast<int>(sizes.size());
  for (int back = 1; back <= rank; ++back) {
    const int64_t a = back <= x.rank() ? x.dim(-back) : 1;
    const int64_t b = back <= y.rank() ? y.dim(-back) : 1;
    if (Fit(a, b)) {
      sizes[rank - back] = BroadcastSize(a, b);
    } else {
      fit = false;
    }
  }
  // TODO(01.8) end
  Require(fit, "Incompatible shapes: ", x, " vs. ", y);
  return PartialShape(sizes);
}

Shape BroadcastShapes(const Shape& x, const Shape& y) {
  if (x == y) return x;
  return BroadcastShapes(PartialShape(x), PartialShape(y)).ToShape();
}

}  // namespace minitf
