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
    MINITF_TODO("01.7");
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
  MINITF_TODO("01.6");
  // TODO(01.6) end
  return runs;
}

// Writes the strides of a tensor of `shape`, as many as it has axes.
void WriteRowMajor(const Shape& shape, int64_t* strides) {
  // TODO(01.1) begin: set strides[axis] for every axis
  MINITF_TODO("01.1");
  // TODO(01.1) end
}

// How many axes axes of `sizes` get when they are expanded to `shape`. Throws unless they
// can be.
int AddedAxes(std::span<const int64_t> sizes, const Shape& shape) {
  // TODO(01.4) begin: return how many; where that cannot be, go on to the error
  MINITF_TODO("01.4");
  // TODO(01.4) end
  throw Error(
      errors::InvalidArgument("shape ", Shape(sizes), " does not expand to ", shape));
}

// The last of `strides`, of axes of `sizes`, become those of the axes expanded to
// `shape`; the first are of new axes.
void ExpandInPlace(std::span<const int64_t> sizes, const Shape& shape, int64_t* strides) {
  // TODO(01.4) begin: change the strides of all axes that stand still
  MINITF_TODO("01.4");
  // TODO(01.4) end
}

// Whether the indices begin, begin + step and so on, `size` of them, all are in
// [0, limit). A step of 0 is for one index at most. No argument is too large.
bool IsInside(int64_t begin, int64_t step, int64_t size, int64_t limit) {
  // TODO(01.2) begin: return whether they are; no sum and no product may overflow
  MINITF_TODO("01.2");
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
  MINITF_TODO("01.1");
  // TODO(01.1) end
  throw Error(errors::InvalidArgument("index [", Join(index, ","),
                                      "] is outside of a view of shape ", shape()));
}

bool StridedLayout::IsContiguous() const {
  // TODO(01.5) begin: return whether the places are offset(), offset() + 1, and so on
  MINITF_TODO("01.5");
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
  MINITF_TODO("01.2");
  // TODO(01.2) end
  return result;
}

StridedLayout StridedLayout::Reverse(int axis) const {
  RequireAxis(axis);
  // TODO(01.2) begin: return the slice that takes the last element first
  MINITF_TODO("01.2");
  // TODO(01.2) end
}

StridedLayout StridedLayout::Transpose(std::span<const int> perm) const {
  // TODO(01.3) begin: return the layout with its axes in this order, if it is one
  MINITF_TODO("01.3");
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
  MINITF_TODO("01.6");
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
  MINITF_TODO("01.7");
  // TODO(01.7) end
}

}  // namespace minitf
