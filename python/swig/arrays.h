// Between numpy arrays and TF_Tensors, for typemaps (M229).
//
// Compare    tensorflow/python/lib/core/ndarray_tensor.h
// Read next  python/swig/steps.h

#pragma once

#include <Python.h>
#include <cstdint>
#include <numpy/arrayobject.h>
#include <string>
#include <vector>

#include "minitf/c/tf_tensor.h"

namespace minitf::swig {

struct TypePair {
  int number;  // of numpy
  TF_DataType dtype;
};

inline constexpr TypePair kTypes[] = {
    {NPY_FLOAT, TF_FLOAT},         {NPY_DOUBLE, TF_DOUBLE},
    {NPY_HALF, TF_HALF},           {NPY_BOOL, TF_BOOL},
    {NPY_INT8, TF_INT8},           {NPY_INT16, TF_INT16},
    {NPY_INT32, TF_INT32},         {NPY_INT64, TF_INT64},
    {NPY_UINT8, TF_UINT8},         {NPY_UINT16, TF_UINT16},
    {NPY_UINT32, TF_UINT32},       {NPY_UINT64, TF_UINT64},
    {NPY_COMPLEX64, TF_COMPLEX64}, {NPY_COMPLEX128, TF_COMPLEX128},
};

// Loads numpy's own functions when they are first needed.
inline bool HasNumpy() { return PyArray_API != nullptr || _import_array() == 0; }

// Copies a bytes or str object. Returns false, with an exception set, for any other one.
inline bool CopyBytes(PyObject* item, std::string* bytes) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyUnicode_Check(item)) {
    data = const_cast<char*>(PyUnicode_AsUTF8AndSize(item, &size));
    if (data == nullptr) return false;
  } else if (PyBytes_AsStringAndSize(item, &data, &size) != 0) {
    return false;
  }
  bytes->assign(data, size);
  return true;
}

// A TF_STRING tensor of an array of objects.
inline TF_Tensor* TensorFromObjects(PyArrayObject* array, const int64_t* dims) {
  const npy_intp count = PyArray_SIZE(array);
  const auto* items = static_cast<PyObject* const*>(PyArray_DATA(array));
  std::vector<std::string> strings(count);
  size_t size = count * sizeof(uint64_t);
  for (npy_intp i = 0; i < count; ++i) {
    if (!CopyBytes(items[i], &strings[i])) return nullptr;
    size += TF_StringEncodedSize(strings[i].size());
  }
  TF_Tensor* tensor = TF_AllocateTensor(TF_STRING, dims, PyArray_NDIM(array), size);
  if (tensor == nullptr) return reinterpret_cast<TF_Tensor*>(PyErr_NoMemory());
  auto* offsets = static_cast<uint64_t*>(TF_TensorData(tensor));
  char* const begin = reinterpret_cast<char*>(offsets + count);
  char* end = begin;
  TF_Status* status = TF_NewStatus();
  for (npy_intp i = 0; i < count; ++i) {
    offsets[i] = end - begin;
    const std::string& text = strings[i];
    end += TF_StringEncode(text.data(), text.size(), end,
                           TF_StringEncodedSize(text.size()), status);
  }
  TF_DeleteStatus(status);
  return tensor;
}

// The numbers of an array are used where they are; the tensor holds a reference to it.
inline void ReleaseArray(void* /*data*/, size_t /*size*/, void* array) {
  const PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(static_cast<PyObject*>(array));
  PyGILState_Release(state);
}

