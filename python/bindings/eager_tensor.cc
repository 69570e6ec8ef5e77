// Compare    tensorflow/python/eager/pywrap_tensor.cc
// Read next  python/bindings/bind_eager.cc

#include "python/bindings/eager_tensor.h"

#include <new>
#include <string>
#include <structmember.h>
#include <utility>

#include "python/bindings/bind.h"
#include "python/bindings/numpy_bridge.h"

namespace py = pybind11;

namespace minitf {

namespace {

struct EagerTensorObject {
  PyObject ob_base;
  EagerTensor value;
  PyObject* weak_references;
};

PyTypeObject* eager_tensor_type = nullptr;

EagerTensor& ValueOf(PyObject* self) {
  return reinterpret_cast<EagerTensorObject*>(self)->value;
}

void Dealloc(PyObject* self) {
  auto* object = reinterpret_cast<EagerTensorObject*>(self);
  if (object->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  object->value.~EagerTensor();
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* GetId(PyObject* self, void*) { return PyLong_FromLongLong(ValueOf(self).id); }

PyObject* GetDTypeNumber(PyObject* self, void*) {
  return PyLong_FromLong(static_cast<long>(ValueOf(self).tensor.dtype()));
}

PyObject* GetSizes(PyObject* self, void*) {
  const Shape& shape = ValueOf(self).tensor.shape();
  PyObject* sizes = PyTuple_New(shape.rank());
  for (int i = 0; sizes != nullptr && i < shape.rank(); ++i)
    PyTuple_SET_ITEM(sizes, i, PyLong_FromLongLong(shape.sizes()[i]));
  return sizes;
}

template <Sharing sharing>
PyObject* AsArray(PyObject* self, PyObject*) {
  return CallGuarded(
      [self] { return ArrayFromTensor(ValueOf(self).tensor, sharing).release().ptr(); });
}

PyObject* Address(PyObject* self, PyObject*) {
  return PyLong_FromVoidPtr(const_cast<void*>(ValueOf(self).tensor.data()));
}

PyGetSetDef getters[] = {
    {"_id", GetId, nullptr, "The number by which tapes know the tensor.", nullptr},
    {"_dtype_number", GetDTypeNumber, nullptr, "The number of its element type.",
     nullptr},
    {"_sizes", GetSizes, nullptr, "Its shape, as a tuple.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {
    {"numpy", AsArray<Sharing::kNever>, METH_NOARGS,
     "The value: a numpy array that is a copy, or a scalar."},
    {"_shared_array", AsArray<Sharing::kReadOnly>, METH_NOARGS,
     "The value: a numpy array that shares the elements and is read-only, or a scalar."},
    {"_address", Address, METH_NOARGS, "Where the elements lie in memory."},
    {nullptr, nullptr, 0, nullptr}};

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(EagerTensorObject, weak_references),
     READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

}  // namespace

py::object MakeEagerTensorType(const py::object& base) {
  PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(&Dealloc)},
                         {Py_tp_getset, getters},
                         {Py_tp_methods, methods},
                         {Py_tp_members, members},
                         {0, nullptr}};
  PyType_Spec spec = {"minitf.EagerTensor", sizeof(EagerTensorObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  PyObject* type = PyType_FromSpecWithBases(&spec, py::make_tuple(base).ptr());
  if (type == nullptr) throw py::error_already_set();
  eager_tensor_type = reinterpret_cast<PyTypeObject*>(type);
  return py::reinterpret_borrow<py::object>(type);
}

bool IsEagerTensor(py::handle object) {
  return Py_TYPE(object.ptr()) == eager_tensor_type;
}

const EagerTensor& UnwrapEagerTensor(py::handle object) {
  if (!IsEagerTensor(object)) {
    throw py::type_error("an EagerTensor is needed, not " +
                         py::repr(object).cast<std::string>());
  }
  return ValueOf(object.ptr());
}

py::object WrapEagerTensor(EagerTensor value) {
  PyObject* self = eager_tensor_type->tp_alloc(eager_tensor_type, 0);
  if (self == nullptr) throw py::error_already_set();
  auto* object = reinterpret_cast<EagerTensorObject*>(self);
  new (&object->value) EagerTensor(std::move(value));
  object->weak_references = nullptr;
  return py::reinterpret_steal<py::object>(self);
}

}  // namespace minitf
