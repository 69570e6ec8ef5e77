// Array shapes: the same elements under another shape.
//
// Exercise   exercises/02_registry

#include <algorithm>

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
  // LAB(02.12) begin: throw if it cannot
  const int64_t known = x.num_elements();
  Require(known == kUnknown || known == count, "Input to reshape is a tensor with ",
          known, " values, but the requested shape has ", count);
  std::vector<int64_t> sizes = x.ToVector();
  if (std::erase(sizes, kUnknown) != 1 || std::ranges::count(sizes, 0) > 0) return;
  Require(count % Product(sizes) == 0, "Input to reshape is a tensor of shape ", x,
          ", but the requested shape has ", count, " values");
  // LAB(02.12) end
}

// Which of the sizes is -1, or -1 if none is. The others must be at least 0.
int64_t PlaceOfRest(const std::vector<int64_t>& sizes) {
  int64_t rest = -1;
  // LAB(02.12) begin: set it, or throw, naming a size and its place
  for (size_t i = 0; i < sizes.size(); ++i) {
    Require(sizes[i] >= -1, "Size ", i, " must be non-negative, not ", sizes[i]);
    if (sizes[i] != -1) continue;
    Require(rest < 0, "Only one input size may be -1, not both ", rest, " and ", i);
    rest = static_cast<int64_t>(i);
  }
  // LAB(02.12) end
  return rest;
}

// The size that -1 stands for, if the other sizes are `given`. x is known.
int64_t SizeOfRest(const PartialShape& x, std::vector<int64_t> given) {
  const int64_t count = x.num_elements();
  // LAB(02.12) begin: return it
  // Sizes of 0 on both sides stand for each other; what is left is divided. So [0,3]
  // becomes [0,-1] as [0,3].
  std::vector<int64_t> sizes = x.ToVector();
  const bool are_both_empty = count == 0 && std::ranges::count(given, 0) > 0;
  if (are_both_empty) {
    std::erase(sizes, 0);
    std::erase(given, 0);
  }
  const int64_t dividend = Product(sizes);
  const int64_t divisor = Product(given);
  Require(divisor > 0, "Input to reshape is a tensor with ", count,
          " values, but the requested shape has 0");
  Require(are_both_empty || dividend % divisor == 0, "Input to reshape is a tensor with ",
          count, " values, but the requested shape requires a multiple of ", divisor);
  return dividend / divisor;
  // LAB(02.12) end
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
