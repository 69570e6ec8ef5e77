// Array shapes: rules for orders, parts, repetition and borders, one function each.

#include "minitf/framework/shapes/array_shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "minitf/framework/shape_inference.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

// size * multiple, of which either may be unknown.
int64_t PartialProduct(int64_t size, int64_t multiple) {
  if (size == 0 || multiple == 0) return 0;
  if (size == kUnknown || multiple == kUnknown) return kUnknown;
  return CheckedProduct(size, multiple);
}

template <typename Number>
void CheckRange(Number start, Number limit, Number delta) {
  Require(delta != 0, "Requires delta != 0: ", delta);
  Require(delta > 0 ? start <= limit : limit <= start, "Requires start ",
          delta > 0 ? "<=" : ">=", " limit when delta ", delta > 0 ? ">" : "<",
          " 0: ", start, "/", limit);
}

// size * block - crop, or (size + padding) / block, where all is known.
int64_t SpatialSize(int64_t size, int64_t block, const AxisPadding& padding,
                    bool to_batch) {
  if (size == kUnknown) return kUnknown;
  if (!to_batch) {
    const int64_t whole = CheckedProduct(size, block);
    Require(padding.before <= whole && padding.after <= whole - padding.before, "crops ",
            padding.before, ", ", padding.after, " are more than the size ", whole);
    return whole - padding.before - padding.after;
  }
  const int64_t padded = PaddedShape({size}, {padding}).dim(0);
  Require(padded % block == 0, "the padded size ", padded, " is not divisible by ",
          block);
  return padded / block;
}

int64_t BatchSize(int64_t size, int64_t block, bool to_batch) {
  if (size == kUnknown) return kUnknown;
  if (to_batch) return CheckedProduct(size, block);
  Require(size % block == 0,
          "Input batch dimension is not divisible by product of block ", "sizes: ", size,
          " is left for ", block);
  return size / block;
}

}  // namespace

PartialShape ShapeOfLength(int64_t length) {
  constexpr int64_t kMostAxes = 254;
  if (length == kUnknown) return {};
  Require(length <= kMostAxes, "a tensor has at most ", kMostAxes, " axes, not ", length);
  return PartialShape::OfRank(static_cast<int>(length));
}

int64_t CheckedSum(int64_t a, int64_t b) {
  int64_t sum = 0;
  Require(!__builtin_add_overflow(a, b, &sum), a, " + ", b, " is 2^63 or more");
  return sum;
}

int64_t CheckedProduct(int64_t a, int64_t b) {
  int64_t product = 0;
  Require(!__builtin_mul_overflow(a, b, &product), a, " * ", b, " is 2^63 or more");
  return product;
}

std::vector<int> AsPermutation(const std::vector<int64_t>& values, int rank) {
  Require(static_cast<int>(values.size()) == rank, "transpose expects a vector of size ",
          rank, ". But input(1) is a vector of size ", values.size());
  std::vector<bool> seen(rank, false);
  std::vector<int> perm;
  for (const int64_t value : values) {
    Require(-rank <= value && value < rank, value, " is out of range [0 .. ", rank, ")");
    const auto axis = static_cast<int>(value < 0 ? value + rank : value);
    Require(!seen[axis], axis, " is duplicated in the permutation");
    seen[axis] = true;
    perm.push_back(axis);
  }
  return perm;
}

PartialShape TransposedShape(const PartialShape& x, const std::vector<int64_t>& perm) {
  const auto rank = x.has_rank() ? x.rank() : static_cast<int>(perm.size());
  std::vector<int64_t> result;
  for (const int axis : AsPermutation(perm, rank)) result.push_back(x.dim(axis));
  return PartialShape(result);
}

std::vector<int64_t> PieceSizes(int64_t size, std::vector<int64_t> piece_sizes) {
  int64_t rest = -1;
  int64_t total = 0;
  for (size_t i = 0; i < piece_sizes.size(); ++i) {
    if (piece_sizes[i] == -1) {
      Require(rest < 0, "There can only be one -1 in the input.");
      rest = static_cast<int64_t>(i);
      continue;
    }
    Require(piece_sizes[i] >= 0, "Split size at index ", i,
            " must be >= 0. Got: ", piece_sizes[i]);
    total = CheckedSum(total, piece_sizes[i]);
  }
  if (size == kUnknown) return piece_sizes;
  Require(rest >= 0 ? total <= size : total == size,
          "Determined shape must either match input shape along split_dim exactly if "
          "fully specified, or be less than the size of the input along split_dim if not "
          "fully specified.  Got: ",
          total, " of ", size);
  if (rest >= 0) piece_sizes[rest] = size - total;
  return piece_sizes;
}

PartialShape TiledShape(const PartialShape& x, const std::vector<int64_t>& multiples) {
  for (size_t axis = 0; axis < multiples.size(); ++axis) {
    Require(multiples[axis] >= 0, "Expected multiples[", axis, "] >= 0, but got ",
            multiples[axis]);
  }
  return TiledShape(x, PartialShape(multiples));
}

PartialShape TiledShape(const PartialShape& x, const PartialShape& multiples) {
  const int rank = multiples.rank();
  Require(!x.has_rank() || x.rank() == rank,
          "Expected multiples argument to be a vector of length ",
          x.has_rank() ? x.rank() : rank, " but got length ", rank);
  std::vector<int64_t> result;
  for (int axis = 0; axis < rank; ++axis) {
    result.push_back(PartialProduct(x.dim(axis), multiples.dim(axis)));
  }
  return PartialShape(result);
}

