// Tensors and numpy arrays: one memory, two views of it.
//
//   in    an array that is dense, aligned and of the machine's byte order is borrowed: a
//         Tensor points to its elements and keeps the array alive. Others are copied
//   out   an array that points to the Tensor's elements and keeps the Tensor alive. It is
//         read-only where another tensor shares the elements
//
// Strings are the exception: numpy has no array of std::string, so these are copied, to
// and from arrays of Python bytes. bfloat16 is that of the package ml_dtypes where it is
// installed; otherwise numpy has no name for it, and its bits are shown as uint16.
//
// Compare    tensorflow/python/lib/core/ndarray_tensor.cc, ndarray_tensor_bridge.cc
// Read next  python/bindings/eager_tensor.h

#pragma once

#include <string>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "minitf/tensor/tensor.h"

namespace minitf {

/// The bytes of a Python str, as UTF-8, or of bytes. Throws TypeError for anything else,
/// ValueError for text that has no UTF-8.
std::string BytesOf(pybind11::handle text);

/// numpy's name of `dtype`. Throws TypeError for resource, which numpy cannot hold.
pybind11::dtype NumpyDType(DType dtype);

/// The DType of the array's elements. Throws TypeError for a kind that minitf has not.
DType DTypeOfArray(const pybind11::array& array);

/// The elements of `array`, borrowed where possible. The result must not be written to.
Tensor TensorFromArray(const pybind11::array& array);

enum class Sharing {
  kNever,     ///< what comes out is the caller's own; copied if it is shared
  kReadOnly,  ///< what others see too is not copied, and must not be written to
};

/// The elements of `tensor` as an array; a scalar as a numpy scalar, a string as bytes.
pybind11::object ArrayFromTensor(Tensor tensor, Sharing sharing);

/// A scalar tensor of `dtype` with the value of a Python number, or a Tensor without
/// value if `number` is no Python number or `dtype` is no type for it.
Tensor TensorFromNumber(pybind11::handle number, DType dtype);

}  // namespace minitf
