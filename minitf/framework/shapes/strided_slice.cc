// StridedSlice: from items between brackets to axes.

#include "minitf/framework/shapes/strided_slice.h"

#include <algorithm>

#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

bool HasBit(int64_t mask, size_t i) { return i < 64 && ((mask >> i) & 1) != 0; }

// One item between the brackets that takes an axis.
struct Item {
  std::optional<int64_t> begin;
  std::optional<int64_t> end;
  int64_t stride = 1;
  bool begin_left_out = true;
  bool end_left_out = true;
  bool is_index = false;
};

// `index` counted from the end if negative, and moved into [low, high].
int64_t Clamped(int64_t index, int64_t size, int64_t low, int64_t high) {
  return std::clamp(index < 0 ? index + size : index, low, high);
}

int64_t CountSteps(int64_t begin, int64_t end, int64_t stride) {
  const int64_t distance = end - begin;
  if (distance == 0 || (distance < 0) != (stride < 0)) return 0;
  return distance / stride + (distance % stride != 0 ? 1 : 0);
}

StridedSlicePlan::Axis PlanIndex(const Item& item, int axis, int64_t size) {
  Require(item.stride > 0, "only stride 1 allowed on non-range indexing.");
  if (!item.begin || size == kUnknown) return {0, 1, 1};
  const int64_t index = *item.begin < 0 ? *item.begin + size : *item.begin;
  Require(0 <= index && index < size, "slice index ", *item.begin, " of dimension ", axis,
          " out of bounds.");
  return {index, 1, 1};
}

StridedSlicePlan::Axis PlanAxis(const Item& item, int axis, int64_t size) {
  Require(item.stride != 0, "strides[", axis, "] must be non-zero");
  if (item.is_index) return PlanIndex(item, axis, size);
  const bool is_known = size != kUnknown && (item.begin || item.begin_left_out) &&
                        (item.end || item.end_left_out);
  if (!is_known) return {0, item.stride, kUnknown};
  // Forwards a slice may start and end anywhere in [0, size]; backwards it ends before
  // element 0 and starts at the last one at most.
  const bool forwards = item.stride > 0;
  const int64_t low = forwards ? 0 : -1;
  const int64_t high = forwards ? size : size - 1;
  const int64_t begin = item.begin_left_out ? (forwards ? low : high)
                                            : Clamped(*item.begin, size, low, high);
  const int64_t end =
      item.end_left_out ? (forwards ? high : low) : Clamped(*item.end, size, low, high);
  return {begin, item.stride, CountSteps(begin, end, item.stride)};
}

}  // namespace

StridedSliceMasks StridedSliceMasks::Of(const Attrs& attrs) {
  return {attrs.Get<int64_t>("begin_mask"), attrs.Get<int64_t>("end_mask"),
          attrs.Get<int64_t>("ellipsis_mask"), attrs.Get<int64_t>("new_axis_mask"),
          attrs.Get<int64_t>("shrink_axis_mask")};
}

StridedSlicePlan PlanStridedSlice(const PartialShape& x,
                                  const std::optional<std::vector<int64_t>>& begin,
                                  const std::optional<std::vector<int64_t>>& end,
                                  const std::vector<int64_t>& strides,
                                  const StridedSliceMasks& masks) {
  const size_t count = strides.size();
  const auto rank = static_cast<size_t>(x.rank());
  size_t named = 0;  // axes that have an item of their own
  size_t ellipses = 0;
  for (size_t i = 0; i < count; ++i) {
    if (HasBit(masks.ellipsis, i)) {
      ++ellipses;
    } else if (!HasBit(masks.new_axis, i)) {
      ++named;
    }
  }
  Require((masks.ellipsis & (masks.ellipsis - 1)) == 0,
          "Multiple ellipses in slice spec not allowed");
  Require(named <= rank, "Index out of range using input dim ", rank, "; input has only ",
          rank, " dims");

  StridedSlicePlan plan;
  std::vector<int64_t> result;
  const auto take = [&](const Item& item) {
    const auto axis = static_cast<int>(plan.axes.size());
    plan.axes.push_back(PlanAxis(item, axis, x.dim(axis)));
    if (!item.is_index) result.push_back(plan.axes.back().size);
  };
  const auto take_whole = [&](size_t axes) {
    for (size_t k = 0; k < axes; ++k) take(Item{});
  };
  for (size_t i = 0; i < count; ++i) {
    if (HasBit(masks.ellipsis, i)) {
      take_whole(rank - named);
    } else if (HasBit(masks.new_axis, i)) {
      result.push_back(1);
    } else {
      Item item;
      item.stride = strides[i];
      item.begin_left_out = HasBit(masks.begin, i);
      item.end_left_out = HasBit(masks.end, i);
      item.is_index = HasBit(masks.shrink_axis, i);
      if (begin) item.begin = (*begin)[i];
      if (end) item.end = (*end)[i];
      take(item);
    }
  }
  if (ellipses == 0) take_whole(rank - named);
  plan.result = PartialShape(result);
  return plan;
}

StridedSlicePlan PlanStridedSlice(const Shape& x, const Tensor& begin, const Tensor& end,
                                  const Tensor& strides, const StridedSliceMasks& masks) {
  const bool fit = begin.rank() == 1 && begin.shape() == end.shape() &&
                   begin.shape() == strides.shape();
  Require(fit, "begin, end and strides must be equally long vectors: ", begin.shape(),
          ", ", end.shape(), ", ", strides.shape());
  return PlanStridedSlice(x, IntegersOf(begin), IntegersOf(end), IntegersOf(strides),
                          masks);
}

// Without the strides nothing is known, as an item may run in either direction. A begin
// or an end that is not known leaves only its own axis open, and none if a mask says that
// it is left out.
PartialShape SlicedByInputs(InferenceContext* ctx, const PartialShape& x) {
  PartialShape items;
  for (int i = 1; i <= 3; ++i) {
    const PartialShape& shape = ctx->WithRank(i, 1, "begin, end or strides");
    Require(items.IsCompatibleWith(shape),
            "begin, end and strides must be equally long: ", ctx->input(1), ", ",
            ctx->input(2), ", ", ctx->input(3));
    items = items.MergedWith(shape);
  }
  const auto strides = KnownIntegers(ctx, 3);
  if (!x.has_rank() || !strides) return PartialShape();
  return PlanStridedSlice(x, KnownIntegers(ctx, 1), KnownIntegers(ctx, 2), *strides,
                          StridedSliceMasks::Of(ctx->attrs()))
      .result;
}

StridedLayout StridedSlicePlan::PartOf(const Shape& x) const {
  StridedLayout part(x);
  for (int k = 0; k < x.rank(); ++k) {
    part = part.Slice(k, axes[k].begin, axes[k].stride, axes[k].size);
  }
  return part;
}

}  // namespace minitf
