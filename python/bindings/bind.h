// The parts of the binding, one function for each subject.
//
// Compare    tensorflow/python/tensorflow.i, which includes the same subjects
// Read next  python/bindings/_minitf.cc

#pragma once

#include <pybind11/pybind11.h>

#include "minitf/base/status.h"

namespace minitf {

void BindErrors(pybind11::module_& module);
void BindTensor(pybind11::module_& module);
void BindRegistry(pybind11::module_& module);
void BindGraph(pybind11::module_& module);
void BindSession(pybind11::module_& module);
void BindDevices(pybind11::module_& module);
void BindEager(pybind11::module_& module);
void BindGradients(pybind11::module_& module);
void BindGraphDef(pybind11::module_& module);
void BindIo(pybind11::module_& module);
void BindProtos(pybind11::module_& module);
void BindScripts(pybind11::module_& module);

/// A file of a family has one of these at file scope: `bind` is called with the others.
struct FamilyBinding {
  explicit FamilyBinding(void (*bind)(pybind11::module_& module));
};

/// Makes `error` Python's present exception, as one of tf.errors.
void RestoreAsPython(const Error& error);

/// Makes the exception that is being handled Python's present exception. A Python
/// exception keeps its type. Requires: the caller is in a catch clause.
void RestoreCaught();

/// What a C function called by Python returns: that of `function`, or null with Python's
/// present exception set to what `function` has thrown.
template <typename Function, typename... Arguments>
PyObject* CallGuarded(const Function& function, const Arguments&... arguments) {
  try {
    return function(arguments...);
  } catch (...) {
    RestoreCaught();
  }
  return nullptr;
}

}  // namespace minitf
