// TF_Tensor: memory of the caller, memory of minitf, and the way between both kinds of
// tensors.

#include <algorithm>
#include <cstring>
#include <utility>

#include "minitf/c/internal.h"
#include "minitf/c/string_codec.h"
#include "minitf/graph/graph_def.h"
#include "minitf/io/messages/tensor_proto.h"
#include "minitf/protos/tensor.pb.h"

namespace minitf::c {

TensorMemory::~TensorMemory() {
  if (deallocator != nullptr) deallocator(data, length, deallocator_arg);
}

namespace {

constexpr size_t kAlignment = 64;

bool IsAligned(const void* data, size_t alignment) {
  return alignment == 0 || reinterpret_cast<uintptr_t>(data) % alignment == 0;
}

// The alignment that code compiled for the element type counts on.
size_t AlignmentOf(int dtype) {
  const size_t size = TF_DataTypeSize(static_cast<TF_DataType>(dtype));
  if (dtype == TF_STRING) return alignof(uint64_t);
  return dtype == TF_COMPLEX64 || dtype == TF_COMPLEX128 ? size / 2 : size;
}

std::shared_ptr<TensorMemory> Allocate(size_t length) {
  auto memory = std::make_shared<TensorMemory>();
  memory->tensor = Tensor(DType::kUint8, Shape{static_cast<int64_t>(length)});
  memory->data = length == 0 ? nullptr : memory->tensor.mutable_data();
  memory->length = length;
  return memory;
}

// Throws unless `length` bytes may hold the elements.
void RequireFits(int dtype, const Shape& shape, size_t length) {
  const auto size =
      static_cast<int64_t>(TF_DataTypeSize(static_cast<TF_DataType>(dtype)));
  const int64_t element = dtype == TF_STRING ? int64_t{sizeof(uint64_t)} : size;
  Require(element > 0, "element type ", dtype, " has no bytes that C code can fill");
  Require(static_cast<size_t>(shape.num_elements()) <= length / element, "a tensor of ",
          shape, " needs ", shape.num_elements(), " * ", element, " bytes, data has ",
          length);
}

std::unique_ptr<TF_Tensor> NewTensor(int dtype, const Shape& shape,
                                     std::shared_ptr<TensorMemory> memory) {
  return std::unique_ptr<TF_Tensor>(new TF_Tensor{dtype, shape, std::move(memory)});
}

// C++ has two bools; memory of the caller may hold 256.
void RequireBools(const TF_Tensor& tensor) {
  const auto* const bytes = static_cast<const unsigned char*>(tensor.memory->data);
  const int64_t count = tensor.shape.num_elements();
  const auto* const wrong =
      std::find_if(bytes, bytes + count, [](unsigned char byte) { return byte > 1; });
  Require(wrong == bytes + count, "element ", wrong - bytes, " of a TF_BOOL tensor is ",
          (wrong == bytes + count ? 0 : *wrong), "; expected 0 or 1");
}

}  // namespace

DType DTypeOfC(TF_DataType dtype) {
  const int number = static_cast<int>(dtype);
  const bool is_missing =
      dtype == TF_VARIANT || (TF_QINT8 <= number && number <= 16 && dtype != TF_BFLOAT16);
  if (is_missing) {
    throw Error(errors::Unimplemented("minitf has no tensors of element type ", number));
  }
  const bool is_known = TF_FLOAT <= number && number <= TF_UINT64;
  Require(is_known, number, " is not the number of an element type");
  return static_cast<DType>(number);
}

Shape ShapeOfC(const int64_t* dims, int num_dims) {
  RequireList(dims, num_dims, "dims");
  return Shape(std::span<const int64_t>(dims, num_dims));
}

PartialShape PartialShapeOfC(const int64_t* dims, int num_dims) {
  if (num_dims == -1) return {};
  RequireList(dims, num_dims, "dims");
  return PartialShape(std::span<const int64_t>(dims, num_dims));
}

Tensor TensorOfC(const TF_Tensor* tensor, std::string_view argument) {
  NotNull(tensor, argument);
  const DType dtype = DTypeOfC(static_cast<TF_DataType>(tensor->dtype));
  const std::shared_ptr<TensorMemory>& memory = tensor->memory;
  if (dtype == DType::kResource) return memory->tensor;
  if (dtype == DType::kString) {
    return DecodeStrings(tensor->shape,
                         {static_cast<const char*>(memory->data), memory->length});
  }
  if (dtype == DType::kBool) RequireBools(*tensor);
  if (tensor->shape.num_elements() == 0) return Tensor(dtype, tensor->shape);
  return Tensor::Borrowed(dtype, tensor->shape, memory->data, [memory] {});
}

std::unique_ptr<TF_Tensor> TensorToC(Tensor tensor) {
  Require(tensor.has_value(), "there is no tensor");
  const DType dtype = tensor.dtype();
  const Shape shape = tensor.shape();
  if (dtype == DType::kString) {
    const std::string bytes = EncodeStrings(tensor.flat<std::string>());
    auto memory = Allocate(bytes.size());
    if (!bytes.empty()) std::memcpy(memory->data, bytes.data(), bytes.size());
    return NewTensor(DTypeToC(dtype), shape, std::move(memory));
  }
  const bool is_of_host =
      tensor.allocator() != nullptr && tensor.allocator()->mover() == nullptr;
  if (IsPlain(dtype) && !(tensor.OwnsBuffer() && is_of_host)) tensor = tensor.Clone();
  auto memory = std::make_shared<TensorMemory>();
  memory->length = IsPlain(dtype) ? tensor.num_bytes() : 0;
  memory->data = memory->length == 0 ? nullptr : tensor.mutable_data();
  memory->tensor = std::move(tensor);
  return NewTensor(DTypeToC(dtype), shape, std::move(memory));
}

}  // namespace minitf::c

