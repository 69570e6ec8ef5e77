// What every wrapper is built on: proxies, conversions, and the call from Python.
//
// The generator copies this file into each wrapper, below its type descriptors' names. Names
// that begin with SWIG_ are those that interface files for SWIG use in their typemaps, with
// the same meaning (SWIG 4.1, Lib/python/pyrun.swg). All functions need the GIL.
//
// Read next: python/minitf_wrap/cpp_writer.py
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace {

// ---- Errors -------------------------------------------------------------------------------

enum SwigCode {
  SWIG_OK = 0,
  SWIG_ERROR = -1,
  SWIG_UnknownError = -1,
  SWIG_IOError = -2,
  SWIG_RuntimeError = -3,
  SWIG_IndexError = -4,
  SWIG_TypeError = -5,
  SWIG_DivisionByZero = -6,
  SWIG_OverflowError = -7,
  SWIG_SyntaxError = -8,
  SWIG_ValueError = -9,
  SWIG_SystemError = -10,
  SWIG_AttributeError = -11,
  SWIG_MemoryError = -12,
  SWIG_NullReferenceError = -13,
};

inline bool SWIG_IsOK(int code) { return code >= 0; }
inline int SWIG_ArgError(int code) { return code == SWIG_ERROR ? SWIG_TypeError : code; }

// Returns the Python exception for a code; RuntimeError for an unknown one.
inline PyObject* SWIG_ErrorType(int code) {
  PyObject* const types[] = {
      PyExc_RuntimeError, PyExc_RuntimeError,   PyExc_OSError,        PyExc_RuntimeError,
      PyExc_IndexError,   PyExc_TypeError,      PyExc_ZeroDivisionError,
      PyExc_OverflowError, PyExc_SyntaxError,   PyExc_ValueError,     PyExc_SystemError,
      PyExc_AttributeError, PyExc_MemoryError,  PyExc_TypeError};
  return code <= 0 && code >= -13 ? types[-code] : PyExc_RuntimeError;
}

inline void SWIG_Error(int code, const char* text) {
  PyErr_SetString(SWIG_ErrorType(code), text);
}

// Appends an output argument: the first one replaces None, more of them make a list.
inline PyObject* SWIG_AppendOutput(PyObject* result, PyObject* output) {
  if (!result || result == Py_None) {
    Py_XDECREF(result);
    return output;
  }
  if (!PyList_Check(result)) {
    PyObject* list = PyList_New(1);
    PyList_SET_ITEM(list, 0, result);
    result = list;
  }
  PyList_Append(result, output);
  Py_XDECREF(output);
  return result;
}

// ---- Proxies ------------------------------------------------------------------------------

// What is known of a type `name`, such as "Point *". A class with a base class can be
// converted to it. `destroy` is null if Python cannot own such an object. `proxy` is the
// Python class, null if there is none.
struct swig_type_info {
  const char* name;
  swig_type_info* base = nullptr;
  void* (*to_base)(void*) = nullptr;
  void (*destroy)(void*) = nullptr;
  PyTypeObject* proxy = nullptr;
};

// A pointer in Python: the base of all proxy classes, and the whole of a pointer to a type
// without one. `parent` is the object that has the pointee as a field; it stays alive.
struct SwigObject {
  PyObject_HEAD;
  void* pointer;
  swig_type_info* type;
  PyObject* parent;
  bool is_owner;
};

PyTypeObject SwigObjectType{};  // SWIG_NewModule fills it in
constexpr int SWIG_POINTER_OWN = 1;
constexpr int SWIG_POINTER_DISOWN = 1;

inline SwigObject* AsSwigObject(PyObject* object) {
  const bool fits = PyObject_TypeCheck(object, &SwigObjectType);
  return fits ? reinterpret_cast<SwigObject*>(object) : nullptr;
}

// Gives up the pointer of a proxy, and deletes the object if the proxy owns it.
inline void SWIG_Reset(SwigObject* self) {
  void* pointer = self->pointer;
  self->pointer = nullptr;
  if (pointer && self->is_owner && self->type->destroy) self->type->destroy(pointer);
  Py_CLEAR(self->parent);
}

// Makes the proxy forget its object, which the caller deletes.
inline void SWIG_Release(PyObject* object) {
  AsSwigObject(object)->is_owner = false;
  SWIG_Reset(AsSwigObject(object));
}

inline PyObject* SWIG_Wrap(void* pointer, swig_type_info* type, bool own, PyTypeObject* proxy) {
  PyObject* object = proxy->tp_alloc(proxy, 0);
  if (!object) return nullptr;
  SwigObject* self = AsSwigObject(object);
  self->pointer = pointer;
  self->type = type;
  self->is_owner = own;
  return object;
}

// Returns a new proxy of `pointer`, None for null. With SWIG_POINTER_OWN Python deletes it.
inline PyObject* SWIG_NewPointerObj(const void* pointer, swig_type_info* type, int flags) {
  if (!pointer) Py_RETURN_NONE;
  PyTypeObject* proxy = type->proxy ? type->proxy : &SwigObjectType;
  return SWIG_Wrap(const_cast<void*>(pointer), type, flags & SWIG_POINTER_OWN, proxy);
}

// Gives a proxy that Python has just made its object; returns None.
inline PyObject* SWIG_InitProxy(PyObject* object, void* pointer, swig_type_info* type) {
  SwigObject* self = AsSwigObject(object);
  if (!self) {
    type->destroy(pointer);
    SWIG_Error(SWIG_TypeError, "__init__ expected an object of its class as self");
    return nullptr;
  }
  SWIG_Reset(self);
  self->pointer = pointer;
  self->type = type;
  self->is_owner = true;
  Py_RETURN_NONE;
}

// Keeps `parent` alive as long as `object`, a proxy of one of its fields.
inline PyObject* SWIG_KeepParent(PyObject* object, PyObject* parent) {
  SwigObject* self = object ? AsSwigObject(object) : nullptr;
  if (self && !self->is_owner) self->parent = Py_NewRef(parent);
  return object;
}

// Converts a proxy of `type` or of a class derived from it; None becomes null. The type
// null, or one without a name, takes every pointer. With SWIG_POINTER_DISOWN Python no longer
// owns the object. Returns SWIG_OK or SWIG_TypeError, without an exception.
inline int SWIG_ConvertPtr(PyObject* object, void** pointer, swig_type_info* type, int flags) {
  *pointer = nullptr;
  if (object == Py_None) return SWIG_OK;
  SwigObject* self = AsSwigObject(object);
  if (!self || !self->pointer) return SWIG_TypeError;
  void* result = self->pointer;
  const bool takes_all = !type || std::strcmp(type->name, "void *") == 0;
  for (swig_type_info* own = self->type; !takes_all && own != type; own = own->base) {
    if (!own->base) return SWIG_TypeError;
    result = own->to_base(result);
  }
  if (flags & SWIG_POINTER_DISOWN) self->is_owner = false;
  *pointer = result;
  return SWIG_OK;
}

// ---- Conversions of values ----------------------------------------------------------------

// SWIG_AsVal(object, &value) returns SWIG_OK, SWIG_TypeError or SWIG_OverflowError and sets
// no exception. SWIG_From(value) returns a new reference, null with an exception.

template <typename T>
concept Integer = std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char>;

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
  if (PyUnicode_Check(object) && SWIG_AsVal(object, &text, &size) == SWIG_OK && size <= 1) {
    *value = *text;
    return SWIG_OK;
  }
  return SWIG_AsVal(object, reinterpret_cast<signed char*>(value));
}

