// Errors: a C++ Error becomes the class of tf.errors that has its code.
//
// The classes are Python's (python/minitf/framework/errors.py), which leaves a function
// here that makes an exception of a code, a message and the name of a node.
//
// Exercise   exercises/12_bindings
// Compare    tensorflow/python/framework/errors_impl.py, status_macros
// Read next  python/minitf/framework/errors.py

#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#include <pybind11/pybind11.h>

#include "minitf/base/caught.h"
#include "python/bindings/bind.h"

namespace py = pybind11;

namespace minitf {

namespace {

// Never freed: Python may be gone before static objects are.
py::object& ErrorFactory() {
  static auto* const factory = new py::object();
  return *factory;
}

// Returns false if `pointer` holds an exception that is not ours.
bool Restore(const std::exception_ptr& pointer) {
  // LAB(12.9) begin: restore an Error, and exceptions for a lack of memory
  try {
    std::rethrow_exception(pointer);
  } catch (const Error& error) {
    RestoreAsPython(error);
  } catch (const std::bad_alloc&) {
    RestoreAsPython(Error(CaughtStatus()));
  } catch (const std::length_error&) {
    RestoreAsPython(Error(CaughtStatus()));
  } catch (...) {
    return false;
  }
  return true;
  // LAB(12.9) end
}

}  // namespace

void RestoreAsPython(const Error& error) {
  const Status& status = error.status();
  if (!ErrorFactory()) {
    PyErr_SetString(PyExc_RuntimeError, status.message().c_str());
    return;
  }
  try {
    // LAB(12.9) begin: set the exception that ErrorFactory() returns for `status`
    const py::bytes message(status.message());
    const py::object exception =
        ErrorFactory()(static_cast<int>(status.code()),
                       message.attr("decode")("utf-8", "replace"), status.node());
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())),
                    exception.ptr());
    // LAB(12.9) end
  } catch (py::error_already_set& failure) {
    failure.restore();
  }
}

void RestoreCaught() {
  try {
    // LAB(12.9) begin: restore the exception that is being handled, or throw it again
    try {
      throw;
    } catch (py::error_already_set& python_error) {
      python_error.restore();
    } catch (const py::builtin_exception& error) {
      error.set_error();
    } catch (...) {
      if (!Restore(std::current_exception())) throw;
    }
    // LAB(12.9) end
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

void BindErrors(py::module_& module) {
  py::register_exception_translator([](std::exception_ptr pointer) {
    if (pointer != nullptr && !Restore(pointer)) std::rethrow_exception(pointer);
  });
  module.def(
      "set_error_factory",
      [](py::object factory) { ErrorFactory() = std::move(factory); },
      "From now on, errors are made by calling factory(code, message, node_name).");
}

}  // namespace minitf
