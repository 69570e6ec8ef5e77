// The call from Python to C++: arguments by position and by name, and overloads.
//
// Read next: python/minitf_wrap/cpp_writer.py
#pragma once
#include <Python.h>
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace {

// One overload. Its body converts `count` arguments. Those from `required` on may be
// null.
struct SwigOverload {
  PyObject* (*body)(PyObject* const* arguments);
  int required;
  int count;
};

// What Python calls under the name `symbol`. Errors about the count of arguments use the
// name `shown`. `prototypes` is null if only one list of types fits. Then the body itself
// reports wrong types. `names` is null if there are several overloads.
struct SwigFunction {
  const char* symbol;
  const char* shown;
  const char* const* names;
  const char* prototypes;
  int size;
  const SwigOverload* overloads;
};

// Whether the last body that failed did so before it called C++. The GIL guards it.
bool swig_mismatch = false;

// Puts arguments by position and by name into `slots`, as a function of Python does.
inline bool SWIG_Unpack(const SwigFunction& function, PyObject* const* arguments,
                        Py_ssize_t size, PyObject* keywords, PyObject** slots) {
  const auto [body, required, count] = function.overloads[0];
  const auto fail = [&](const char* text, const char* name) {
    PyErr_Format(PyExc_TypeError, text, function.shown, name);
    return false;
  };
  if (size > count) {
    const std::string least =
        required < count ? "from " + std::to_string(required) + " to " : "";
    const std::string text = least + std::to_string(count) + " positional argument" +
                             (count == 1 ? "" : "s") + " but " + std::to_string(size) +
                             (size == 1 ? " was" : " were");
    return fail("%s() takes %s given", text.c_str());
  }
  std::fill(std::copy(arguments, arguments + size, slots), slots + count, nullptr);
  for (Py_ssize_t k = 0; keywords && k < PyTuple_GET_SIZE(keywords); ++k) {
    const char* name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(keywords, k));
    if (!name) return false;
    int slot = 0;
    while (slot < count && std::strcmp(name, function.names[slot]) != 0) ++slot;
    if (slot == count) return fail("%s() got an unexpected keyword argument '%s'", name);
    if (slots[slot]) return fail("%s() got multiple values for argument '%s'", name);
    slots[slot] = arguments[size + k];
  }
  std::vector<std::string> missing;
  for (int slot = 0; slot < required; ++slot) {
    if (!slots[slot]) missing.push_back("'" + std::string(function.names[slot]) + "'");
  }
  if (missing.empty()) return true;
  std::string text = std::to_string(missing.size()) + " required positional argument" +
                     (missing.size() == 1 ? ": " : "s: ");
  for (size_t k = 0; k < missing.size(); ++k) {
    const bool is_last = k + 1 == missing.size();
    if (k > 0) text += missing.size() == 2 ? " and " : is_last ? ", and " : ", ";
    text += missing[k];
  }
  return fail("%s() missing %s", text.c_str());
}

// Tries the overloads in order until one takes the types of the arguments.
inline PyObject* SWIG_TryOverloads(const SwigFunction& function, PyObject* const* slots,
                                   Py_ssize_t size) {
  for (int k = 0; k < function.size; ++k) {
    const SwigOverload& overload = function.overloads[k];
    if (size < overload.required || size > overload.count) continue;
    swig_mismatch = true;
    PyObject* result = overload.body(slots);
    if (result || !swig_mismatch) return result;
    PyErr_Clear();
  }
  swig_mismatch = false;
  return PyErr_Format(PyExc_TypeError,
                      "Wrong number or type of arguments for overloaded function '%s'.\n"
                      "  Possible C/C++ prototypes are:\n%s",
                      function.symbol, function.prototypes);
}

constexpr int kMaxArguments = 32;

// The C function for Python's table of methods.
template <const SwigFunction& function>
PyObject* SWIG_Call(PyObject*, PyObject* const* arguments, Py_ssize_t size,
                    PyObject* keywords) {
  const SwigOverload& first = function.overloads[0];
  if (!function.prototypes && !keywords && size == first.count)
    return first.body(arguments);
  PyObject* slots[kMaxArguments] = {};
  if (!function.names) {
    if (keywords && PyTuple_GET_SIZE(keywords)) {
      return PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'",
                          function.shown, PyTuple_GET_ITEM(keywords, 0));
    }
    if (size <= kMaxArguments) std::copy(arguments, arguments + size, slots);
    return SWIG_TryOverloads(function, slots, size);
  }
  if (!SWIG_Unpack(function, arguments, size, keywords, slots)) return nullptr;
  if (!function.prototypes) return first.body(slots);
  return SWIG_TryOverloads(function, slots, first.count);
}

// Returns the row of a function in Python's table of methods.
template <const SwigFunction& function>
PyMethodDef SWIG_Row(const char* doc) {
  auto* const call = reinterpret_cast<void (*)()>(&SWIG_Call<function>);
  const int flags = METH_FASTCALL | METH_KEYWORDS;
  return {function.symbol, reinterpret_cast<PyCFunction>(call), flags, doc};
}

}  // namespace
