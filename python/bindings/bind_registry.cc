// The registries in Python: which ops, kernels and gradients there are.
//
// Compare    tensorflow/python/framework/op_def_registry.py
// Read next  python/minitf/framework/op_def_registry.py

#include <algorithm>
#include <dlfcn.h>
#include <iterator>
#include <link.h>
#include <map>
#include <set>
#include <string>
#include <utility>

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

// The result of LoadLibrary for one library.
struct LoadedLibrary {
  std::set<std::string> ops;
  Status error;
};

// Adds the ops that the code of `library` registers. It may have been loaded before, by
// another library or by Python's ctypes.
void AddOpsOf(const void* library, std::set<std::string>* ops) {
  for (const std::string& name : Ops().Keys()) {
    Dl_info place;
    void* map = nullptr;
    const void* const address = FindOp(name).registered_at;
    const bool is_known = dladdr1(address, &place, &map, RTLD_DL_LINKMAP) != 0;
    if (is_known && map == library) ops->insert(name);
  }
}

// Loads a shared library, unless it is loaded; its ops register themselves meanwhile.
// Returns their names, and those of the libraries that are loaded with it.
std::set<std::string> LoadLibrary(const std::string& path) {
  static auto& libraries = *new std::map<const void*, LoadedLibrary>();
  const std::vector<std::string> before = Ops().Keys();
  Status error;
  ErrorOfLoad() = &error;
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ErrorOfLoad() = nullptr;
  link_map* map = nullptr;
  if (handle == nullptr || dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0)
    throw Error(errors::NotFound("cannot load '", path, "': ", dlerror()));
  LoadedLibrary& library = libraries[map];
  if (library.error.ok()) library.error = error;
  ThrowIfError(library.error.WithPrefix(StrCat("cannot load '", path, "': ")));
  std::ranges::set_difference(Ops().Keys(), before,
                              std::inserter(library.ops, library.ops.end()));
  AddOpsOf(map, &library.ops);
  return library.ops;
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
  module.def("load_library", &LoadLibrary,
             "Loads a shared library, and returns the names of its ops.");
}

}  // namespace minitf
