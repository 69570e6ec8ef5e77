// Array shapes: several tensors become one.
//
// Exercise   exercises/02_registry

#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/array_shapes.h"

namespace minitf {
namespace {

// `axis` of a shape that is joined to others, counted from its front.
int JoinedAxis(const PartialShape& shape, int64_t axis) {
  const int rank = shape.rank();
  Require(rank > 0, "scalars cannot be concatenated, pack them instead");
  Require(-rank <= axis && axis < rank,
          "ConcatOp : Expected concatenating dimensions in the range [", -rank, ", ",
          rank, "), but got ", axis);
  return NormalizedAxis(axis, rank);
}

}  // namespace

PartialShape ConcatenatedShape(std::span<const PartialShape> xs, int64_t axis) {
  PartialShape others;  // the sizes all must have, unknown at `axis`
  int64_t total = 0;    // along `axis`
  for (size_t i = 0; i < xs.size(); ++i) {
    bool fits = true;
    // LAB(02.11) begin: take in xs[i]: merge it into others, add to total, set fits
    if (xs[i].has_rank()) {
      std::vector<int64_t> sizes = xs[i].ToVector();
      int64_t& size = sizes[JoinedAxis(xs[i], axis)];
      const bool is_known = size != kUnknown && total != kUnknown;
      total = is_known ? CheckedSum(total, size) : kUnknown;
      size = kUnknown;
      const PartialShape rest(sizes);
      fits = others.IsCompatibleWith(rest);
      if (fits) others = others.MergedWith(rest);
    } else {
      total = kUnknown;
    }
    // LAB(02.11) end
    Require(fits, "ConcatOp : Dimensions of inputs should match: shape[0] = ", xs[0],
            " vs. shape[", i, "] = ", xs[i]);
  }
  if (!others.has_rank()) return {};
  std::vector<int64_t> result = others.ToVector();
  // LAB(02.11) begin: put in the total
  result[JoinedAxis(others, axis)] = total;
  // LAB(02.11) end
  return PartialShape(result);
}

PartialShape PackedShape(std::span<const PartialShape> xs, int64_t axis) {
  PartialShape one;
  for (size_t i = 0; i < xs.size(); ++i) {
    Require(one.IsCompatibleWith(xs[i]),
            "Shapes of all inputs must match: values[0].shape = ", xs[0], " != values[",
            i, "].shape = ", xs[i]);
    one = one.MergedWith(xs[i]);
  }
  if (!one.has_rank()) return {};
  const int rank = one.rank() + 1;
  Require(-rank <= axis && axis < rank, "axis = ", axis, " not in [", -rank, ", ", rank,
          ")");
  std::vector<int64_t> result = one.ToVector();
  // LAB(02.11) begin: put in the new axis
  result.insert(result.begin() + (axis < 0 ? axis + rank : axis),
                static_cast<int64_t>(xs.size()));
  // LAB(02.11) end
  return PartialShape(result);
}

}  // namespace minitf
