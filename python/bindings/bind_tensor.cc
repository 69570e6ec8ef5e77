// Tensors in Python: EagerTensors from arrays, numbers and DLPack, and back.
//
// Read next  python/bindings/bind_registry.cc

#include <utility>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "python/bindings/bind.h"
#include "python/bindings/dlpack.h"
#include "python/bindings/eager_tensor.h"
#include "python/bindings/numpy_bridge.h"

namespace py = pybind11;

namespace minitf {

namespace {

py::object TensorOfArray(const py::array& array, bool copy) {
  Tensor tensor = TensorFromArray(array);
  if (copy && tensor.dtype() != DType::kString) tensor = tensor.Clone();
  return WrapEagerTensor(MakeEagerTensor(std::move(tensor)));
}

py::object TensorOfNumber(const py::object& number, int dtype) {
  Tensor tensor = TensorFromNumber(number, static_cast<DType>(dtype));
  if (!tensor.has_value()) return py::none();
  return WrapEagerTensor(MakeEagerTensor(std::move(tensor)));
}

py::list AllDTypes() {
  py::list all;
  for (int number = 1; number < kNumDTypes; ++number) {
    const auto dtype = static_cast<DType>(number);
    if (NameOf(dtype) == "invalid") continue;
    const bool has_numpy = dtype != DType::kResource;
    all.append(py::make_tuple(number, NameOf(dtype), SizeOf(dtype),
                              has_numpy ? py::object(NumpyDType(dtype)) : py::none()));
  }
  return all;
}

}  // namespace

void BindTensor(py::module_& module) {
  module.def("make_eager_tensor_type", &MakeEagerTensorType,
             "The type of eager tensors, derived from the class given.");
  module.def("tensor_of_array", &TensorOfArray, py::arg("array"), py::arg("copy"),
             "An EagerTensor of the array's elements, borrowed unless copy.");
  module.def("tensor_of_number", &TensorOfNumber,
             "A scalar EagerTensor, or None if the number does not fit the dtype.");
  module.def("all_dtypes", &AllDTypes, "Number, name, bytes, numpy dtype of each dtype.");
  module.def("dtype_of_array", [](const py::array& array) {
    return static_cast<int>(DTypeOfArray(array));
  });
  module.def("to_dlpack", &ToDlpack, py::arg("tensor"), py::arg("copy"),
             "A DLPack capsule that shares the elements, or has a copy of them.");
  module.def("from_dlpack", &FromDlpack, py::arg("capsule"), py::arg("copy"),
             "An EagerTensor on a DLPack capsule's memory, or on a copy of it.");
  module.def("allocator_stats", [] {
    const Allocator::Stats stats = CpuAllocator().stats();
    return py::make_tuple(stats.bytes_in_use, stats.peak_bytes_in_use,
                          stats.num_allocations);
  });
}

}  // namespace minitf
