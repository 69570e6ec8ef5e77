// StridedCopy: the one way in which array kernels move elements.
//
// Slicing, transposing, padding, joining, splitting, repeating and reversing differ only
// in how far apart neighbours lie in memory, before and after. Each is a loop nest
//
//   for every index (i, j, ...):
//     to[i * to_stride_i + j * to_stride_j + ...] =
//         from[i * from_stride_i + j * from_stride_j + ...]
//
// and a kernel says nothing but the sizes and strides of the loops, or two layouts of
// equal shape (minitf/tensor/tensor_view.h). A stride of 0 repeats an element, a negative
// one walks backwards.
//
// Elements are moved as bytes, so one instantiation serves all types of one size; only
// strings and resource handles are copied as objects.
//
// Compare    tensorflow/core/kernels/transpose_functor.h, concat_lib.h,
//            strided_slice_op.cc
// Read next  kernels/cpu/common/transpose_matrix.h

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "minitf/base/thread_pool.h"
#include "minitf/tensor/resource_handle.h"
#include "minitf/tensor/tensor.h"
#include "minitf/tensor/tensor_view.h"

namespace minitf {

/// Runs the loop nest, outermost loop first, from element `from_offset` of `from` to
/// element `to_offset` of `to`. No two indices may write one element. In the memory of a
/// card the card does it, so kernels that move elements by this alone run on all devices.
/// Requires: equal dtypes, memory of one device, and every index stays inside both
/// tensors.
void StridedCopy(const Tensor& from, int64_t from_offset, Tensor* to, int64_t to_offset,
                 std::vector<CopyLoop> loops, ThreadPool& threads);

/// Writes the elements that `from_layout` shows of `from` over those that `to_layout`
/// shows of `to`. No two indices of to_layout may mean one element.
/// Requires: equal dtypes, layouts of equal shape, each made from that of its tensor.
void StridedCopy(const Tensor& from, const StridedLayout& from_layout, Tensor* to,
                 const StridedLayout& to_layout, ThreadPool& threads);

/// Makes every element of `y` the one element of `value`, which may lie in the host's
/// memory as well. Requires: equal dtypes.
void FillTensor(const Tensor& value, Tensor* y, ThreadPool& threads);

/// A scalar zero; false, or an empty string, for a dtype of that kind.
Tensor ZeroOf(DType dtype);

/// RowMajorStrides(shape), as a vector.
std::vector<int64_t> StridesOf(const Shape& shape);

/// Makes `y` the transpose of `x`: axis i of y is axis perm[i] of x.
/// Requires: perm is a permutation of the axes of x, and y has the shape that results.
void TransposeInto(const Tensor& x, std::span<const int> perm, Tensor* y,
                   ThreadPool& threads);

/// 16 bytes, for elements that are only moved.
using Bytes16 = std::array<uint64_t, 2>;

/// Calls `visitor.template operator()<T>()` with a type by which elements of `dtype` can
/// be moved: an unsigned integer of their size, or the class of objects that they are.
template <typename Visitor>
void VisitMovable(DType dtype, Visitor&& visitor) {
  if (dtype == DType::kString) return visitor.template operator()<std::string>();
  if (dtype == DType::kResource) return visitor.template operator()<ResourceHandle>();
  switch (SizeOf(dtype)) {
    case 1: return visitor.template operator()<uint8_t>();
    case 2: return visitor.template operator()<uint16_t>();
    case 4: return visitor.template operator()<uint32_t>();
    case 8: return visitor.template operator()<uint64_t>();
    default: return visitor.template operator()<Bytes16>();
  }
}

/// The elements of a tensor as the T that VisitMovable chose for its dtype.
template <typename T>
const T* MovableData(const Tensor& tensor) {
  return static_cast<const T*>(tensor.data());
}
template <typename T>
T* MovableData(Tensor* tensor) {
  return static_cast<T*>(tensor->mutable_data());
}

}  // namespace minitf
