// The registries in Python: which ops, kernels and gradients there are.
//
// Compare    tensorflow/python/framework/op_def_registry.py
// Read next  python/minitf/framework/op_def_registry.py

#include <string>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "minitf/framework/gradient.h"
#include "minitf/framework/op.h"
#include "minitf/framework/op_kernel.h"
#include "python/bindings/attr_bridge.h"
#include "python/bindings/bind.h"

namespace py = pybind11;

namespace minitf {

namespace {

int Number(DType dtype) { return static_cast<int>(dtype); }

py::list ArgsToPython(const std::vector<ArgDef>& args) {
  py::list list;
  for (const ArgDef& arg : args) {
    list.append(py::make_tuple(arg.name, Number(arg.type), arg.type_attr, arg.number_attr,
                               arg.type_list_attr));
  }
  return list;
}

py::list AttrDefsToPython(const std::vector<AttrDef>& attrs) {
  py::list list;
  for (const AttrDef& attr : attrs) {
    py::list types;
    for (const DType dtype : attr.allowed_types) types.append(Number(dtype));
    const bool has_default = attr.default_value.has_value();
    list.append(
        py::make_tuple(attr.name, attr.kind, has_default,
                       has_default ? AttrToPython(*attr.default_value) : py::none(),
                       types, attr.allowed_strings, attr.minimum));
  }
  return list;
}

py::object OpDefToPython(const std::string& name) {
  const OpDef& op = FindOp(name);
  py::dict result;
  result["name"] = op.name;
  result["doc"] = op.doc;
  result["inputs"] = ArgsToPython(op.inputs);
  result["outputs"] = ArgsToPython(op.outputs);
  result["attrs"] = AttrDefsToPython(op.attrs);
  result["is_stateful"] = op.is_stateful();
  return result;
}

py::list KernelsToPython(const std::string& op) {
  py::list list;
  for (const KernelDef* kernel : KernelsOf(op)) {
    py::dict types;
    for (const auto& [attr, dtype] : kernel->key.types)
      types[py::str(attr)] = Number(dtype);
    list.append(py::make_tuple(StrCat(kernel->key.device), types, kernel->key.label));
  }
  return list;
}

// "function", "not differentiable", or None when nothing is registered.
py::object GradientKind(const std::string& op) {
  const GradientEntry* entry = Gradients().Find(op);
  if (entry == nullptr) return py::none();
  return py::str(entry->fn == nullptr ? "not differentiable" : "function");
}

}  // namespace

void BindRegistry(py::module_& module) {
  module.def(
      "op_names", [] { return Ops().Keys(); }, "All ops, in alphabetical order.");
  module.def("has_op", [](const std::string& name) { return Ops().Has(name); });
  module.def("op_def", &OpDefToPython, "The definition of an op, as a dict.");
  module.def(
      "op_def_text", [](const std::string& name) { return OpDefText(FindOp(name)); },
      "The definition of an op in TensorFlow's text format.");
  module.def("kernels", &KernelsToPython, "Device, types and label of an op's kernels.");
  module.def("ops_with_kernels", &OpsWithKernels,
             "The names under which there are kernels.");
  module.def(
      "ops_with_gradients", [] { return Gradients().Keys(); },
      "The names for which gradient_kind is not None.");
  module.def("gradient_kind", &GradientKind,
             "'function', 'not differentiable', or None if nothing is registered.");
  module.def("load_library", &LoadOpLibrary,
             "Loads a shared library, and returns the names of its ops.");
}

}  // namespace minitf
