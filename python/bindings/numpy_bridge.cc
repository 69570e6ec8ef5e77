// Exercise   exercises/12_bindings
// Compare    tensorflow/python/lib/core/ndarray_tensor.cc
// Read next  python/bindings/eager_tensor.cc

#include "python/bindings/numpy_bridge.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "minitf/tensor/half.h"
#include "python/bindings/gil.h"

namespace py = pybind11;

namespace minitf {

namespace {

// numpy's own numbers of its element types. The C types long and long long are two
// numbers with one meaning; py::dtype::normalized_num() makes them one.
struct NumpyType {
  DType dtype;
  const char* name;
};

constexpr NumpyType kNumpyTypes[] = {
    {DType::kFloat32, "float32"},     {DType::kFloat64, "float64"},
    {DType::kFloat16, "float16"},     {DType::kInt8, "int8"},
    {DType::kInt16, "int16"},         {DType::kInt32, "int32"},
    {DType::kInt64, "int64"},         {DType::kUint8, "uint8"},
    {DType::kUint16, "uint16"},       {DType::kUint32, "uint32"},
    {DType::kUint64, "uint64"},       {DType::kBool, "bool"},
    {DType::kComplex64, "complex64"}, {DType::kComplex128, "complex128"},
    {DType::kString, "object"},
};

py::dtype Bfloat16DType() {
  try {
    return py::dtype::from_args(py::module_::import("ml_dtypes").attr("bfloat16"));
  } catch (const py::error_already_set&) {
    return py::dtype("uint16");
  }
}

// The dtype objects, looked up once. Never freed: Python may be gone before they would
// be.
const py::dtype& CachedDType(DType dtype) {
  static const auto* const cache = [] {
    auto* dtypes = new std::vector<py::object>(kNumDTypes);
    for (const NumpyType& type : kNumpyTypes)
      (*dtypes)[static_cast<int>(type.dtype)] = py::dtype(type.name);
    (*dtypes)[static_cast<int>(DType::kBfloat16)] = Bfloat16DType();
    return dtypes;
  }();
  return static_cast<const py::dtype&>((*cache)[static_cast<int>(dtype)]);
}

// From numpy's number of a type to ours.
DType FromNumpyNumber(int number) {
  static const auto* const table = [] {
    auto* dtypes = new std::vector<DType>(32, DType::kInvalid);
    for (const NumpyType& type : kNumpyTypes) {
      const int normalized = py::dtype(type.name).normalized_num();
      if (0 <= normalized && normalized < 32) (*dtypes)[normalized] = type.dtype;
    }
    return dtypes;
  }();
  return 0 <= number && number < 32 ? (*table)[number] : DType::kInvalid;
}

std::span<const int64_t> SizesOf(const py::array& array) {
  return {array.shape(), static_cast<size_t>(array.ndim())};
}

// Copies an array of bytes or str: numpy kinds S, U and O.
Tensor StringsFromArray(const py::array& array) {
  Tensor tensor(DType::kString, Shape(SizesOf(array)));
  auto strings = tensor.mutable_flat<std::string>();
  size_t i = 0;
  // As a vector: numpy's iterators stop at 32 axes.
  const py::object items = array.attr("reshape")(-1);
  for (py::handle item : items) strings[i++] = BytesOf(item);
  return tensor;
}

// numpy has limits of its own: 64 axes, and sizes whose product is small even if one of
// them is 0.
py::array NewArray(const py::dtype& dtype, const Shape& shape, const void* data = nullptr,
                   py::handle owner = {}) {
  try {
    return py::array(dtype, shape.ToVector(), data, owner);
  } catch (py::error_already_set& error) {
    const std::string text = StrCat("a tensor of rank ", shape.rank(), " and shape ",
                                    shape, " cannot be a numpy array");
    py::raise_from(error, PyExc_ValueError, text.c_str());
    throw py::error_already_set();
  }
}

py::object StringsFromTensor(const Tensor& tensor) {
  const auto strings = tensor.flat<std::string>();
  if (tensor.rank() == 0) return py::bytes(strings[0]);
  py::array array = NewArray(CachedDType(DType::kString), tensor.shape());
  auto** items = static_cast<PyObject**>(array.mutable_data());
  // LAB(12.8) begin: put a new bytes object in place of each item
  for (size_t i = 0; i < strings.size(); ++i) {
    Py_XDECREF(items[i]);
    items[i] = py::bytes(strings[i]).release().ptr();
  }
  // LAB(12.8) end
  return array;
}

// The only element of `tensor`, as a numpy scalar.
py::object ScalarFromTensor(Tensor tensor) {
  const py::dtype dtype = NumpyDType(tensor.dtype());
  const Allocator* const memory = tensor.allocator();
  const bool is_on_device = memory != nullptr && memory->mover() != nullptr;
  if (is_on_device) tensor = tensor.Clone();
  // LAB(12.8) begin: return the item of an array that views the element
  //
  // The index () copies the element. `tensor` outlives the view, which needs no owner.
  const py::array view = NewArray(dtype, tensor.shape(), tensor.data(), py::none());
  return view[py::tuple()];
  // LAB(12.8) end
}

bool IsBorrowable(const py::array& array) {
  // LAB(12.7) begin: return whether a Tensor may point to the elements
  constexpr int kWanted = py::detail::npy_api::NPY_ARRAY_C_CONTIGUOUS_ |
                          py::detail::npy_api::NPY_ARRAY_ALIGNED_;
  const char order = array.dtype().byteorder();
  return (array.flags() & kWanted) == kWanted && (order == '=' || order == '|');
  // LAB(12.7) end
}

// `array` with the flags and the byte order that a Tensor needs.
py::array Dense(const py::array& array) {
  const py::object numpy = py::module_::import("numpy");
  return numpy.attr("array")(array, array.dtype().attr("newbyteorder")("="),
                             py::arg("order") = "C");
}

}  // namespace

std::string BytesOf(py::handle text) {
  if (PyBytes_Check(text.ptr())) return text.cast<std::string>();
  if (!PyUnicode_Check(text.ptr())) {
    throw py::type_error("a string is bytes or str, not " +
                         py::repr(text).cast<std::string>());
  }
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes == nullptr) {
    PyErr_Clear();
    throw py::value_error("a string must have a form in UTF-8, but " +
                          py::repr(text).cast<std::string>() + " has half a character");
  }
  return {bytes, static_cast<size_t>(size)};
}

