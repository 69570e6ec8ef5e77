// Inputs that are one number, such as an axis, and outputs that are sizes.
//
// Compare    tensorflow/core/framework/op_requires.h, TensorShapeUtils::IsScalar
// Read next  kernels/cpu/common/eigen_view.h

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

/// Throws InvalidArgument unless `tensor`, which messages call `name`, has no axes.
inline void RequireScalar(const Tensor& tensor, std::string_view name) {
  Require(tensor.rank() == 0, name, " must be a scalar, its shape is ", tensor.shape());
}

/// The number that the int32 or int64 tensor is. Throws as RequireScalar.
inline int64_t IntegerOf(const Tensor& tensor, std::string_view name) {
  RequireScalar(tensor, name);
  return IntegersOf(tensor)[0];
}

/// Makes output i, of int32 or int64 and this shape, `sizes`. Throws InvalidArgument for
/// one that does not fit.
inline void SetSizes(OpKernelContext* ctx, int i, const Shape& shape,
                     std::span<const int64_t> sizes) {
  Tensor* y = nullptr;
  OP_REQUIRES_OK(ctx, ctx->allocate_output(i, shape, &y));
  if (y->dtype() == DType::kInt64) {
    std::ranges::copy(sizes, y->mutable_flat<int64_t>().begin());
    return;
  }
  for (size_t k = 0; k < sizes.size(); ++k) {
    Require(sizes[k] <= std::numeric_limits<int32_t>::max(), "size ", sizes[k],
            " does not fit into int32; set out_type to int64");
    y->mutable_flat<int32_t>()[k] = static_cast<int32_t>(sizes[k]);
  }
}

}  // namespace minitf
