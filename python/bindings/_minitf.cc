// The binding: what Python sees of the C++ framework.
//
// No op is named here. Python asks for the definitions of all registered ops and makes a
// function of each (python/minitf/raw_ops.py), so an op written in C++ is there in Python
// without a further line.
//
// Two kinds of functions meet here. What runs once for every op or step is written with
// Python's own C interface (bind_eager.cc, eager_tensor.cc); the rest, which is most, is
// left to pybind11.
//
// Compare    tensorflow/python/tensorflow.i
// Read next  python/minitf/__init__.py

#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "minitf/contrib/families.h"
#include "python/bindings/bind.h"

namespace minitf {

namespace {

using Bind = void (*)(pybind11::module_& module);

std::vector<Bind>& FamilyBindings() {
  static std::vector<Bind> bindings;
  return bindings;
}

}  // namespace

FamilyBinding::FamilyBinding(Bind bind) { FamilyBindings().push_back(bind); }

}  // namespace minitf

PYBIND11_MODULE(_minitf, module) {
  module.doc() = "The C++ framework, as minitf's Python files use it.";
  minitf::BindErrors(module);
  minitf::BindTensor(module);
  minitf::BindRegistry(module);
  minitf::BindGraph(module);
  minitf::BindSession(module);
  minitf::BindDevices(module);
  minitf::BindEager(module);
  minitf::BindGradients(module);
  minitf::BindGraphDef(module);
  minitf::BindIo(module);
  minitf::BindProtos(module);
  minitf::BindScripts(module);
  for (const auto bind : minitf::FamilyBindings()) bind(module);
  module.def("built_families", &minitf::BuiltFamilies,
             "The families whose ops are there, in alphabetical order.");
}
