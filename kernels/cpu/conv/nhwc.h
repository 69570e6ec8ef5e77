// Images for kernels that know one layout and few element types.
//
// The kernels of convolutions and poolings read images as [N,H,W,C], and add up in float
// or double. An [N,C,H,W] batch, or one of half, is copied into that form first, and the
// result is copied back; whatever has the form already is passed on as it is. The GPU
// does the reverse, because there [N,C,H,W] is the faster form.
//
// Compare    tensorflow/core/util/tensor_format.h; there the CPU refuses NCHW
// Read next  kernels/cpu/conv/patches.h

#pragma once

#include <type_traits>

#include "kernels/cpu/common/element_types.h"
#include "minitf/framework/shapes/conv2d_geometry.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

/// The type in which sums of T are kept: float for the two 16-bit types, else T.
template <typename T>
using SumType = std::conditional_t<kIsHalf<T>, float, T>;

/// The element types of images and of what is computed from them.
using NhwcTypes = decltype(RealTypes{} + SignedTypes{} + Types<uint8_t>{});

/// The elements of `tensor`, of 4 axes in `format`, as SumType in the order [N,H,W,C].
/// Shares memory with `tensor` where that is its form already.
Tensor ToNhwc(const Tensor& tensor, DataFormat format);

/// The elements of `tensor`, of any shape, as SumType. Shares memory where possible.
Tensor Widened(const Tensor& tensor);

/// Where to put a result that is to be *tensor, in `format`: memory for it as SumType in
/// the order [N,H,W,C]; that of *tensor where possible.
Tensor NhwcBuffer(const Tensor& tensor, DataFormat format);

/// Copies `buffer`, which NhwcBuffer made, to *tensor if they are not one.
void StoreNhwc(const Tensor& buffer, DataFormat format, Tensor* tensor);

/// As NhwcBuffer and StoreNhwc for a result of any shape, which has no layout to change.
inline Tensor WideBuffer(const Tensor& tensor) {
  return NhwcBuffer(tensor, DataFormat::kNhwc);
}
inline void StoreWide(const Tensor& buffer, Tensor* tensor) {
  StoreNhwc(buffer, DataFormat::kNhwc, tensor);
}

}  // namespace minitf
