// Tensor: a typed, shaped view of a block of memory.
//
// Every value that flows along an edge of a graph is a Tensor. It is three things: an
// element type, a shape, and a pointer to the elements.
//
//   layout      row-major without gaps: element (i,j) of an [m,n] tensor is i * n + j
//   ownership   a copy shares the elements, and the last copy frees them; Clone() copies
//   threads     any number of readers; a writer must be the only user of the elements
//   alignment   64 bytes, for memory that minitf allocates; any, for memory of a caller
//               (Borrowed) and parts of a tensor (Slice)
//
// A Tensor has no arithmetic. Arithmetic is the work of kernels (kernels/), which see
// the elements through flat<T>().
//
// Compare    tensorflow/core/framework/tensor.h
// Read next  minitf/tensor/tensor_view.h

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "minitf/base/status.h"
#include "minitf/tensor/allocator.h"
#include "minitf/tensor/dtype.h"
#include "minitf/tensor/shape.h"

namespace minitf {

/// The memory behind one or more Tensors, with the count of them.
class Buffer {
 public:
  /// Uninitialised plain elements, or default-made strings and handles. Throws Error
  /// (ResourceExhausted) when the allocator has no room.
  static Buffer* Allocate(DType dtype, int64_t count, Allocator& allocator);

  /// Memory of the caller. `release` is called when no Tensor uses it any more.
  static Buffer* Borrow(void* memory, std::function<void()> release);

  void Ref() { count_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) Destroy();
  }
  bool IsUnique() const { return count_.load(std::memory_order_acquire) == 1; }
  bool IsBorrowed() const { return allocator_ == nullptr; }
  char* memory() const { return memory_; }
  const Allocator* allocator() const { return allocator_; }

 private:
  Buffer() = default;
  ~Buffer() = default;
  void Destroy();

  std::atomic<int> count_{1};
  DType dtype_ = DType::kInvalid;
  char* memory_ = nullptr;
  int64_t num_elements_ = 0;
  Allocator* allocator_ = nullptr;  // null when the memory is borrowed
  std::function<void()> release_;
};

class Tensor {
 public:
  /// No value at all: dtype kInvalid, no elements. What an output is before it is made.
  Tensor() = default;

  /// Uninitialised elements, in memory of `allocator`. Throws Error (ResourceExhausted)
  /// when there is no room.
  Tensor(DType dtype, const Shape& shape, Allocator& allocator = CpuAllocator());

  /// A tensor of `shape` that holds a copy of `values`, the last axis running fastest.
  /// Requires: values.size() == shape.num_elements().
  template <typename T>
  static Tensor Of(const Shape& shape, const std::vector<T>& values);

  /// A scalar.
  template <typename T>
  static Tensor Scalar(const T& value);

  /// Elements in memory of the caller. `release` is called when no Tensor uses them any
  /// more. Requires: memory holds them in layout order.
  static Tensor Borrowed(DType dtype, const Shape& shape, void* memory,
                         std::function<void()> release);

  Tensor(const Tensor& other)
      : shape_(other.shape_),
        buffer_(other.buffer_),
        data_(other.data_),
        dtype_(other.dtype_) {
    if (buffer_ != nullptr) buffer_->Ref();
  }
  Tensor(Tensor&& other) noexcept
      : shape_(std::move(other.shape_)),
        buffer_(std::exchange(other.buffer_, nullptr)),
        data_(std::exchange(other.data_, nullptr)),
        dtype_(std::exchange(other.dtype_, DType::kInvalid)) {}
  Tensor& operator=(const Tensor& other) { return *this = Tensor(other); }
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor() {
    if (buffer_ != nullptr) buffer_->Unref();
  }

  /// Lets go of the elements: from now on there is no value, and no shape to ask for.
  void Reset() {
    if (buffer_ != nullptr) std::exchange(buffer_, nullptr)->Unref();
    data_ = nullptr;
    dtype_ = DType::kInvalid;
  }

  /// Whether there is a value: false for Tensor().
  bool has_value() const { return dtype_ != DType::kInvalid; }

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t dim(int axis) const { return shape_.dim(axis); }
  int64_t num_elements() const { return has_value() ? shape_.num_elements() : 0; }
  size_t num_bytes() const { return num_elements() * SizeOf(dtype_); }

