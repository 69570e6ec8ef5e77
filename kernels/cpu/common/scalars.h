// Inputs that are one number, such as an axis.
//
// Compare    tensorflow/core/framework/op_requires.h, TensorShapeUtils::IsScalar
// Read next  kernels/cpu/common/eigen_view.h

#pragma once

#include <cstdint>
#include <string_view>

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

}  // namespace minitf
