// TF_Tensors that share their elements with a tensor of minitf.
//
// TensorToC in internal.h gives the caller elements that nothing else uses. A kernel
// and a caller of eager ops only read, so no copy is needed there.
//
// Read next  minitf/c/shared_tensor.cc

#pragma once

#include <memory>

#include "minitf/c/internal.h"

namespace minitf::c {

/// Returns a TF_Tensor of the elements of `tensor`, wherever they are: the data of a
/// tensor on a GPU is an address of the GPU. Strings are encoded in new memory. Throws
/// InvalidArgument if `tensor` has no value.
std::unique_ptr<TF_Tensor> SharedTensorToC(const Tensor& tensor);

/// Returns the value of `tensor`. If SharedTensorToC made it, this is the tensor that
/// it was made of, under the shape of `tensor`; else that of TensorOfC. Throws as
/// TensorOfC does.
Tensor SharedTensorOfC(const TF_Tensor* tensor, std::string_view argument);

}  // namespace minitf::c
