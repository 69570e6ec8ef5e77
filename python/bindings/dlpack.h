// DLPack: a tensor's memory, lent to another library in the same process.
//
// A capsule called "dltensor" holds a struct that says where the elements lie, of what
// type and shape they are, and a function to call when they are no longer needed. Taking
// it renames it to "used_dltensor", so that it is taken once.
//
// The layout of the structs is fixed by the DLPack specification, version 0.8.
//
// Compare    tensorflow/c/eager/dlpack.cc (2.x; 1.15 has none)
// Read next  python/bindings/numpy_bridge.h

#pragma once

#include <optional>

#include <pybind11/pybind11.h>

namespace minitf {

/// The EagerTensor, or a copy of it, as a capsule. Throws TypeError for strings and
/// resources, which DLPack has no name for.
pybind11::capsule ToDlpack(const pybind11::object& tensor, bool copy);

/// The capsule's tensor. Unless `copy` is true, it is borrowed if its elements lie dense
/// in host memory; otherwise copied, which `copy` may forbid. Throws InvalidArgument for
/// what is not on the host, or may not be copied and must.
pybind11::object FromDlpack(const pybind11::object& capsule, std::optional<bool> copy);

}  // namespace minitf
