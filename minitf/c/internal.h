// Code that all files of the C API share: the guard at the boundary, and the structs
// behind TF_Status and TF_Tensor.
//
// C code cannot catch an exception. Every exported function that may throw runs its body
// inside of Guarded, which turns an exception into a TF_Status. No function of this
// folder needs another try block.
//
// Compare    tensorflow/c/c_api_internal.h, tf_status_internal.h, tf_tensor_internal.h
// Read next  minitf/c/live_objects.h

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "minitf/base/status.h"
#include "minitf/c/tf_buffer.h"
#include "minitf/c/tf_datatype.h"
#include "minitf/c/tf_status.h"
#include "minitf/c/tf_tensor.h"
#include "minitf/tensor/dtype.h"
#include "minitf/tensor/shape.h"
#include "minitf/tensor/tensor.h"

namespace google::protobuf {
class Message;
}

struct TF_Status {
  TF_Code code = TF_OK;
  std::string message;
};

namespace minitf::c {

/// Bytes of one or more TF_Tensors. The destructor frees them.
struct TensorMemory {
  void* data = nullptr;
  size_t length = 0;
  void (*deallocator)(void* data, size_t length, void* arg) = nullptr;
  void* deallocator_arg = nullptr;
  Tensor tensor;  ///< owns the bytes, if minitf allocated them

  TensorMemory() = default;
  TensorMemory(const TensorMemory&) = delete;
  TensorMemory& operator=(const TensorMemory&) = delete;
  ~TensorMemory();
};

}  // namespace minitf::c

struct TF_Tensor {
  int dtype;  ///< a TF_DataType
  minitf::Shape shape;
  std::shared_ptr<minitf::c::TensorMemory> memory;
};

namespace minitf::c {

// ---- Errors ---------------------------------------------------------------------------

/// Sets `status`, which may be null.
void SetStatus(TF_Status* status, const Status& value);

/// Sets `status` to the exception that is being handled. Requires: the caller is in a
/// catch clause.
void SetCaught(TF_Status* status);

/// Calls `body`. Sets `status` to TF_OK, or to the exception that `body` throws. Null:
/// nobody gets the error.
template <typename Body>
void Guarded(TF_Status* status, const Body& body) {
  try {
    body();
    SetStatus(status, Status());
  } catch (...) {
    SetCaught(status);
  }
}

/// As above. Returns what `body` returns, or `otherwise` if it throws.
template <typename Result, typename Body>
Result Guarded(TF_Status* status, Result otherwise, const Body& body) {
  Guarded(status, [&] { otherwise = body(); });
  return otherwise;
}

/// Calls `body`. An exception of it becomes InvalidArgument: the argument of the caller
/// is wrong, whatever code the core has for it.
template <typename Body>
void CheckArgument(const Body& body) {
  TF_Status status;
  Guarded(&status, body);
  if (status.code != TF_OK) ThrowInvalidArgument(status.message);
}

/// Returns *pointer. Throws InvalidArgument if `pointer` is null.
template <typename T>
T& NotNull(T* pointer, std::string_view argument) {
  if (pointer == nullptr) ThrowInvalidArgument(argument, " is null; expected a pointer");
  return *pointer;
}

/// Returns `text`. Throws InvalidArgument if it is null.
std::string TextOf(const char* text, std::string_view argument);

/// Throws InvalidArgument if `count` is negative, or `list` is null and `count` is not 0.
void RequireList(const void* list, int64_t count, std::string_view argument);

/// Throws Unimplemented: "TF_Name is not implemented in minitf".
[[noreturn]] void ThrowUnimplemented(std::string_view function);

// ---- Element types and shapes ---------------------------------------------------------

/// Throws InvalidArgument for an unknown number, Unimplemented for an element type that
/// minitf does not have.
DType DTypeOfC(TF_DataType dtype);
inline TF_DataType DTypeToC(DType dtype) { return static_cast<TF_DataType>(dtype); }

/// Throws InvalidArgument for a negative size or count, and for a null pointer.
Shape ShapeOfC(const int64_t* dims, int num_dims);
/// A size of -1 is unknown, and so is the rank if `num_dims` is -1. Throws as above.
PartialShape PartialShapeOfC(const int64_t* dims, int num_dims);

// ---- Tensors --------------------------------------------------------------------------

/// Returns the value of `tensor`. Plain elements are shared, strings are decoded. Throws
/// InvalidArgument for null and for malformed strings, Unimplemented as DTypeOfC does.
Tensor TensorOfC(const TF_Tensor* tensor, std::string_view argument = "tensor");

/// Returns a new TF_Tensor with the value of `tensor`. It takes the elements over if
/// nothing else uses them, else it copies them: a write to the result changes no other
/// value. Throws InvalidArgument if `tensor` has no value.
std::unique_ptr<TF_Tensor> TensorToC(Tensor tensor);

// ---- Buffers --------------------------------------------------------------------------

/// Parses a message of the caller. Throws InvalidArgument: "graph_def: these 9 bytes are
/// no GraphDef".
void ParseArgument(std::string_view bytes, std::string_view argument,
                   google::protobuf::Message* message);

/// The bytes of `buffer`. Throws InvalidArgument if it is null, or its data is null while
/// its length is not 0.
std::string_view BytesOfC(const TF_Buffer* buffer, std::string_view argument);

/// Replaces the contents of `buffer` by a copy of `bytes`. Throws InvalidArgument if
/// `buffer` is null.
void FillBuffer(TF_Buffer* buffer, std::string_view bytes);
/// As above, with a serialized message.
void FillBuffer(TF_Buffer* buffer, const google::protobuf::Message& message);

/// Returns a new buffer with a copy of `bytes`.
TF_Buffer* NewBuffer(std::string_view bytes);

}  // namespace minitf::c