using minitf::Require;
using minitf::Shape;
using minitf::c::Guarded;
using minitf::c::TensorMemory;

size_t TF_DataTypeSize(TF_DataType dt) {
  switch (static_cast<int>(dt)) {
    case TF_BOOL:
    case TF_UINT8:
    case TF_INT8:
    case TF_QINT8:
    case TF_QUINT8: return 1;
    case TF_INT16:
    case TF_UINT16:
    case TF_HALF:
    case TF_BFLOAT16:
    case TF_QINT16:
    case TF_QUINT16: return 2;
    case TF_FLOAT:
    case TF_INT32:
    case TF_UINT32:
    case TF_QINT32: return 4;
    case TF_DOUBLE:
    case TF_INT64:
    case TF_UINT64:
    case TF_COMPLEX64: return 8;
    case TF_COMPLEX128: return 16;
    default: return 0;
  }
}

TF_Tensor* TF_NewTensor(TF_DataType dtype, const int64_t* dims, int num_dims, void* data,
                        size_t len,
                        void (*deallocator)(void* data, size_t len, void* arg),
                        void* deallocator_arg) {
  std::shared_ptr<TensorMemory> memory;
  Guarded(nullptr, [&] { memory = std::make_shared<TensorMemory>(); });
  if (memory == nullptr) {
    if (deallocator != nullptr) deallocator(data, len, deallocator_arg);
    return nullptr;
  }
  memory->data = data;
  memory->length = len;
  memory->deallocator = deallocator;
  memory->deallocator_arg = deallocator_arg;
  return Guarded<TF_Tensor*>(nullptr, nullptr, [&] {
    const Shape shape = minitf::c::ShapeOfC(dims, num_dims);
    minitf::c::RequireFits(dtype, shape, len);
    Require(data != nullptr || len == 0, "data is null");
    if (!minitf::c::IsAligned(data, minitf::c::AlignmentOf(dtype))) {
      auto copy = minitf::c::Allocate(len);
      std::memcpy(copy->data, data, len);
      memory = std::move(copy);
    }
    return minitf::c::NewTensor(dtype, shape, std::move(memory)).release();
  });
}

