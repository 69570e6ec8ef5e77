// Attributes of a node, from and to Python values.
//
// Python does not tell 3 from 3.0 or a dtype from its number, so the kind that the op's
// definition gives decides what a value becomes.
//
// Compare    tensorflow/python/framework/op_def_library.py
// Read next  python/bindings/numpy_bridge.h

#pragma once

#include <pybind11/pybind11.h>

#include "minitf/framework/op.h"

namespace minitf {

/// The attributes in `values`, a dict from name to value or None, as `op` defines them.
/// Types are numbers of DTypes, shapes are None or sequences of sizes with None or -1 for
/// those that are not known, tensors are EagerTensors. Throws TypeError, naming op and
/// attribute. A name that starts with _ may be any attribute. Any value may be a
/// tf.AttrValue instead.
Attrs AttrsFromPython(const OpDef& op, pybind11::handle values);

/// One value, of `kind`, such as "list(int)".
AttrValue AttrFromPython(std::string_view kind, pybind11::handle value);

/// Types as numbers, shapes as lists or None, strings as bytes, tensors as EagerTensors.
pybind11::object AttrToPython(const AttrValue& value);

/// A shape as a list of sizes with None for unknown ones; None if the rank is not known.
pybind11::object ShapeToPython(const PartialShape& shape);
PartialShape ShapeFromPython(pybind11::handle shape);

}  // namespace minitf
