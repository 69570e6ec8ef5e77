// Array shapes: the shape that comes of reshaping, joining, padding or repeating.
//
// A shape function asks these rules with what is known when a node is made, its kernel
// asks them again with the real shapes and values. So what could not be known then is
// checked in the step, by the same rule and with the same message.
//
// In every rule `x` is the shape of the input, and an argument that counts axes may be
// negative: -1 is the last one. All throw InvalidArgument when the arguments do not fit.
//
// Compare    tensorflow/core/ops/array_ops.cc, where kernels have checks of their own
// Read next  minitf/framework/shapes/product_shapes.h

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "minitf/tensor/shape.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

/// A shape with as many axes, of unknown sizes, as a list of `length` has elements;
/// nothing for a length that is not known. Throws InvalidArgument for more than 254, as
/// TensorFlow does.
PartialShape ShapeOfLength(int64_t length);

/// a + b, a * b, of numbers that are at least 0. Throws InvalidArgument when that is 2^63
/// or more.
int64_t CheckedSum(int64_t a, int64_t b);
int64_t CheckedProduct(int64_t a, int64_t b);

/// Reshape: the shape [sizes...], with one size that is -1 worked out from the number of
/// elements of x.
PartialShape ReshapedShape(const PartialShape& x, const std::vector<int64_t>& sizes);

/// Squeeze: x without its axes of size 1, or without `axes`, which must have size 1.
PartialShape SqueezedShape(const PartialShape& x, const std::vector<int64_t>& axes);

/// ExpandDims: x with a new axis of size 1, which becomes axis `axis` of the result.
PartialShape ExpandedShape(const PartialShape& x, int64_t axis);

/// `values` as a permutation of [0, rank).
std::vector<int> AsPermutation(const std::vector<int64_t>& values, int rank);

/// Transpose: axis i of the result is axis perm[i] of x.
PartialShape TransposedShape(const PartialShape& x, const std::vector<int64_t>& perm);

/// Concat: all of `xs` behind each other on `axis`; other sizes must agree.
PartialShape ConcatenatedShape(std::span<const PartialShape> xs, int64_t axis);

/// Pack: all of `xs`, which have one shape, on a new axis `axis`.
PartialShape PackedShape(std::span<const PartialShape> xs, int64_t axis);

/// SplitV: the sizes of the pieces of an axis of `size` (or kUnknown); one of
/// `piece_sizes` may be -1 and is what the others leave.
std::vector<int64_t> PieceSizes(int64_t size, std::vector<int64_t> piece_sizes);

/// Tile: axis i of x, multiples[i] times. The second form has multiples known in part.
PartialShape TiledShape(const PartialShape& x, const std::vector<int64_t>& multiples);
PartialShape TiledShape(const PartialShape& x, const PartialShape& multiples);

/// Slice: size[i] elements of axis i from begin[i] on; -1 for all the rest.
PartialShape SlicedShape(const PartialShape& x, const std::vector<int64_t>& begin,
                         const std::vector<int64_t>& size);

/// How many elements a padding adds to an axis.
struct AxisPadding {
  int64_t before;
  int64_t after;
};

/// The rows of a paddings tensor of shape [rank,2].
std::vector<AxisPadding> PaddingsOf(const Tensor& paddings);

/// Pad: paddings[i] more elements around axis i of x.
PartialShape PaddedShape(const PartialShape& x, const std::vector<AxisPadding>& paddings);

/// MirrorPad: as PaddedShape; no more elements may be asked for than there are to mirror,
/// without the border itself unless `repeats_border`.
PartialShape MirrorPaddedShape(const PartialShape& x,
                               const std::vector<AxisPadding>& paddings,
                               bool repeats_border);

/// SpaceToBatchND: the spatial axes 1, 2, ... of x are padded and divided by `blocks`,
/// the batch is multiplied by each. BatchToSpaceND is the way back, and crops.
PartialShape BlockedShape(const PartialShape& x, const std::vector<int64_t>& blocks,
                          const std::vector<AxisPadding>& paddings, bool to_batch);

/// Range: how many of the numbers start, start + delta, ... come before limit.
int64_t RangeSize(int64_t start, int64_t limit, int64_t delta);

/// The same for floats, worked out in their own type as TensorFlow does: in float32,
/// (0.3 - 0) / 0.1 is 3, and a little more in float64. T is a half, float or double.
template <typename T>
int64_t FloatRangeSize(T start, T limit, T delta);

}  // namespace minitf
