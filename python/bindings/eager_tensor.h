// EagerTensor in Python: the object that stands for a value of eager mode.
//
// This type is made by hand from Python's C interface, not by pybind11: a program makes
// one for every op it calls, so that making one has to cost no more than its memory. It
// derives from the Python class Tensor (python/minitf/framework/tensor.py), which has the
// operators.
//
// Compare    tensorflow/python/eager/pywrap_tensor.cc
// Read next  python/bindings/bind_eager.cc

#pragma once

#include <pybind11/pybind11.h>

#include "minitf/eager/dispatch.h"

namespace minitf {

/// Makes the type, with `base` as its base class. Called once, when minitf is imported.
pybind11::object MakeEagerTensorType(const pybind11::object& base);

bool IsEagerTensor(pybind11::handle object);

/// The value of an EagerTensor. Throws TypeError for any other object.
const EagerTensor& UnwrapEagerTensor(pybind11::handle object);

pybind11::object WrapEagerTensor(EagerTensor value);

}  // namespace minitf
