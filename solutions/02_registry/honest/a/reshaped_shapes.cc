// Array shapes: the same elements under another shape.
//
// Exercise   exercises/02_registry

#include <algorithm>

#include "minitf/base/lab.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/array_shapes.h"

namespace minitf {
namespace {

int64_t Product(const std::vector<int64_t>& sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) product = CheckedProduct(product, size);
  return product;
}

// Whether x may have `count` elements: if one size is unknown, the others must divide it.
void CheckReshapedCount(const PartialShape& x, int64_t count) {
  // TODO(02.12) begin: throw if it cannot
  if (x.IsFullyKnown()) {
    Require(x.num_elements() == count, "Cannot reshape a tensor with ", x.num_elements(),
            " elements, of shape ", x, ", to a shape of ", count, " elements");
    return;
  }
  if (!x.has_rank() || std::ranges::count(x.sizes(), kUnknown) > 1) return;
  std::vector<int64_t> known = x.ToVector();
  std::erase(known, kUnknown);
  if (std::ranges::count(known, 0) > 0) return;
  const int64_t factor = Product(known);
  Require(count % factor == 0, "Cannot reshape a tensor of shape ", x, " to a shape of ",
          count, " elements, which is no multiple of ", factor);
  // TODO(02.12) end
}

// Which of the sizes is -1, or -1 if none is. The others must be at least 0.
int64_t PlaceOfRest(const std::vector<int64_t>& sizes) {
  int64_t rest = -1;
  // TODO(02.12) begin: set it, or throw, naming a size and its place
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      Require(rest < 0, "Only one size may be -1, not both ", rest, " and ", i);
      rest = static_cast<int64_t>(i);
    } else {
      Require(sizes[i] >= 0, "Size ", i, " must not be negative, it is ", sizes[i]);
    }
  }
  // TODO(02.12) end
  return rest;
}

// The size that -1 stands for, if the other sizes are `given`. x is known.
int64_t SizeOfRest(const PartialShape& x, std::vector<int64_t> given) {
  const int64_t count = x.num_elements();
  // TODO(02.12) begin: return it
  const auto product_without_zeros = [](std::vector<int64_t> sizes) {
    std::erase(sizes, 0);
    return Product(sizes);
  };
  const int64_t divisor = product_without_zeros(given);
  const bool given_has_zero = std::ranges::count(given, 0) > 0;
  if (given_has_zero && count == 0) return product_without_zeros(x.ToVector()) / divisor;
  Require(!given_has_zero && count % divisor == 0, "Cannot reshape a tensor of shape ", x,
          ", with ", count, " elements: the other sizes [", PartialShape(given),
          "] need a multiple of ", given_has_zero ? 0 : divisor);
  return count / divisor;
  // TODO(02.12) end
}

}  // namespace

PartialShape ReshapedShape(const PartialShape& x, const std::vector<int64_t>& sizes) {
  const int64_t rest = PlaceOfRest(sizes);
  if (rest < 0) {
    CheckReshapedCount(x, Product(sizes));
    return PartialShape(sizes);
  }
  if (!x.IsFullyKnown()) return PartialShape(sizes);
  std::vector<int64_t> result = sizes;
  result.erase(result.begin() + rest);
  result.insert(result.begin() + rest, SizeOfRest(x, result));
  return PartialShape(result);
}

PartialShape SqueezedShape(const PartialShape& x, const std::vector<int64_t>& axes) {
  if (!x.has_rank()) return {};
  std::vector<bool> goes(x.rank(), false);
  for (const int64_t axis : axes) goes[NormalizedAxis(axis, x.rank())] = true;
  std::vector<int64_t> result;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const int64_t size = x.dim(axis);
    if (axes.empty()) {
      if (size == kUnknown) return {};  // may go or stay
      if (size != 1) result.push_back(size);
      continue;
    }
    Require(!goes[axis] || size == 1 || size == kUnknown, "Can not squeeze dim[", axis,
            "], expected a dimension of 1, got ", size);
    if (!goes[axis]) result.push_back(size);
  }
  return PartialShape(result);
}

PartialShape ExpandedShape(const PartialShape& x, int64_t axis) {
  if (!x.has_rank()) return {};
  const int64_t rank = x.rank();
  Require(-1 - rank <= axis && axis <= rank, "Tried to expand dim index ", axis,
          " for tensor with ", rank, " dimensions.");
  std::vector<int64_t> result = x.ToVector();
  result.insert(result.begin() + (axis < 0 ? axis + rank + 1 : axis), 1);
  return PartialShape(result);
}

}  // namespace minitf
