// Errors and proxies: the C++ objects that Python holds.
//
// The generator copies the files of this folder into each wrapper. Names that begin with
// SWIG_ are those that typemaps for SWIG use, with the same meaning (SWIG 4.1,
// Lib/python/pyrun.swg). All functions need the GIL.
//
// Read next: python/minitf_wrap/lib/conversions.h
#pragma once
#include <Python.h>
#include <cstring>
#include <exception>

namespace {

constexpr int SWIG_OK = 0, SWIG_ERROR = -1, SWIG_UnknownError = -1, SWIG_IOError = -2,
              SWIG_RuntimeError = -3, SWIG_IndexError = -4, SWIG_TypeError = -5,
              SWIG_DivisionByZero = -6, SWIG_OverflowError = -7, SWIG_SyntaxError = -8,
              SWIG_ValueError = -9, SWIG_SystemError = -10, SWIG_AttributeError = -11,
              SWIG_MemoryError = -12, SWIG_NullReferenceError = -13;

inline bool SWIG_IsOK(int code) { return code >= 0; }
inline int SWIG_ArgError(int code) { return code == SWIG_ERROR ? SWIG_TypeError : code; }

// Returns the Python exception for a code; RuntimeError for an unknown one.
inline PyObject* SWIG_ErrorType(int code) {
  PyObject* const types[] = {
      PyExc_RuntimeError,      PyExc_RuntimeError,  PyExc_OSError,
      PyExc_RuntimeError,      PyExc_IndexError,    PyExc_TypeError,
      PyExc_ZeroDivisionError, PyExc_OverflowError, PyExc_SyntaxError,
      PyExc_ValueError,        PyExc_SystemError,   PyExc_AttributeError,
      PyExc_MemoryError,       PyExc_TypeError};
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

// ---- Proxies ------------------------------------------------------------

// A type `name`, such as "Point *". `destroy` is null if Python cannot own such an
// object. `proxy` is the Python class, null if it does not exist.
struct swig_type_info {
  const char* name;
  void (*destroy)(void*) = nullptr;
  PyTypeObject* proxy = nullptr;
};

// A pointer in Python: the base of all proxy classes, and the class of pointers to types
// without a proxy class. `parent` is the object that has the pointee as a field; it
// stays alive.
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

inline PyObject* SWIG_Wrap(void* pointer, swig_type_info* type, bool own,
                           PyTypeObject* proxy) {
  PyObject* object = proxy->tp_alloc(proxy, 0);
  if (!object) return nullptr;
  SwigObject* self = AsSwigObject(object);
  self->pointer = pointer;
  self->type = type;
  self->is_owner = own;
  return object;
}

// Returns a new proxy of `pointer`, or None for null. SWIG_POINTER_OWN: Python deletes
// it.
inline PyObject* SWIG_NewPointerObj(const void* pointer, swig_type_info* type,
                                    int flags) {
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

// Converts a proxy of `type`; None becomes null. The type null and "void *" take every
// pointer. With SWIG_POINTER_DISOWN, Python no longer owns the object. Returns SWIG_OK or
// SWIG_TypeError, without an exception.
inline int SWIG_ConvertPtr(PyObject* object, void** pointer, swig_type_info* type,
                           int flags) {
  *pointer = nullptr;
  if (object == Py_None) return SWIG_OK;
  SwigObject* self = AsSwigObject(object);
  if (!self || !self->pointer) return SWIG_TypeError;
  const bool takes_all = !type || std::strcmp(type->name, "void *") == 0;
  if (!takes_all && self->type != type) return SWIG_TypeError;
  if (flags & SWIG_POINTER_DISOWN) self->is_owner = false;
  *pointer = self->pointer;
  return SWIG_OK;
}

// ---- The type of proxies --------------------------------------------------

inline void SwigDealloc(PyObject* self) {
  SWIG_Reset(AsSwigObject(self));
  Py_TYPE(self)->tp_free(self);
}

// A struct may have a proxy of its own field as an attribute. The garbage collector finds
// this circle, since proxy classes are made by Python.
inline int SwigTraverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(AsSwigObject(self)->parent);
  return 0;
}

inline int SwigClear(PyObject* self) {
  if (AsSwigObject(self)->parent) SWIG_Reset(AsSwigObject(self));
  return 0;
}

// The constructor of classes that have none.
inline int SwigNoConstructor(PyObject*, PyObject*, PyObject*) {
  SWIG_Error(SWIG_AttributeError, "No constructor defined");
  return -1;
}

inline PyObject* SwigRepr(PyObject* self) {
  const SwigObject* own = AsSwigObject(self);
  PyTypeObject* type = Py_TYPE(self);
  PyObject* raw =
      PyUnicode_FromFormat("<Swig Object of type '%s' at %p>",
                           own->type ? own->type->name : "NULL", own->pointer);
  if (type == &SwigObjectType) return raw;
  PyObject* module =
      PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "__module__");
  PyObject* text =
      PyUnicode_FromFormat("<%V.%s; proxy of %V >", module, "", type->tp_name, raw, "");
  Py_XDECREF(module);
  Py_XDECREF(raw);
  return text;
}

// Pointers without a proxy class are equal if their addresses are; proxies are not.
inline PyObject* SwigCompare(PyObject* left, PyObject* right, int operation) {
  if (!Py_IS_TYPE(left, &SwigObjectType) || !Py_IS_TYPE(right, &SwigObjectType)) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  Py_RETURN_RICHCOMPARE(AsSwigObject(left)->pointer, AsSwigObject(right)->pointer,
                        operation);
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

// Returns the row of SWIG_Register in Python's table of methods.
template <swig_type_info& type>
PyMethodDef SWIG_ClassRow(const char* name) {
  return {name, SWIG_Register<type>, METH_O, nullptr};
}

// Makes a function a method: it gets the object as its first argument.
inline PyObject* SWIG_Method(PyObject*, PyObject* function) {
  return PyInstanceMethod_New(function);
}

// Makes the extension module, with the type of proxies in it.
inline PyObject* SWIG_NewModule(const char* name, PyMethodDef* methods) {
  static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                   name,
                                   nullptr,
                                   -1,
                                   methods,
                                   nullptr,
                                   nullptr,
                                   nullptr,
                                   nullptr};
  static PyGetSetDef attributes[] = {
      {"thisown", SwigGetOwn, SwigSetOwn, nullptr, nullptr},
      {"this", SwigGetThis, nullptr, nullptr, nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  PyTypeObject& type = SwigObjectType;
  Py_SET_REFCNT(reinterpret_cast<PyObject*>(&type), 1);
  type.tp_name = "SwigPyObject";
  type.tp_basicsize = sizeof(SwigObject);
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  type.tp_new = PyType_GenericNew;
  type.tp_init = SwigNoConstructor;
  type.tp_dealloc = SwigDealloc;
  type.tp_traverse = SwigTraverse;
  type.tp_clear = SwigClear;
  type.tp_repr = SwigRepr;
  type.tp_richcompare = SwigCompare;
  type.tp_hash = SwigHash;
  type.tp_getset = attributes;
  if (PyType_Ready(&type) < 0) return nullptr;
  PyObject* module = PyModule_Create(&definition);
  if (module)
    PyModule_AddObjectRef(module, "SwigPyObject", reinterpret_cast<PyObject*>(&type));
  return module;
}

}  // namespace
