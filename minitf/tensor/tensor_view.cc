// Strides: what each way to look at a tensor does to them.
//
// A tensor without elements may have axes of any size beside the one of size 0, so their
// products are never formed.
//
// Exercise   exercises/01_tensor

#include "minitf/tensor/tensor_view.h"

#include <algorithm>

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
    // LAB(01.7) begin: move index_ on by one, and place_ along with it
    for (int axis = layout_.rank(); axis-- > 0;) {
      const int64_t stride = layout_.strides()[axis];
      place_ += stride;
      if (++index_[axis] < layout_.sizes()[axis]) return;
      place_ -= index_[axis] * stride;
      index_[axis] = 0;
    }
    // LAB(01.7) end
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
  // LAB(01.6) begin: add a run for each axis, or make the last run longer
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    const Run run = {sizes[axis], strides[axis]};
    if (run.size == 1) continue;
    if (!runs.empty() && runs.back().stride == run.size * run.stride) {
      runs.back() = {runs.back().size * run.size, run.stride};
    } else {
      runs.push_back(run);
    }
  }
  // LAB(01.6) end
  return runs;
}

// Writes the strides of a tensor of `shape`, as many as it has axes.
void WriteRowMajor(const Shape& shape, int64_t* strides) {
  // LAB(01.1) begin: set strides[axis] for every axis
  int64_t stride = shape.num_elements() == 0 ? 0 : 1;
  for (int axis = shape.rank(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= shape.sizes()[axis];
  }
  // LAB(01.1) end
}

// How many axes axes of `sizes` get when they are expanded to `shape`. Throws unless they
// can be.
int AddedAxes(std::span<const int64_t> sizes, const Shape& shape) {
  // LAB(01.4) begin: return how many; where that cannot be, go on to the error
  const int added = shape.rank() - static_cast<int>(sizes.size());
  bool fits = added >= 0;
  for (int axis = added; fits && axis < shape.rank(); ++axis) {
    const int64_t size = sizes[axis - added];
    fits = size == 1 || size == shape.sizes()[axis];
  }
  if (fits) return added;
  // LAB(01.4) end
  throw Error(
      errors::InvalidArgument("shape ", Shape(sizes), " does not expand to ", shape));
}

// The last of `strides`, of axes of `sizes`, become those of the axes expanded to
// `shape`; the first are of new axes.
void ExpandInPlace(std::span<const int64_t> sizes, const Shape& shape, int64_t* strides) {
  // LAB(01.4) begin: change the strides of all axes that stand still
  const int added = shape.rank() - static_cast<int>(sizes.size());
  std::fill_n(strides, added, 0);
  for (int axis = added; axis < shape.rank(); ++axis) {
    if (sizes[axis - added] != shape.sizes()[axis]) strides[axis] = 0;
  }
  // LAB(01.4) end
}

// Whether the indices begin, begin + step and so on, `size` of them, all are in
// [0, limit). A step of 0 is for one index at most. No argument is too large.
bool IsInside(int64_t begin, int64_t step, int64_t size, int64_t limit) {
  // LAB(01.2) begin: return whether they are; no sum and no product may overflow
  if (size == 0) return true;
  if (size < 0 || begin < 0 || begin >= limit) return false;
  if (size == 1) return true;
  if (step == 0 || step == INT64_MIN) return false;
  const int64_t room = step > 0 ? limit - 1 - begin : begin;
  return size - 1 <= room / std::abs(step);
  // LAB(01.2) end
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
  // LAB(01.1) begin: return the place of the element, if there is one
  bool is_inside = static_cast<int>(index.size()) == rank();
  int64_t place = offset_;
  for (int axis = 0; is_inside && axis < rank(); ++axis) {
    is_inside = 0 <= index[axis] && index[axis] < sizes()[axis];
    if (is_inside) place += index[axis] * strides()[axis];
  }
  if (is_inside) return place;
  // LAB(01.1) end
  throw Error(errors::InvalidArgument("index [", Join(index, ","),
                                      "] is outside of a view of shape ", shape()));
}

bool StridedLayout::IsContiguous() const {
  // LAB(01.5) begin: return whether the places are offset(), offset() + 1, and so on
  if (IsEmpty()) return true;
  int64_t expected = 1;
  for (int axis = rank(); axis-- > 0;) {
    if (sizes()[axis] == 1) continue;  // its stride is never walked
    if (strides()[axis] != expected) return false;
    expected *= sizes()[axis];
  }
  return true;
  // LAB(01.5) end
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
  // LAB(01.2) begin: change what is different in `result`
  result.sizes_.data()[axis] = size;
  if (size > 0) result.offset_ += begin * strides()[axis];
  if (size > 1) result.strides_.data()[axis] *= step;
  // LAB(01.2) end
  return result;
}

StridedLayout StridedLayout::Reverse(int axis) const {
  RequireAxis(axis);
  // LAB(01.2) begin: return the slice that takes the last element first
  const int64_t size = sizes()[axis];
  return Slice(axis, size - 1, -1, size);
  // LAB(01.2) end
}

StridedLayout StridedLayout::Transpose(std::span<const int> perm) const {
  // LAB(01.3) begin: return the layout with its axes in this order, if it is one
  StridedLayout result = *this;
  std::vector<bool> is_taken(rank());
  bool is_permutation = static_cast<int>(perm.size()) == rank();
  for (int axis = 0; is_permutation && axis < rank(); ++axis) {
    const int from = perm[axis];
    is_permutation = 0 <= from && from < rank() && !is_taken[from];
    if (!is_permutation) break;
    is_taken[from] = true;
    result.sizes_.data()[axis] = sizes()[from];
    result.strides_.data()[axis] = strides()[from];
  }
  if (is_permutation) return result;
  // LAB(01.3) end
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
  // LAB(01.6) begin: set result.strides_, or return std::nullopt if none fit
  // The last axes first: each takes a part of the innermost run that is not used up.
  for (int axis = shape.rank(); axis-- > 0;) {
    const int64_t size = shape.sizes()[axis];
    if (size == 1) continue;
    Run& run = runs.back();
    if (run.size % size != 0) return std::nullopt;
    result.strides_.data()[axis] = run.stride;
    run = {run.size / size, run.stride * size};
    if (run.size == 1) runs.pop_back();
  }
  // LAB(01.6) end
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
  // LAB(01.7) begin: return a tensor that shares memory, or one with copies
  if (count > 0 && layout_.IsContiguous()) {
    const int64_t first = layout_.offset();
    return tensor_.Reshaped({tensor_.num_elements()})
        .Slice(first, first + count)
        .Reshaped(shape);
  }
  Tensor result(tensor_.dtype(), shape);
  PlaceIterator at(layout_);
  for (int64_t i = 0; i < count; ++i, at.Next()) {
    CopyElements(tensor_, at.place(), 1, &result, i);
  }
  return result;
  // LAB(01.7) end
}

}  // namespace minitf