inline int SWIG_AsVal(PyObject* object, std::string* value) {
  char* text = nullptr;
  Py_ssize_t size = 0;
  if (object == Py_None || SWIG_AsVal(object, &text, &size)) return SWIG_TypeError;
  value->assign(text, size);
  return SWIG_OK;
}

template <Integer T>
PyObject* SWIG_From(T value) {
  if constexpr (std::is_signed_v<T>) return PyLong_FromLongLong(value);
  return PyLong_FromUnsignedLongLong(value);
}
inline PyObject* SWIG_From(double value) { return PyFloat_FromDouble(value); }
inline PyObject* SWIG_From(float value) { return PyFloat_FromDouble(value); }
inline PyObject* SWIG_From(bool value) { return PyBool_FromLong(value); }
inline PyObject* SWIG_From(const std::string& value) {
  return PyUnicode_DecodeUTF8(value.data(), value.size(), "surrogateescape");
}
inline PyObject* SWIG_From(char value) { return SWIG_From(std::string(1, value)); }
inline PyObject* SWIG_From(const char* text) {
  if (!text) Py_RETURN_NONE;
  return PyUnicode_DecodeUTF8(text, std::strlen(text), "surrogateescape");
}

// Returns a copy for a variable. Nobody deletes it, because the text that it replaces may be
// a literal.
[[maybe_unused]] inline char* SWIG_CopyText(const char* text) {
  return text ? std::strcpy(new char[std::strlen(text) + 1], text) : nullptr;
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

// ---- The call from Python -----------------------------------------------------------------

// One overload: its body converts `count` arguments, of which those from `required` on may
// be null.
struct SwigOverload {
  PyObject* (*body)(PyObject* const* arguments);
  int required;
  int count;
};

// What Python calls under the name `symbol`. `shown` is its name in errors about the count
// of arguments. `prototypes` is null if only one list of types fits; then its body reports
// wrong types itself.
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
    const std::string least = required < count ? "from " + std::to_string(required) + " to " : "";
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
  if (!function.prototypes && !keywords && size == first.count) return first.body(arguments);
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

// ---- The type of proxies ------------------------------------------------------------------

inline void SwigDealloc(PyObject* self) {
  SWIG_Reset(AsSwigObject(self));
  Py_TYPE(self)->tp_free(self);
}

inline PyObject* SwigRepr(PyObject* self) {
  const SwigObject* own = AsSwigObject(self);
  PyTypeObject* type = Py_TYPE(self);
  PyObject* raw = PyUnicode_FromFormat("<Swig Object of type '%s' at %p>",
                                       own->type ? own->type->name : "NULL", own->pointer);
  if (type == &SwigObjectType) return raw;
  PyObject* module = PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__module__");
  PyObject* text = PyUnicode_FromFormat("<%V.%s; proxy of %V >", module, "", type->tp_name, raw, "");
  Py_XDECREF(module);
  Py_XDECREF(raw);
  return text;
}

// Pointers without a proxy class are equal if their addresses are; proxies are not.
inline PyObject* SwigCompare(PyObject* left, PyObject* right, int operation) {
  if (!Py_IS_TYPE(left, &SwigObjectType) || !Py_IS_TYPE(right, &SwigObjectType)) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  Py_RETURN_RICHCOMPARE(AsSwigObject(left)->pointer, AsSwigObject(right)->pointer, operation);
}

inline Py_hash_t SwigHash(PyObject* self) {
  const bool is_raw = Py_IS_TYPE(self, &SwigObjectType);
  return _Py_HashPointer(is_raw ? AsSwigObject(self)->pointer : self);
}

inline PyObject* SwigGetOwn(PyObject* self, void*) {
  return PyBool_FromLong(AsSwigObject(self)->is_owner);
}

inline int SwigSetOwn(PyObject* self, PyObject* value, void*) {
  const int truth = PyObject_IsTrue(value ? value : Py_False);
  if (truth >= 0) AsSwigObject(self)->is_owner = truth;
  return truth < 0 ? -1 : 0;
}

// Returns the address as a pointer without a proxy class, which can be compared.
inline PyObject* SwigGetThis(PyObject* self, void*) {
  SwigObject* own = AsSwigObject(self);
  return SWIG_Wrap(own->pointer, own->type, false, &SwigObjectType);
}

// Registers the proxy class of a type.
template <swig_type_info& type>
PyObject* SWIG_Register(PyObject*, PyObject* proxy) {
  type.proxy = reinterpret_cast<PyTypeObject*>(Py_NewRef(proxy));
  Py_RETURN_NONE;
}

// Makes a function a method: it gets the object as its first argument.
inline PyObject* SWIG_Method(PyObject*, PyObject* function) {
  return PyInstanceMethod_New(function);
}

// Makes the extension module, with the type of proxies in it.
inline PyObject* SWIG_NewModule(PyModuleDef* definition) {
  static PyGetSetDef attributes[] = {{"thisown", SwigGetOwn, SwigSetOwn, nullptr, nullptr},
                                     {"this", SwigGetThis, nullptr, nullptr, nullptr},
                                     {nullptr, nullptr, nullptr, nullptr, nullptr}};
  PyTypeObject& type = SwigObjectType;
  Py_SET_REFCNT(reinterpret_cast<PyObject*>(&type), 1);
  type.tp_name = "SwigPyObject";
  type.tp_basicsize = sizeof(SwigObject);
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  type.tp_new = PyType_GenericNew;
  type.tp_dealloc = SwigDealloc;
  type.tp_repr = SwigRepr;
  type.tp_richcompare = SwigCompare;
  type.tp_hash = SwigHash;
  type.tp_getset = attributes;
  if (PyType_Ready(&type) < 0) return nullptr;
  PyObject* module = PyModule_Create(definition);
  if (module) PyModule_AddObjectRef(module, "SwigPyObject", reinterpret_cast<PyObject*>(&type));
  return module;
}

}  // namespace