  /// All elements in layout order. Requires: T is the C++ type of dtype(). A span of
  /// device memory may be handed to the device, not read on the host.
  template <typename T>
  std::span<const T> flat() const;
  template <typename T>
  std::span<T> mutable_flat();

  /// The one element. Requires: num_elements() == 1, and T is the C++ type of dtype().
  template <typename T>
  const T& scalar() const;

  /// The first byte of the elements.
  const void* data() const { return data_; }
  void* mutable_data() { return data_; }

  /// The same elements under another shape. The result shares memory with *this.
  /// Requires: shape.num_elements() == num_elements().
  Tensor Reshaped(const Shape& shape) const;

  /// The same bytes as elements of another type. The result shares memory with *this.
  /// Requires: both types are plain, and the elements take as many bytes as before.
  Tensor Reinterpreted(DType dtype, const Shape& shape) const;

  /// Rows [begin, end) of axis 0. The result shares memory with *this.
  /// Requires: rank() >= 1 and 0 <= begin <= end <= dim(0).
  Tensor Slice(int64_t begin, int64_t end) const;

  /// A copy with elements of its own, in the host's memory, wherever these are.
  Tensor Clone() const;

  /// Whether this is the only Tensor that sees these elements, and minitf allocated them:
  /// then they may be written over.
  bool OwnsBuffer() const {
    return buffer_ != nullptr && buffer_->IsUnique() && !buffer_->IsBorrowed();
  }
  /// Whether the elements lie in memory of a caller, who may change them (Borrowed).
  bool IsBorrowed() const { return buffer_ != nullptr && buffer_->IsBorrowed(); }
  /// Where the elements come from; null if there are none, or if they are borrowed.
  const Allocator* allocator() const {
    return buffer_ == nullptr ? nullptr : buffer_->allocator();
  }
  bool SharesBufferWith(const Tensor& other) const {
    return buffer_ != nullptr && buffer_ == other.buffer_;
  }

  /// Element i as text: a floating-point number with as few digits as tell it from its
  /// neighbours, out of 6 or 9 (15 or 17 for a double). A string is escaped as in C, and
  /// quoted unless `is_quoted` is false.
  std::string ElementText(int64_t i, bool is_quoted = true) const;

  /// The first `count` elements, or all if that is negative: "1 2 3...".
  std::string ElementsText(int64_t count) const;

  /// dtype, shape and the first `max_elements` elements, for messages and the debugger.
  std::string DebugString(int64_t max_elements = 10) const;

 private:
  template <typename T>
  T* Data() const;

  Shape shape_;
  Buffer* buffer_ = nullptr;
  char* data_ = nullptr;
  DType dtype_ = DType::kInvalid;
};

template <typename T>
Tensor Tensor::Of(const Shape& shape, const std::vector<T>& values) {
  Tensor result(DTypeOf<T>(), shape);
  const auto count = static_cast<int64_t>(values.size());
  Require(count == result.num_elements(), count, " values given for shape ", shape);
  std::copy(values.begin(), values.end(), result.mutable_flat<T>().begin());
  return result;
}

template <typename T>
Tensor Tensor::Scalar(const T& value) {
  Tensor result(DTypeOf<T>(), Shape{});
  result.mutable_flat<T>()[0] = value;
  return result;
}

template <typename T>
T* Tensor::Data() const {
  if (dtype_ != DTypeOf<T>()) [[unlikely]] {
    throw Error(errors::Internal("elements are ", dtype_, ", read as ", DTypeOf<T>()));
  }
  return reinterpret_cast<T*>(data_);
}

template <typename T>
std::span<const T> Tensor::flat() const {
  return {Data<T>(), static_cast<size_t>(num_elements())};
}

template <typename T>
std::span<T> Tensor::mutable_flat() {
  return {Data<T>(), static_cast<size_t>(num_elements())};
}

template <typename T>
const T& Tensor::scalar() const {
  Require(num_elements() == 1, "one element is needed, the shape is ", shape_);
  return *Data<T>();
}

}  // namespace minitf
