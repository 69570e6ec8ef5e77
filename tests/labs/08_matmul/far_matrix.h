// Matrices whose rows or columns lie further apart than there is memory.
//
// Addresses are set aside for all that a matrix spans, and memory for its elements alone.
// Whoever computes a place with too few bits meets an address without memory.
//
// Read next  tests/labs/08_matmul/spy_kernel.h

#pragma once

#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

#include "kernels/cpu/gemm/micro_kernel.h"
#include "kernels/cpu/gemm/packed_product.h"
#include "minitf/base/status.h"

namespace minitf {

/// Addresses for so many bytes, without memory.
class Addresses {
 public:
  explicit Addresses(int64_t size)
      : size_(size),
        begin_(::mmap(nullptr, size, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    Require(begin_ != MAP_FAILED, "no addresses for ", size, " bytes");
  }
  ~Addresses() { ::munmap(begin_, size_); }

  Addresses(const Addresses&) = delete;
  Addresses& operator=(const Addresses&) = delete;

  void* begin() const { return begin_; }

 private:
  const int64_t size_;
  void* const begin_;
};

/// Lines of elements, each `apart` elements behind the one before.
template <typename T>
class FarMatrix {
 public:
  /// Copies `elements` [count,length].
  FarMatrix(const T* elements, int64_t count, int64_t length, int64_t apart)
      : apart_(apart), size_((count - 1) * apart + length), room_(size_ * sizeof(T)) {
    const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
    for (int64_t i = 0; i < count; ++i) {
      T* const line = static_cast<T*>(room_.begin()) + i * apart;
      const uintptr_t begin = reinterpret_cast<uintptr_t>(line) / page * page;
      const auto end = reinterpret_cast<uintptr_t>(line + length);
      Require(::mprotect(reinterpret_cast<void*>(begin), end - begin,
                         PROT_READ | PROT_WRITE) == 0,
              "no memory for ", length, " elements");
      std::memcpy(line, elements + i * length, length * sizeof(T));
    }
  }

  const T* data() const { return static_cast<const T*>(room_.begin()); }
  int64_t size() const { return size_; }

  /// The matrix whose rows are the lines, or whose columns they are.
  StridedMatrix<T> Strided(bool is_transposed) const {
    if (is_transposed) return {data(), 1, apart_};
    return {data(), apart_, 1};
  }

 private:
  const int64_t apart_;
  const int64_t size_;
  const Addresses room_;
};

/// A micro-kernel that adds up which elements of a product it is called for.
class AddressKernel {
 public:
  explicit AddressKernel(const float* product) {
    kernel_.lanes = 16;
    kernel_.rows = MicroKernel<float>::kMaxRows;
    AddFunctions<MicroKernel<float>::kMaxRows>();
    begin = product, count = 0, sum = 0;
  }

  const MicroKernel<float>& kernel() const { return kernel_; }

  // Of all calls so far: how many elements, and the sum of their places.
  inline static uint64_t count = 0, sum = 0;

 private:
  inline static const float* begin = nullptr;

  template <int kRows>
  void AddFunctions() {
    kernel_.functions[1][kRows] = Note<kRows>;
    kernel_.functions[2][kRows] = Note<kRows>;
    if constexpr (kRows > 1) AddFunctions<kRows - 1>();
  }

  template <int kRows>
  static void Note(const MicroProduct<float>& p) {
    const auto columns = static_cast<uint64_t>(p.columns);
    const auto place = static_cast<uint64_t>(p.c - begin);
    count += kRows * columns;
    sum += kRows * columns * place +
           columns * static_cast<uint64_t>(p.c_row) * (kRows * (kRows - 1) / 2) +
           kRows * (columns * (columns - 1) / 2);
  }

  MicroKernel<float> kernel_;
};

}  // namespace minitf