py::dtype NumpyDType(DType dtype) {
  const auto& cached = CachedDType(dtype);
  if (!cached) {
    throw py::type_error(StrCat("numpy has no element type for ", dtype));
  }
  return cached;
}

DType DTypeOfArray(const py::array& array) {
  const py::dtype dtype = array.dtype();
  const char kind = dtype.kind();
  if (kind == 'S' || kind == 'U' || kind == 'O') return DType::kString;
  const DType known = FromNumpyNumber(dtype.normalized_num());
  if (known != DType::kInvalid) return known;
  const auto name = py::str(dtype).cast<std::string>();
  if (name == "bfloat16") return DType::kBfloat16;
  throw py::type_error("minitf has no element type for numpy's " + name);
}

Tensor TensorFromArray(const py::array& array) {
  const DType dtype = DTypeOfArray(array);
  if (dtype == DType::kString) return StringsFromArray(array);
  // LAB(12.7) begin: return a Tensor that keeps the array, or a copy, alive
  const py::array dense = IsBorrowable(array) ? array : Dense(array);
  PyObject* const owner = dense.ptr();
  Py_INCREF(owner);
  const auto release = [owner] {
    if (PythonIsEnding()) return;
    const GilHeld gil;
    Py_DECREF(owner);
  };
  return Tensor::Borrowed(dtype, Shape(SizesOf(dense)), const_cast<void*>(dense.data()),
                          release);
  // LAB(12.7) end
}

py::object ArrayFromTensor(Tensor tensor, Sharing sharing) {
  if (tensor.dtype() == DType::kString) return StringsFromTensor(tensor);
  if (tensor.rank() == 0) return ScalarFromTensor(std::move(tensor));
  const py::dtype dtype = NumpyDType(tensor.dtype());
  // LAB(12.8) begin: return an array that owns a Tensor and points to its elements
  bool is_shared = !tensor.OwnsBuffer();
  if (is_shared && sharing == Sharing::kNever) {
    tensor = tensor.Clone();
    is_shared = false;
  }

  auto* const kept = new Tensor(std::move(tensor));
  const py::capsule owner(kept, [](void* t) { delete static_cast<Tensor*>(t); });
  py::array array = NewArray(dtype, kept->shape(), kept->data(), owner);
  if (is_shared) {
    py::detail::array_proxy(array.ptr())->flags &=
        ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  }
  return array;
  // LAB(12.8) end
}

Tensor TensorFromNumber(py::handle number, DType dtype) {
  const bool is_bool = PyBool_Check(number.ptr());
  if (dtype == DType::kBool) {
    return is_bool ? Tensor::Scalar(number.ptr() == Py_True) : Tensor();
  }
  if (is_bool) return {};
  if (PyFloat_Check(number.ptr())) {
    const double value = PyFloat_AS_DOUBLE(number.ptr());
    if (dtype == DType::kFloat32) return Tensor::Scalar(static_cast<float>(value));
    if (dtype == DType::kFloat64) return Tensor::Scalar(value);
    return {};
  }
  if (!PyLong_Check(number.ptr())) return {};
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0) return {};
  if (dtype == DType::kFloat32) return Tensor::Scalar(static_cast<float>(value));
  if (dtype == DType::kFloat64) return Tensor::Scalar(static_cast<double>(value));
  if (dtype == DType::kInt64) return Tensor::Scalar(value);
  if (dtype == DType::kInt32 && value == static_cast<int32_t>(value))
    return Tensor::Scalar(static_cast<int32_t>(value));
  return {};
}

}  // namespace minitf
