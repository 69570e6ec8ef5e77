// Arrays for a student's function, made in the driver of a lab.
//
// A std::vector has no guard: a read past its end goes unseen. In the grader's worker a
// GuardedArray lies between pages that nobody may touch, as tensors do. In ./lab test,
// where the guard is not loaded, it is ordinary memory.
//
// Compare    minitf/tensor/allocator.cc
// Read next  tests/labs/guard/guard.cc

#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>
#include <vector>

// The guard defines these, if the process has it.
extern "C" {
__attribute__((weak)) void* minitf_guard_allocate(size_t bytes);
__attribute__((weak)) void minitf_guard_free(void* memory, size_t bytes);
__attribute__((weak)) void minitf_guard_seal(void* memory);
}

namespace minitf {

/// `size` elements that only their owner may use. An access beside them ends the process,
/// and the verdict is `out_of_bounds`. Under the guard new elements hold NaN.
template <typename T>
class GuardedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Throws std::bad_alloc if there is no memory.
  explicit GuardedArray(size_t size) : size_(size) {
    if (minitf_guard_allocate != nullptr) {
      data_ = static_cast<T*>(minitf_guard_allocate(size * sizeof(T)));
      if (data_ == nullptr) throw std::bad_alloc();
    } else {
      data_ = static_cast<T*>(::operator new(size * sizeof(T)));
    }
  }

  /// A copy of `values`. Nobody may write to it if `is_sealed`.
  explicit GuardedArray(const std::vector<T>& values, bool is_sealed = false)
      : GuardedArray(values.size()) {
    std::copy(values.begin(), values.end(), data_);
    if (is_sealed && size_ > 0 && minitf_guard_seal != nullptr) minitf_guard_seal(data_);
  }

  GuardedArray(const GuardedArray&) = delete;
  GuardedArray& operator=(const GuardedArray&) = delete;

  ~GuardedArray() {
    if (minitf_guard_free != nullptr) {
      minitf_guard_free(data_, size_ * sizeof(T));
    } else {
      ::operator delete(data_);
    }
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }

  /// The elements as a value for the cases.
  std::vector<T> values() const { return std::vector<T>(data_, data_ + size_); }

 private:
  size_t size_;
  T* data_;
};

}  // namespace minitf
