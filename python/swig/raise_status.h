// From TF_Status to the exceptions of minitf.errors (M232), for typemaps.
//
// Compare    tensorflow/python/lib/core/py_exception_registry.h
// Read next  python/swig/arrays.h

#pragma once

#include <Python.h>

#include "minitf/c/tf_status.h"

namespace minitf::swig {

/// Returns the status that all wrapped calls of this thread share.
inline TF_Status* StatusOfThread() {
  struct Holder {
    TF_Status* status = TF_NewStatus();
    ~Holder() { TF_DeleteStatus(status); }
  };
  static thread_local Holder holder;
  return holder.status;
}

/// Returns true if `status` is OK. Otherwise sets the exception of its code, such as
/// minitf.errors.InvalidArgumentError, and returns false. The caller holds the GIL.
inline bool RaiseIfNotOk(const TF_Status* status) {
  if (TF_GetCode(status) == TF_OK) return true;
  PyObject* errors = PyImport_ImportModule("minitf.errors");
  if (errors == nullptr) return false;
  PyObject* type = PyObject_CallMethod(errors, "exception_type_from_error_code", "i",
                                       static_cast<int>(TF_GetCode(status)));
  Py_DECREF(errors);
  if (type == nullptr) return false;
  PyObject* error =
      PyObject_CallFunction(type, "OOs", Py_None, Py_None, TF_Message(status));
  if (error != nullptr) PyErr_SetObject(type, error);
  Py_XDECREF(error);
  Py_DECREF(type);
  return false;
}

}  // namespace minitf::swig