TF_Tensor* TF_AllocateTensor(TF_DataType dtype, const int64_t* dims, int num_dims,
                             size_t len) {
  return Guarded<TF_Tensor*>(nullptr, nullptr, [&] {
    const Shape shape = minitf::c::ShapeOfC(dims, num_dims);
    minitf::c::RequireFits(dtype, shape, len);
    return minitf::c::NewTensor(dtype, shape, minitf::c::Allocate(len)).release();
  });
}

TF_Tensor* TF_TensorMaybeMove(TF_Tensor* tensor) {
  return Guarded<TF_Tensor*>(nullptr, nullptr, [&]() -> TF_Tensor* {
    if (tensor == nullptr || tensor->memory.use_count() != 1) return nullptr;
    if (!tensor->memory->tensor.has_value()) return nullptr;
    auto moved = minitf::c::NewTensor(tensor->dtype, tensor->shape, tensor->memory);
    delete tensor;
    return moved.release();
  });
}

void TF_DeleteTensor(TF_Tensor* tensor) { delete tensor; }

TF_DataType TF_TensorType(const TF_Tensor* tensor) {
  return static_cast<TF_DataType>(tensor == nullptr ? 0 : tensor->dtype);
}

int TF_NumDims(const TF_Tensor* tensor) {
  return tensor == nullptr ? -1 : tensor->shape.rank();
}

int64_t TF_Dim(const TF_Tensor* tensor, int dim_index) {
  const bool is_there = 0 <= dim_index && dim_index < TF_NumDims(tensor);
  return is_there ? tensor->shape.sizes()[dim_index] : -1;
}

size_t TF_TensorByteSize(const TF_Tensor* tensor) {
  return tensor == nullptr ? 0 : tensor->memory->length;
}

void* TF_TensorData(const TF_Tensor* tensor) {
  return tensor == nullptr ? nullptr : tensor->memory->data;
}

int64_t TF_TensorElementCount(const TF_Tensor* tensor) {
  return tensor == nullptr ? 0 : tensor->shape.num_elements();
}

void TF_TensorBitcastFrom(const TF_Tensor* from, TF_DataType type, TF_Tensor* to,
                          const int64_t* new_dims, int num_new_dims, TF_Status* status) {
  Guarded(status, [&] {
    minitf::c::NotNull(from, "from");
    minitf::c::NotNull(to, "to");
    const Shape shape = minitf::c::ShapeOfC(new_dims, num_new_dims);
    const size_t old_size = TF_DataTypeSize(TF_TensorType(from));
    const size_t new_size = TF_DataTypeSize(type);
    Require(old_size > 0 && new_size > 0, "elements of type ", from->dtype,
            " cannot become elements of type ", int{type},
            "; expected types of fixed size");
    const auto old_count = static_cast<size_t>(from->shape.num_elements());
    const auto new_count = static_cast<size_t>(shape.num_elements());
    const bool fits =
        new_count <= SIZE_MAX / new_size && new_count * new_size == old_count * old_size;
    Require(fits, "a tensor of ", from->shape, " has ", old_count, " elements of ",
            old_size, " bytes; the new shape ", shape, " has ", new_count,
            " elements of ", new_size, " bytes");
    to->dtype = type;
    to->shape = shape;
    to->memory = std::shared_ptr<TensorMemory>(from->memory);
  });
}

unsigned char TF_TensorIsAligned(const TF_Tensor* tensor) {
  return tensor != nullptr &&
         minitf::c::IsAligned(tensor->memory->data, minitf::c::kAlignment);
}

void TF_TensorFromProto(const TF_Buffer* from, TF_Tensor* to, TF_Status* status) {
  Guarded(status, [&] {
    minitf::c::NotNull(to, "to");
    minitf::proto::TensorProto message;
    minitf::c::ParseArgument(minitf::c::BytesOfC(from, "from"), "from", &message);
    minitf::Expansion expansion;
    *to = std::move(*minitf::c::TensorToC(minitf::TensorFromProto(message, &expansion)));
  });
}
