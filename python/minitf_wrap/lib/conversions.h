// Values of Python to values of C++ and back: what the typemaps of builtin.i call.
//
// Read next: python/minitf_wrap/lib/calls.h
#pragma once
#include <Python.h>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "python/minitf_wrap/lib/proxies.h"

namespace {

// SWIG_AsVal(object, &value) returns SWIG_OK, SWIG_TypeError or SWIG_OverflowError. It
// sets no exception. SWIG_From(value) returns a new reference, or null with an
// exception.

template <typename T>
concept Integer =
    std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char>;

template <Integer T>
int SWIG_AsVal(PyObject* object, T* value) {
  if (!PyLong_Check(object)) return SWIG_TypeError;
  using Widest = std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>;
  Widest wide;
  if constexpr (std::is_signed_v<T>) {
    wide = PyLong_AsLongLong(object);
  } else {
    wide = PyLong_AsUnsignedLongLong(object);
  }
  if (wide == static_cast<Widest>(-1) && PyErr_Occurred()) {
    PyErr_Clear();
    return SWIG_OverflowError;
  }
  *value = static_cast<T>(wide);
  return static_cast<Widest>(*value) == wide ? SWIG_OK : SWIG_OverflowError;
}

inline int SWIG_AsVal(PyObject* object, double* value) {
  if (PyFloat_Check(object)) {
    *value = PyFloat_AS_DOUBLE(object);
    return SWIG_OK;
  }
  if (!PyLong_Check(object)) return SWIG_TypeError;
  *value = PyLong_AsDouble(object);
  if (*value != -1 || !PyErr_Occurred()) return SWIG_OK;
  PyErr_Clear();
  return SWIG_TypeError;
}

inline int SWIG_AsVal(PyObject* object, float* value) {
  double wide = 0;
  if (const int code = SWIG_AsVal(object, &wide)) return code;
  *value = static_cast<float>(wide);
  const bool fits = std::abs(wide) <= std::numeric_limits<float>::max();
  return fits || !std::isfinite(wide) ? SWIG_OK : SWIG_OverflowError;
}

inline int SWIG_AsVal(PyObject* object, bool* value) {
  if (!PyBool_Check(object)) return SWIG_TypeError;
  *value = object == Py_True;
  return SWIG_OK;
}

// The text belongs to `object`. A zero character ends it.
inline int SWIG_AsVal(PyObject* object, char** text, Py_ssize_t* size = nullptr) {
  *text = nullptr;
  if (object == Py_None) return SWIG_OK;
  if (!PyUnicode_Check(object)) return SWIG_TypeError;
  *text = const_cast<char*>(PyUnicode_AsUTF8AndSize(object, size));
  if (*text) return SWIG_OK;
  PyErr_Clear();
  return SWIG_TypeError;
}

inline int SWIG_AsVal(PyObject* object, char* value) {
  char* text = nullptr;
  Py_ssize_t size = 0;
  *value = 0;
  if (object == Py_None) return SWIG_OK;
  if (PyUnicode_Check(object) && SWIG_AsVal(object, &text, &size) == SWIG_OK &&
      size <= 1) {
    *value = *text;
    return SWIG_OK;
  }
  return SWIG_AsVal(object, reinterpret_cast<signed char*>(value));
}

template <Integer T>
PyObject* SWIG_From(T value) {
  if constexpr (std::is_signed_v<T>) return PyLong_FromLongLong(value);
  return PyLong_FromUnsignedLongLong(value);
}
inline PyObject* SWIG_From(double value) { return PyFloat_FromDouble(value); }
inline PyObject* SWIG_From(float value) { return PyFloat_FromDouble(value); }
inline PyObject* SWIG_From(bool value) { return PyBool_FromLong(value); }
inline PyObject* SWIG_From(char value) {
  return PyUnicode_DecodeUTF8(&value, 1, "surrogateescape");
}
inline PyObject* SWIG_From(const char* text) {
  if (!text) Py_RETURN_NONE;
  return PyUnicode_DecodeUTF8(text, std::strlen(text), "surrogateescape");
}

// Sets a variable. A text is copied, and the copy is never deleted: the text that it
// replaces may be a literal.
template <typename T>
void SWIG_Assign(T& variable, const T& value) {
  variable = value;
}
inline void SWIG_Assign(char*& variable, const char* value) {
  variable = value ? std::strcpy(new char[std::strlen(value) + 1], value) : nullptr;
}
inline void SWIG_Assign(const char*& variable, const char* value) {
  variable = value ? std::strcpy(new char[std::strlen(value) + 1], value) : nullptr;
}

// Lets other Python threads run while it exists.
class SwigAllowThreads {
 public:
  SwigAllowThreads() : state_(PyEval_SaveThread()) {}
  ~SwigAllowThreads() { PyEval_RestoreThread(state_); }
  SwigAllowThreads(const SwigAllowThreads&) = delete;
  SwigAllowThreads& operator=(const SwigAllowThreads&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace
