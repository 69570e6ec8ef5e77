// TensorView: another way to walk over the elements of a tensor, without copying one.
//
// Where element (i,j) of a view lies is a sum,
//
//   place = offset + i * stride_0 + j * stride_1
//
// in elements. Slicing, transposing, repeating and reversing change only these numbers:
//
//                           shape  strides  offset
//   x                       [2,3]    3, 1      0     0 1 2 / 3 4 5
//   its transpose           [3,2]    1, 3      0     0 3 / 1 4 / 2 5
//   columns 1 and 2         [2,2]    3, 1      1     1 2 / 4 5
//   rows in reverse         [2,3]   -3, 1      3     3 4 5 / 0 1 2
//   row 1, four times       [4,3]    0, 1      3     3 4 5 / 3 4 5 / 3 4 5 / 3 4 5
//
// StridedLayout holds these numbers, TensorView a tensor as well. A Tensor is never
// strided itself: a kernel makes a view and copies it to its output.
//
// Compare    numpy's ndarray, whose strides count bytes; TensorFlow has no such class
// Read next  minitf/tensor/copy_elements.h

#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "minitf/tensor/shape.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

/// Sizes and strides of axes, and the place of the first element. If there is no element,
/// strides and offset mean nothing; nor does the stride of an axis of one element.
class StridedLayout {
 public:
  /// Row by row without gaps, as in a Tensor.
  explicit StridedLayout(const Shape& shape);

  int rank() const { return sizes_.count(); }
  std::span<const int64_t> sizes() const { return sizes_.span(); }
  std::span<const int64_t> strides() const { return strides_.span(); }
  int64_t offset() const { return offset_; }
  Shape shape() const { return Shape(sizes()); }
  bool IsEmpty() const;

  /// The place of the element at `index`. Throws for an index that is outside.
  int64_t PlaceOf(std::span<const int64_t> index) const;

  /// Whether the elements lie row by row without gaps, from offset() on.
  bool IsContiguous() const;

  /// `size` elements of `axis`: begin, begin + step, and so on. `step` may be negative,
  /// and 0 for one element at most. Throws when one of them is outside; of none, none is.
  StridedLayout Slice(int axis, int64_t begin, int64_t step, int64_t size) const;

  /// The last element of `axis` first.
  StridedLayout Reverse(int axis) const;

  /// Axis i of the result is axis perm[i]. Throws when perm is not a permutation.
  StridedLayout Transpose(std::span<const int> perm) const;

  /// Repeats axes of size 1, and puts new ones in front, until the shape is `shape`.
  /// Throws when an axis of another size would have to change.
  StridedLayout Expand(const Shape& shape) const;

  /// The same elements in the same order under another shape; nothing if no strides do
  /// that. Throws when `shape` has another number of elements.
  std::optional<StridedLayout> Reshape(const Shape& shape) const;

  /// Compares all numbers, those that mean nothing too.
  friend bool operator==(const StridedLayout&, const StridedLayout&) = default;

 private:
  StridedLayout() = default;
  void RequireAxis(int axis) const;

  Sizes sizes_;
  Sizes strides_;
  int64_t offset_ = 0;
};

/// A layout of the elements of a tensor. Views share them with the tensor, which lives as
/// long as a view does; who writes through one writes the tensor.
class TensorView {
 public:
  /// All of `tensor`. Requires: it has a value.
  explicit TensorView(Tensor tensor)
      : tensor_(std::move(tensor)), layout_(tensor_.shape()) {}

  /// Requires: `layout` was made from that of `tensor`, or of one with as many elements.
  TensorView(Tensor tensor, StridedLayout layout)
      : tensor_(std::move(tensor)), layout_(std::move(layout)) {}

  const Tensor& tensor() const { return tensor_; }
  const StridedLayout& layout() const { return layout_; }
  Shape shape() const { return layout_.shape(); }

  /// As the functions of StridedLayout.
  TensorView Slice(int axis, int64_t begin, int64_t step, int64_t size) const {
    return {tensor_, layout_.Slice(axis, begin, step, size)};
  }
  TensorView Reverse(int axis) const { return {tensor_, layout_.Reverse(axis)}; }
  TensorView Transpose(std::span<const int> perm) const {
    return {tensor_, layout_.Transpose(perm)};
  }
  TensorView Expand(const Shape& shape) const { return {tensor_, layout_.Expand(shape)}; }
  std::optional<TensorView> Reshape(const Shape& shape) const;

  /// The element at `index`. Throws for an index that is outside.
  template <typename T>
  T& At(std::initializer_list<int64_t> index) {
    return tensor_.mutable_flat<T>()[layout_.PlaceOf({index.begin(), index.size()})];
  }

  /// A tensor of these elements, row by row. It shares memory with the view if they lie
  /// so already; otherwise they are copied, in one thread.
  Tensor Compact() const;

 private:
  Tensor tensor_;
  StridedLayout layout_;
};

/// The strides of a tensor of `shape`. All are 0 if it holds no element.
Sizes RowMajorStrides(const Shape& shape);

/// Writes the strides of StridedLayout(shape).Expand(expanded), as many as `expanded` has
/// axes, and throws its errors. For plans of broadcasts, of which small ones are many.
void ExpandedStrides(const Shape& shape, const Shape& expanded, int64_t* strides);

}  // namespace minitf
