// A micro-kernel for tests: of any size, in plain loops, and it notes how it is called.
//
// The micro-kernel of this machine has vectors of some length. One of 3 rows and vectors
// of 2 elements needs the same loops around it, and small matrices show all their edges.
//
// Read next  tests/labs/08_matmul/driver.cc

#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "kernels/cpu/gemm/micro_kernel.h"
#include "kernels/cpu/gemm/traced.h"
#include "minitf/base/status.h"

namespace minitf {

/// The matrices of a product, as its kernel needs to know them.
template <typename T>
struct Matrices {
  const T* a;
  int64_t a_size;
  const T* b;
  int64_t b_size;
  const T* product;
  int64_t m, n;
};

/// One call: which part of the product, in how many steps, and where its factors lay.
struct KernelCall {
  int64_t row, column, rows, columns, depth, b_row;
  bool adds, a_is_copied, b_is_copied, has_zeros;
};

/// While it lives, the kernels of T of one process note their calls. One at a time.
template <typename T>
class SpyKernel {
 public:
  SpyKernel(const Matrices<T>& matrices, int lanes, int rows) : matrices_(matrices) {
    kernel_.lanes = lanes;
    kernel_.rows = rows;
    AddFunctions<MicroKernel<T>::kMaxRows>();
    current = this;
  }
  ~SpyKernel() { current = nullptr; }

  SpyKernel(const SpyKernel&) = delete;
  SpyKernel& operator=(const SpyKernel&) = delete;

  const MicroKernel<T>& kernel() const { return kernel_; }
  const std::vector<KernelCall>& calls() const { return calls_; }

 private:
  inline static SpyKernel* current = nullptr;

  template <int kRows>
  void AddFunctions() {
    if (kRows <= kernel_.rows) {
      kernel_.functions[1][kRows] = Multiply<1, kRows>;
      kernel_.functions[2][kRows] = Multiply<2, kRows>;
    }
    if constexpr (kRows > 1) AddFunctions<kRows - 1>();
  }

  template <int kVectors, int kRows>
  static void Multiply(const MicroProduct<T>& p) {
    SpyKernel& spy = *current;
    const int64_t width = int64_t{kVectors} * spy.kernel_.lanes;
    const int64_t place = p.c - spy.matrices_.product;
    const int64_t row = place / spy.matrices_.n;
    const int64_t column = place % spy.matrices_.n;
    const std::lock_guard lock(spy.mutex_);
    Require(0 <= place && row + kRows <= spy.matrices_.m && 0 < p.columns &&
                column + p.columns <= spy.matrices_.n && p.c_row == spy.matrices_.n,
            "the micro-kernel is called for ", kRows, " rows and ", p.columns,
            " columns, ", p.c_row, " elements apart, at element ", place,
            " of a product [", spy.matrices_.m, ",", spy.matrices_.n, "]");
    Require(p.columns <= width && p.columns > width - spy.kernel_.lanes,
            "the micro-kernel for ", kVectors, " vectors of ", spy.kernel_.lanes,
            " elements is called for ", p.columns, " columns");
    bool has_zeros = true;  // behind each row of b
    std::vector<float> read(width);
    for (int64_t step = 0; step < p.k; ++step) {
      for (int64_t j = 0; j < width; ++j) {  // whole vectors, whatever is needed of them
        read[j] = static_cast<float>(p.b[step * p.b_row + j]);
        if (j >= p.columns) has_zeros = has_zeros && read[j] == 0;
      }
    }
    for (int64_t i = 0; i < kRows; ++i) {
      for (int64_t j = 0; j < p.columns; ++j) {
        T* c = p.c + i * p.c_row + j;
        T sum = p.adds ? *c : T(0);
        for (int64_t step = 0; step < p.k; ++step) {
          sum += p.a[i * p.a_row + step * p.a_column] * p.b[step * p.b_row + j];
        }
        *c = sum;
      }
    }
    const auto is_copied = [](const T* data, const T* from, int64_t size) {
      return data < from || data >= from + size;
    };
    spy.calls_.push_back({row, column, kRows, p.columns, p.k, p.b_row, p.adds,
                          is_copied(p.a, spy.matrices_.a, spy.matrices_.a_size),
                          is_copied(p.b, spy.matrices_.b, spy.matrices_.b_size),
                          has_zeros});
  }

  const Matrices<T> matrices_;
  MicroKernel<T> kernel_;
  std::mutex mutex_;
  std::vector<KernelCall> calls_;
};

}  // namespace minitf