PartialShape SlicedShape(const PartialShape& x, const std::vector<int64_t>& begin,
                         const std::vector<int64_t>& size) {
  const auto rank = static_cast<int>(begin.size());
  Require(begin.size() == size.size() && (!x.has_rank() || x.rank() == rank),
          "Expected begin and size arguments to be 1-D tensors of size ",
          x.has_rank() ? x.rank() : rank, ", but got ", begin.size(), " and ",
          size.size(), " elements");
  std::vector<int64_t> result;
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t whole = x.dim(axis);
    const int64_t first = begin[axis];
    Require(first >= 0 && (whole == kUnknown || first <= whole), "Expected begin[", axis,
            "] in [0, ", whole, "], but got ", first);
    int64_t count = size[axis];
    if (count == -1) count = whole == kUnknown ? kUnknown : whole - first;
    const bool fits = count == kUnknown || whole == kUnknown || count <= whole - first;
    Require(size[axis] >= -1 && fits, "Expected size[", axis, "] in [0, ", whole - first,
            "], but got ", size[axis]);
    result.push_back(count);
  }
  return PartialShape(result);
}

std::vector<AxisPadding> PaddingsOf(const Tensor& paddings) {
  Require(paddings.rank() == 2 && paddings.dim(1) == 2,
          "paddings must be a matrix with 2 columns: ", paddings.shape());
  const std::vector<int64_t> values = IntegersOf(paddings);
  std::vector<AxisPadding> result;
  for (size_t i = 0; i < values.size(); i += 2) {
    Require(values[i] >= 0 && values[i + 1] >= 0,
            "Paddings must be non-negative: ", values[i], " ", values[i + 1]);
    result.push_back({values[i], values[i + 1]});
  }
  return result;
}

PartialShape PaddedShape(const PartialShape& x,
                         const std::vector<AxisPadding>& paddings) {
  const auto rank = static_cast<int>(paddings.size());
  Require(!x.has_rank() || x.rank() == rank,
          "The first dimension of paddings must be the rank of inputs[", rank, ",2] ", x);
  std::vector<int64_t> result;
  for (int axis = 0; axis < rank; ++axis) {
    const auto [before, after] = paddings[axis];
    const int64_t size = x.dim(axis);
    result.push_back(size == kUnknown ? kUnknown
                                      : CheckedSum(CheckedSum(size, before), after));
  }
  return PartialShape(result);
}

PartialShape BlockedShape(const PartialShape& x, const std::vector<int64_t>& blocks,
                          const std::vector<AxisPadding>& paddings, bool to_batch) {
  for (const int64_t block : blocks) {
    Require(block >= 1, "block_shape must be positive, holds ", block);
  }
  if (!x.has_rank()) return x;
  Require(static_cast<int>(blocks.size()) < x.rank() && paddings.size() == blocks.size(),
          "block_shape and paddings must have a row for each spatial axis of ", x,
          ", they have ", blocks.size(), " and ", paddings.size());
  std::vector<int64_t> sizes(x.sizes().begin(), x.sizes().end());
  for (size_t i = 0; i < blocks.size(); ++i) {
    sizes[0] = BatchSize(sizes[0], blocks[i], to_batch);
    sizes[i + 1] = SpatialSize(sizes[i + 1], blocks[i], paddings[i], to_batch);
  }
  return PartialShape(sizes);
}

PartialShape MirrorPaddedShape(const PartialShape& x,
                               const std::vector<AxisPadding>& paddings,
                               bool repeats_border) {
  PartialShape result = PaddedShape(x, paddings);
  for (int axis = 0; axis < result.rank(); ++axis) {
    if (x.dim(axis) == kUnknown) continue;
    const int64_t most = x.dim(axis) - (repeats_border ? 0 : 1);
    const auto [before, after] = paddings[axis];
    Require(before <= most && after <= most,
            "paddings must be no greater than the dimension size",
            repeats_border ? "" : " minus one", ": ", before, ", ", after,
            " greater than ", most);
  }
  return result;
}

int64_t RangeSize(int64_t start, int64_t limit, int64_t delta) {
  CheckRange(start, limit, delta);
  // Unsigned, because the distance of two int64s may be more than the largest of them.
  const auto low = static_cast<uint64_t>(std::min(start, limit));
  const uint64_t distance = static_cast<uint64_t>(std::max(start, limit)) - low;
  const uint64_t step = delta > 0 ? delta : -static_cast<uint64_t>(delta);
  const uint64_t count = distance / step + (distance % step != 0 ? 1 : 0);
  Require(count <= std::numeric_limits<int64_t>::max(), "Range has 2^63 or more numbers");
  return static_cast<int64_t>(count);
}

template <typename T>
int64_t FloatRangeSize(T start, T limit, T delta) {
  using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
  CheckRange<Wide>(Wide(start), Wide(limit), Wide(delta));
  const T distance = static_cast<T>(Wide(limit) - Wide(start));
  const T steps = static_cast<T>(Wide(distance) / Wide(delta));
  const double count = std::ceil(static_cast<double>(Wide(steps)));
  Require(count < 9.2e18, "Range has 2^63 or more numbers");
  return static_cast<int64_t>(count);
}

template int64_t FloatRangeSize(float16, float16, float16);
template int64_t FloatRangeSize(bfloat16, bfloat16, bfloat16);
template int64_t FloatRangeSize(float, float, float);
template int64_t FloatRangeSize(double, double, double);

}  // namespace minitf
