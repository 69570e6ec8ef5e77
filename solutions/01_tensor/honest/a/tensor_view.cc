// Strides: what each way to look at a tensor does to them.
//
// A tensor without elements may have axes of any size beside the one of size 0, so their
// products are never formed.
//
// Exercise   exercises/01_tensor

#include "minitf/tensor/tensor_view.h"

#include <algorithm>

#include "minitf/base/lab.h"
#include "minitf/base/text.h"
#include "minitf/tensor/copy_elements.h"

namespace minitf {
namespace {

// Goes through the indices of a layout, the last axis fastest, and keeps the place.
class PlaceIterator {
 public:
  explicit PlaceIterator(const StridedLayout& layout)
      : layout_(layout), index_(layout.rank()), place_(layout.offset()) {}

  int64_t place() const { return place_; }

  // After the last index comes the first one again.
  void Next() {
    // TODO(01.7) begin: move index_ on by one, and place_ along with it
    for (int axis = layout_.rank() - 1; axis >= 0; --axis) {
      const int64_t size = layout_.sizes()[axis];
      const int64_t stride = layout_.strides()[axis];
      if (index_[axis] + 1 < size) {
        ++index_[axis];
        place_ += stride;
        return;
      }
      place_ -= index_[axis] * stride;
      index_[axis] = 0;
    }
    // TODO(01.7) end
  }

 private:
  const StridedLayout& layout_;
  std::vector<int64_t> index_;
  int64_t place_;
};

struct Run {
  int64_t size;
  int64_t stride;
};

// The axes of a view with elements, outermost first, in as few runs as possible: going
// through the indices of the runs meets the same places in the same order. Axes of size 1
// are in none.
std::vector<Run> RunsOf(std::span<const int64_t> sizes,
                        std::span<const int64_t> strides) {
  std::vector<Run> runs;
  // TODO(01.6) begin: add a run for each axis, or make the last run longer
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    const int64_t size = sizes[axis];
    const int64_t stride = strides[axis];
    if (size == 1) continue;
    // A step of the run so far is a walk along this whole axis. No product is formed.
    if (!runs.empty() && runs.back().stride % size == 0 &&
        runs.back().stride / size == stride) {
      runs.back().size *= size;
      runs.back().stride = stride;
    } else {
      runs.push_back({size, stride});
    }
  }
  // TODO(01.6) end
  return runs;
}

// Writes the strides of a tensor of `shape`, as many as it has axes.
void WriteRowMajor(const Shape& shape, int64_t* strides) {
  // TODO(01.1) begin: set strides[axis] for every axis
  if (shape.num_elements() == 0) {
    std::fill_n(strides, shape.rank(), 0);
    return;
  }
  int64_t step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[axis] = step;
    step *= shape.dim(axis);
  }
  // TODO(01.1) end
}

// How many axes axes of `sizes` get when they are expanded to `shape`. Throws unless they
// can be.
int AddedAxes(std::span<const int64_t> sizes, const Shape& shape) {
  // TODO(01.4) begin: return how many; where that cannot be, go on to the error
  const int added = shape.rank() - static_cast<int>(sizes.size());
  bool can = added >= 0;
  for (size_t axis = 0; can && axis < sizes.size(); ++axis) {
    const int64_t wanted = shape.sizes()[added + axis];
    can = sizes[axis] == wanted || sizes[axis] == 1;
  }
  if (can) return added;
  // TODO(01.4) end
  throw Error(
      errors::InvalidArgument("shape ", Shape(sizes), " does not expand to ", shape));
}

// The last of `strides`, of axes of `sizes`, become those of the axes expanded to
// `shape`; the first are of new axes.
void ExpandInPlace(std::span<const int64_t> sizes, const Shape& shape, int64_t* strides) {
  // TODO(01.4) begin: change the strides of all axes that stand still
  const int added = shape.rank() - static_cast<int>(sizes.size());
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axis < added || sizes[axis - added] != shape.sizes()[axis]) strides[axis] = 0;
  }
  // TODO(01.4) end
}

// Whether the indices begin, begin + step and so on, `size` of them, all are in
// [0, limit). A step of 0 is for one index at most. No argument is too large.
bool IsInside(int64_t begin, int64_t step, int64_t size, int64_t limit) {
  // TODO(01.2) begin: return whether they are; no sum and no product may overflow
  if (size < 0) return false;
  if (size == 0) return true;
  if (begin < 0 || begin >= limit) return false;
  if (size == 1) return true;
  if (step == 0) return false;
  // How many steps there is room for. -step might overflow.
  const int64_t room = step > 0 ? (limit - 1 - begin) / step : -(begin / step);
  return size - 1 <= room;
  // TODO(01.2) end
}

}  // namespace

void ExpandedStrides(const Shape& shape, const Shape& expanded, int64_t* strides) {
  WriteRowMajor(shape, strides + AddedAxes(shape.sizes(), expanded));
  ExpandInPlace(shape.sizes(), expanded, strides);
}

Sizes RowMajorStrides(const Shape& shape) {
  Sizes strides(shape.sizes());
  WriteRowMajor(shape, strides.data());
  return strides;
}

StridedLayout::StridedLayout(const Shape& shape)
    : sizes_(shape.sizes()), strides_(RowMajorStrides(shape)) {}

bool StridedLayout::IsEmpty() const {
  return std::ranges::any_of(sizes(), [](int64_t size) { return size == 0; });
}

// Here and below the text of an error is made only when there is one.
void StridedLayout::RequireAxis(int axis) const {
  if (0 <= axis && axis < rank()) return;
  throw Error(errors::InvalidArgument("no axis ", axis, " in a view of shape ", shape()));
}