/// Returns a tensor of whatever numpy can make an array of. The tensor shares elements
/// that lie in the order of rows, aligned, in this machine's order of bytes. It copies
/// other elements. Returns null with an exception set:
/// TypeError for an element type that minitf does not have. The caller holds the GIL,
/// owns the tensor, and does not change `value` while the tensor exists.
inline TF_Tensor* TensorFromArray(PyObject* value) {
  if (!HasNumpy()) return nullptr;
  const int kLayout = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED;
  PyObject* found = PyArray_CheckFromAny(value, nullptr, 0, 0, kLayout, nullptr);
  if (found == nullptr) return nullptr;
  auto* array = reinterpret_cast<PyArrayObject*>(found);
  if (PyArray_TYPE(array) == NPY_STRING || PyArray_TYPE(array) == NPY_UNICODE) {
    PyObject* objects = PyArray_Cast(array, NPY_OBJECT);
    Py_DECREF(found);
    if (objects == nullptr) return nullptr;
    found = objects;
    array = reinterpret_cast<PyArrayObject*>(found);
  }
  const std::vector<int64_t> dims(PyArray_DIMS(array),
                                  PyArray_DIMS(array) + PyArray_NDIM(array));
  if (PyArray_TYPE(array) == NPY_OBJECT) {
    TF_Tensor* tensor = TensorFromObjects(array, dims.data());
    Py_DECREF(found);
    return tensor;
  }
  for (const TypePair& pair : kTypes) {
    if (!PyArray_EquivTypenums(pair.number, PyArray_TYPE(array))) continue;
    TF_Tensor* tensor =
        TF_NewTensor(pair.dtype, dims.data(), PyArray_NDIM(array), PyArray_DATA(array),
                     PyArray_NBYTES(array), ReleaseArray, found);
    if (tensor == nullptr) PyErr_NoMemory();
    return tensor;
  }
  PyErr_Format(PyExc_TypeError, "a tensor has no elements of type %R",
               PyArray_DESCR(array));
  Py_DECREF(found);
  return nullptr;
}

inline void DeleteTensorOf(PyObject* capsule) {
  TF_DeleteTensor(static_cast<TF_Tensor*>(PyCapsule_GetPointer(capsule, nullptr)));
}

// An array of bytes objects.
inline PyObject* ArrayFromStrings(const TF_Tensor* tensor, std::vector<npy_intp> dims) {
  PyObject* array = PyArray_SimpleNew(dims.size(), dims.data(), NPY_OBJECT);
  if (array == nullptr) return nullptr;
  auto** items =
      static_cast<PyObject**>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)));
  const int64_t count = TF_TensorElementCount(tensor);
  const auto* offsets = static_cast<const uint64_t*>(TF_TensorData(tensor));
  const char* begin = reinterpret_cast<const char*>(offsets + count);
  const char* end = reinterpret_cast<const char*>(offsets) + TF_TensorByteSize(tensor);
  TF_Status* status = TF_NewStatus();
  for (int64_t i = 0; i < count; ++i) {
    const char* text = nullptr;
    size_t size = 0;
    TF_StringDecode(begin + offsets[i], end - (begin + offsets[i]), &text, &size, status);
    PyObject* item = PyBytes_FromStringAndSize(text, size);
    if (item == nullptr) break;
    Py_XSETREF(items[i], item);
  }
  TF_DeleteStatus(status);
  if (!PyErr_Occurred()) return array;
  Py_DECREF(array);
  return nullptr;
}

/// Returns an array that owns `tensor` and uses its elements where they are; those of a
/// TF_STRING tensor become bytes objects. The array cannot be written, since a session
/// may still use the elements. Returns null with an exception set: TypeError for an
/// element type that numpy does not have. The caller holds the GIL.
inline PyObject* ArrayFromTensor(TF_Tensor* tensor) {
  if (tensor == nullptr) Py_RETURN_NONE;
  PyObject* owner = HasNumpy() ? PyCapsule_New(tensor, nullptr, DeleteTensorOf) : nullptr;
  if (owner == nullptr) {
    TF_DeleteTensor(tensor);
    return nullptr;
  }
  std::vector<npy_intp> dims(TF_NumDims(tensor));
  for (size_t i = 0; i < dims.size(); ++i) dims[i] = TF_Dim(tensor, i);
  PyObject* array = nullptr;
  const TF_DataType dtype = TF_TensorType(tensor);
  if (dtype == TF_STRING) {
    array = ArrayFromStrings(tensor, dims);
    Py_DECREF(owner);
    return array;
  }
  for (const TypePair& pair : kTypes) {
    if (pair.dtype != dtype) continue;
    array = PyArray_New(&PyArray_Type, dims.size(), dims.data(), pair.number, nullptr,
                        TF_TensorData(tensor), 0, NPY_ARRAY_CARRAY_RO, nullptr);
    if (array == nullptr) break;
    // Takes over the reference to `owner`, also if it fails.
    PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(array), owner);
    return array;
  }
  Py_DECREF(owner);
  if (array == nullptr && !PyErr_Occurred())
    PyErr_Format(PyExc_TypeError, "numpy has no elements of TF_DataType %d", dtype);
  return nullptr;
}

}  // namespace minitf::swig
