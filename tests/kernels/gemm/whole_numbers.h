// Products that are exact whatever the order in which they are added up.

#pragma once

#include <cstdint>
#include <hwy/targets.h>
#include <random>
#include <vector>

#include "kernels/cpu/gemm/matrix_product.h"

namespace minitf::testing {

// Numbers from -4 to 4.
template <typename T>
std::vector<T> WholeNumbers(int64_t count, std::mt19937* generator) {
  std::uniform_int_distribution<int> number(-4, 4);
  std::vector<T> numbers(count);
  for (T& x : numbers) x = static_cast<T>(number(*generator));
  return numbers;
}

// The product in integers.
template <typename T>
std::vector<T> ExactProduct(const ProductSizes& s, const std::vector<T>& a,
                            const std::vector<T>& b) {
  std::vector<T> product(s.m * s.n);
  for (int64_t i = 0; i < s.m; ++i) {
    for (int64_t j = 0; j < s.n; ++j) {
      int64_t sum = 0;
      for (int64_t p = 0; p < s.k; ++p) {
        sum += static_cast<int64_t>(a[s.transpose_a ? p * s.m + i : i * s.k + p]) *
               static_cast<int64_t>(b[s.transpose_b ? j * s.k + p : p * s.n + j]);
      }
      product[i * s.n + j] = static_cast<T>(sum);
    }
  }
  return product;
}

inline int64_t DrawSize(std::mt19937* generator) {
  const int64_t limits[] = {3, 20, 40, 120};
  const int64_t limit = limits[(*generator)() % 4];
  return 1 + (*generator)() % limit;
}

// Has the micro-kernel use one kind of vector while it lives.
class OnlyTarget {
 public:
  explicit OnlyTarget(int64_t target) { Use(target); }
  ~OnlyTarget() { Use(0); }

  OnlyTarget(const OnlyTarget&) = delete;
  OnlyTarget& operator=(const OnlyTarget&) = delete;

 private:
  static void Use(int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

}  // namespace minitf::testing
