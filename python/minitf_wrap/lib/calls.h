// The call from Python to C++: arguments by position and by name.
//
// Read next: python/minitf_wrap/cpp_writer.py
#pragma once
#include <Python.h>
#include <algorithm>
#include <string>
#include <vector>

namespace {

// The function that Python calls under the name `symbol`. The body converts `count`
// arguments, whose names are `names`.
struct SwigFunction {
  const char* symbol;
  PyObject* (*body)(PyObject* const* arguments);
  Py_ssize_t count;
  const char* const* names;
};

// Puts arguments by position and by name into `slots`, which are null. Returns false if
// one is missing, unknown or doubled. Sets no exception.
inline bool SWIG_Unpack(const SwigFunction& function, PyObject* const* arguments,
                        Py_ssize_t size, PyObject* keywords, PyObject** slots) {
  const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  if (size + named != function.count) return false;
  std::copy(arguments, arguments + size, slots);
  for (Py_ssize_t k = 0; k < named; ++k) {
    PyObject* const keyword = PyTuple_GET_ITEM(keywords, k);
    const auto is_keyword = [keyword](const char* name) {
      return PyUnicode_CompareWithASCIIString(keyword, name) == 0;
    };
    const auto* const end = function.names + function.count;
    const auto slot = std::find_if(function.names, end, is_keyword) - function.names;
    if (slot == function.count || slots[slot]) return false;
    slots[slot] = arguments[size + k];
  }
  return true;
}

// Reports that arguments are missing, unknown or doubled.
inline PyObject* SWIG_WrongArguments(const SwigFunction& function, Py_ssize_t size,
                                     PyObject* keywords) {
  std::string names;
  for (Py_ssize_t k = 0; k < function.count; ++k) {
    names += (k > 0 ? ", " : "") + std::string(function.names[k]);
  }
  const std::string start = function.symbol + ("() expected the arguments (" + names) +
                            "), got " + std::to_string(size) + " by position";
  if (!keywords) return PyErr_Format(PyExc_TypeError, "%s", start.c_str());
  return PyErr_Format(PyExc_TypeError, "%s and %R by name", start.c_str(), keywords);
}

// The C function for Python's table of methods.
template <const SwigFunction& function>
PyObject* SWIG_Call(PyObject*, PyObject* const* arguments, Py_ssize_t size,
                    PyObject* keywords) {
  if (!keywords && size == function.count) return function.body(arguments);
  std::vector<PyObject*> slots(function.count);
  if (!SWIG_Unpack(function, arguments, size, keywords, slots.data())) {
    return SWIG_WrongArguments(function, size, keywords);
  }
  return function.body(slots.data());
}

// Returns the row of a function in Python's table of methods.
template <const SwigFunction& function>
PyMethodDef SWIG_Row(const char* doc) {
  auto* const call = reinterpret_cast<void (*)()>(&SWIG_Call<function>);
  const int flags = METH_FASTCALL | METH_KEYWORDS;
  return {function.symbol, reinterpret_cast<PyCFunction>(call), flags, doc};
}

}  // namespace
