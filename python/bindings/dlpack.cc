// Read next  python/bindings/numpy_bridge.cc

#include "python/bindings/dlpack.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "python/bindings/eager_tensor.h"
#include "python/bindings/gil.h"

namespace py = pybind11;

namespace minitf {

namespace {

// ---- The structs of the specification -------------------------------------------------

constexpr int32_t kDlCpu = 1;
enum DlCode : uint8_t {
  kDlInt = 0,
  kDlUint = 1,
  kDlFloat = 2,
  kDlBfloat = 4,
  kDlComplex = 5,
  kDlBool = 6
};

struct DlType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct DlTensor {
  void* data;
  int32_t device_type;
  int32_t device_id;
  int32_t ndim;
  DlType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null for row-major without gaps
  uint64_t byte_offset;
};

struct DlManagedTensor {
  DlTensor tensor;
  void* manager;
  void (*deleter)(DlManagedTensor* self);
};

// ---- Element types --------------------------------------------------------------------

struct TypePair {
  DType dtype;
  DlType dl;
};

constexpr TypePair kTypes[] = {
    {DType::kFloat16, {kDlFloat, 16, 1}},     {DType::kFloat32, {kDlFloat, 32, 1}},
    {DType::kFloat64, {kDlFloat, 64, 1}},     {DType::kBfloat16, {kDlBfloat, 16, 1}},
    {DType::kInt8, {kDlInt, 8, 1}},           {DType::kInt16, {kDlInt, 16, 1}},
    {DType::kInt32, {kDlInt, 32, 1}},         {DType::kInt64, {kDlInt, 64, 1}},
    {DType::kUint8, {kDlUint, 8, 1}},         {DType::kUint16, {kDlUint, 16, 1}},
    {DType::kUint32, {kDlUint, 32, 1}},       {DType::kUint64, {kDlUint, 64, 1}},
    {DType::kComplex64, {kDlComplex, 64, 1}}, {DType::kComplex128, {kDlComplex, 128, 1}},
    {DType::kBool, {kDlBool, 8, 1}},
};

DlType DlTypeOf(DType dtype) {
  for (const TypePair& type : kTypes)
    if (type.dtype == dtype) return type.dl;
  throw py::type_error(StrCat("DLPack has no element type for ", dtype));
}

DType DTypeOfDl(const DlType& dl) {
  for (const TypePair& type : kTypes) {
    if (type.dl.code == dl.code && type.dl.bits == dl.bits && dl.lanes == 1)
      return type.dtype;
  }
  throw py::type_error(StrCat("no element type for DLPack's code ", int{dl.code},
                              " with ", int{dl.bits}, " bits and ", dl.lanes, " lanes"));
}

// ---- Lending --------------------------------------------------------------------------

// All that a borrower may look at, kept alive until it calls the deleter.
struct Lent {
  Tensor tensor;
  std::vector<int64_t> sizes;
  DlManagedTensor managed;
};

bool IsDense(const DlTensor& tensor) {
  if (tensor.strides == nullptr) return true;
  int64_t expected = 1;
  for (int axis = tensor.ndim - 1; axis >= 0; --axis) {
    if (tensor.shape[axis] != 1 && tensor.strides[axis] != expected) return false;
    expected *= tensor.shape[axis];
  }
  return true;
}

// Copies elements that do not lie in row-major order.
Tensor CopyStrided(const DlTensor& from, DType dtype, const Shape& shape) {
  Tensor result(dtype, shape);
  const auto* source = static_cast<const char*>(from.data) + from.byte_offset;
  auto* target = static_cast<char*>(result.mutable_data());
  const size_t size = SizeOf(dtype);
  std::vector<int64_t> index(from.ndim, 0);
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    int64_t offset = 0;
    for (int axis = 0; axis < from.ndim; ++axis)
      offset += index[axis] * from.strides[axis];
    std::memcpy(target + i * size, source + offset * static_cast<int64_t>(size), size);
    for (int axis = from.ndim - 1; axis >= 0 && ++index[axis] == from.shape[axis]; --axis)
      index[axis] = 0;
  }
  return result;
}

}  // namespace

py::capsule ToDlpack(const py::object& object, bool copy) {
  const Tensor& given = UnwrapEagerTensor(object).tensor;
  const DlType dtype = DlTypeOf(given.dtype());
  const Tensor tensor = copy ? given.Clone() : given;
  auto lent = std::make_unique<Lent>();
  lent->tensor = tensor;
  lent->sizes = tensor.shape().ToVector();
  lent->managed.tensor = {lent->tensor.mutable_data(), kDlCpu,  0, tensor.rank(), dtype,
                          lent->sizes.data(),          nullptr, 0};
  lent->managed.manager = lent.get();
  lent->managed.deleter = [](DlManagedTensor* self) {
    delete static_cast<Lent*>(self->manager);
  };
  return py::capsule(&lent.release()->managed, "dltensor", [](PyObject* capsule) {
    if (PyCapsule_IsValid(capsule, "dltensor") == 0) return;  // it has been taken
    auto* managed =
        static_cast<DlManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
    managed->deleter(managed);
  });
}

py::object FromDlpack(const py::object& capsule, std::optional<bool> copy) {
  if (!PyCapsule_CheckExact(capsule.ptr())) {
    throw py::type_error(
        "from_dlpack takes a DLPack capsule, or an object that gives "
        "one, not " +
        py::repr(capsule).cast<std::string>());
  }
  Require(PyCapsule_IsValid(capsule.ptr(), "dltensor") != 0,
          "this capsule is not a DLPack tensor, or has been taken already");
  auto* managed =
      static_cast<DlManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  const DlTensor& from = managed->tensor;
  Require(from.device_type == kDlCpu, "the tensor is on DLPack's device type ",
          from.device_type, "; only host memory (1) can be read");
  const DType dtype = DTypeOfDl(from.dtype);
  const Shape shape(std::vector<int64_t>(from.shape, from.shape + from.ndim));
  Require(IsDense(from) || copy.value_or(true), "the elements of shape ", shape,
          " do not lie in row-major order, and copy is false");

  PyCapsule_SetName(capsule.ptr(), "used_dltensor");
  const auto release = [managed] {
    if (managed->deleter == nullptr || PythonIsEnding()) return;
    const GilHeld gil;  // the lender may be a Python object
    managed->deleter(managed);
  };
  if (IsDense(from)) {
    char* const memory = static_cast<char*>(from.data) + from.byte_offset;
    const Tensor borrowed = Tensor::Borrowed(dtype, shape, memory, release);
    const bool is_copied = copy.value_or(false);
    return WrapEagerTensor(MakeEagerTensor(is_copied ? borrowed.Clone() : borrowed));
  }
  const Tensor dense = CopyStrided(from, dtype, shape);
  release();
  return WrapEagerTensor(MakeEagerTensor(dense));
}

}  // namespace minitf