int64_t StridedLayout::PlaceOf(std::span<const int64_t> index) const {
  // TODO(01.1) begin: return the place of the element, if there is one
  bool inside = static_cast<int>(index.size()) == rank();
  int64_t place = offset_;
  for (int axis = 0; inside && axis < rank(); ++axis) {
    inside = 0 <= index[axis] && index[axis] < sizes()[axis];
    if (inside) place += index[axis] * strides()[axis];
  }
  if (inside) return place;
  // TODO(01.1) end
  throw Error(errors::InvalidArgument("index [", Join(index, ","),
                                      "] is outside of a view of shape ", shape()));
}

bool StridedLayout::IsContiguous() const {
  // TODO(01.5) begin: return whether the places are offset(), offset() + 1, and so on
  if (IsEmpty()) return true;
  int64_t dense = 1;
  for (int axis = rank() - 1; axis >= 0; --axis) {
    if (sizes()[axis] == 1) continue;
    if (strides()[axis] != dense) return false;
    dense *= sizes()[axis];
  }
  return true;
  // TODO(01.5) end
}

StridedLayout StridedLayout::Slice(int axis, int64_t begin, int64_t step,
                                   int64_t size) const {
  RequireAxis(axis);
  const int64_t limit = sizes()[axis];
  if (!IsInside(begin, step, size, limit)) {
    throw Error(errors::InvalidArgument("a slice of ", size, " elements from ", begin,
                                        " on in steps of ", step, " leaves axis ", axis,
                                        " of a view of shape ", shape()));
  }
  StridedLayout result = *this;
  // TODO(01.2) begin: change what is different in `result`
  int64_t& stride = result.strides_.data()[axis];
  if (size > 0) result.offset_ += begin * stride;
  // With one element or none the step may be huge; nobody walks along such an axis.
  stride = static_cast<int64_t>(static_cast<uint64_t>(stride) *
                                static_cast<uint64_t>(step));
  result.sizes_.data()[axis] = size;
  // TODO(01.2) end
  return result;
}

StridedLayout StridedLayout::Reverse(int axis) const {
  RequireAxis(axis);
  // TODO(01.2) begin: return the slice that takes the last element first
  const int64_t size = sizes()[axis];
  return Slice(axis, size - 1, -1, size);
  // TODO(01.2) end
}

StridedLayout StridedLayout::Transpose(std::span<const int> perm) const {
  // TODO(01.3) begin: return the layout with its axes in this order, if it is one
  bool is_order = static_cast<int>(perm.size()) == rank();
  std::vector<bool> taken(rank(), false);
  StridedLayout result = *this;
  for (int i = 0; is_order && i < rank(); ++i) {
    const int from = perm[i];
    is_order = 0 <= from && from < rank() && !taken[from];
    if (!is_order) break;
    taken[from] = true;
    result.sizes_.data()[i] = sizes()[from];
    result.strides_.data()[i] = strides()[from];
  }
  if (is_order) return result;
  // TODO(01.3) end
  throw Error(errors::InvalidArgument("[", Join(perm, ","),
                                      "] is no order of the axes of shape ", shape()));
}

StridedLayout StridedLayout::Expand(const Shape& shape) const {
  StridedLayout result;
  result.sizes_ = Sizes(shape.sizes());
  result.strides_ = Sizes(shape.sizes());
  result.offset_ = offset_;
  int64_t* expanded = result.strides_.data();
  std::ranges::copy(strides(), expanded + AddedAxes(sizes(), shape));
  ExpandInPlace(sizes(), shape, expanded);
  return result;
}

std::optional<StridedLayout> StridedLayout::Reshape(const Shape& shape) const {
  const int64_t count = this->shape().num_elements();
  Require(count == shape.num_elements(), "shape ", this->shape(), " of ", count,
          " elements cannot become ", shape, " of ", shape.num_elements());
  StridedLayout result(shape);
  result.offset_ = offset_;
  if (count == 0) return result;
  std::vector<Run> runs = RunsOf(sizes(), strides());
  // TODO(01.6) begin: set result.strides_, or return std::nullopt if none fit
  int64_t rest = 1;  // of the run that is being dealt out
  int64_t step = 0;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const int64_t size = shape.dim(axis);
    if (size == 1) continue;
    if (rest == 1) {
      rest = runs.back().size;
      step = runs.back().stride;
      runs.pop_back();
    }
    if (rest % size != 0) return std::nullopt;
    result.strides_.data()[axis] = step;
    rest /= size;
    if (rest > 1) step *= size;
  }
  // TODO(01.6) end
  return result;
}

// ---- Views ----------------------------------------------------------------------------

std::optional<TensorView> TensorView::Reshape(const Shape& shape) const {
  std::optional<StridedLayout> layout = layout_.Reshape(shape);
  if (!layout.has_value()) return std::nullopt;
  return TensorView(tensor_, *std::move(layout));
}

Tensor TensorView::Compact() const {
  const Shape shape = layout_.shape();
  const int64_t count = shape.num_elements();
  // TODO(01.7) begin: return a tensor that shares memory, or one with copies
  if (!tensor_.has_value()) return {};
  if (count == 0) return Tensor(tensor_.dtype(), shape);
  if (layout_.IsContiguous()) {
    const int64_t first = layout_.offset();
    const Tensor flat = tensor_.Reshaped(Shape{tensor_.num_elements()});
    return flat.Slice(first, first + count).Reshaped(shape);
  }
  Tensor result(tensor_.dtype(), shape);
  PlaceIterator at(layout_);
  for (int64_t i = 0; i < count; ++i) {
    CopyElements(tensor_, at.place(), 1, &result, i);
    at.Next();
  }
  return result;
  // TODO(01.7) end
}

}  // namespace minitf
