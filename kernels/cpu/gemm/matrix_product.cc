// The product of two matrices: which way it is computed.
//
// A row times a matrix, or a matrix times a column, reads every element once: there is
// nothing to pack. Types that have no vector instructions add up rows. All others go to
// one of the tiers.
//
// Compare    tensorflow/core/kernels/matmul_op.cc, functor::MatMul
// Read next  kernels/cpu/gemm/product_naive.cc

#include "kernels/cpu/gemm/matrix_product.h"

#include <algorithm>
#include <array>
#include <complex>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/common/autotune.h"
#include "kernels/cpu/gemm/product_tiers.h"
#include "kernels/cpu/gemm/vector_product.h"
#include "minitf/base/text.h"
#include "minitf/base/tier_note.h"
#include "minitf/tensor/dtype.h"

namespace minitf {
namespace {

// Adds x y. Integers wrap around.
template <typename T>
void AddProduct(T x, T y, T* sum) {
  if constexpr (kIsComplex<T>) {
    // By parts: the operator of std::complex looks for infinities.
    *sum += T(x.real() * y.real() - x.imag() * y.imag(),
              x.real() * y.imag() + x.imag() * y.real());
  } else {
    *sum = WrapAdd(*sum, WrapMultiply(x, y));
  }
}

// For other types: rows of the product, along rows of b.
template <typename T>
void AddUpRows(const ProductSizes& s, const T* a, const T* b, T* product,
               ThreadPool* threads) {
  // LAB(08.11) begin: write the product with AddProduct, in pieces of rows
  std::vector<T> b_rows;  // b as [k,n]
  if (s.transpose_b) {
    b_rows.resize(s.k * s.n);
    for (int64_t j = 0; j < s.n; ++j) {
      for (int64_t p = 0; p < s.k; ++p) b_rows[p * s.n + j] = b[j * s.k + p];
    }
    b = b_rows.data();
  }
  ForPieces(threads, s.m, s.k * s.n / 4 + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T* row = product + i * s.n;
      std::fill_n(row, s.n, T(0));
      for (int64_t p = 0; p < s.k; ++p) {
        const T factor = s.transpose_a ? a[p * s.m + i] : a[i * s.k + p];
        for (int64_t j = 0; j < s.n; ++j) AddProduct(factor, b[p * s.n + j], &row[j]);
      }
    }
  });
  // LAB(08.11) end
}

// A product of floats or doubles: by rows or columns if there is only one of a or of b,
// else by panels.
template <typename T>
void MultiplyFast(const ProductSizes& s, const T* a, const T* b, T* product,
                  ThreadPool* threads) {
  // LAB(08.10) begin: multiply in one of the three ways, the last one for two matrices
  if (s.m == 1 && s.transpose_b) {
    MatrixTimesVector(b, s.n, s.k, a, product, threads);
  } else if (s.m == 1) {
    VectorTimesMatrix(a, b, s.k, s.n, product, threads);
  } else if (s.n == 1 && s.transpose_a) {
    VectorTimesMatrix(b, a, s.k, s.m, product, threads);
  } else if (s.n == 1) {
    MatrixTimesVector(a, s.m, s.k, b, product, threads);
  } else {
    MultiplyByPanels(s, a, b, product, threads);
  }
  // LAB(08.10) end
}

// By the quickest of the tiers, which is found by trying when such sizes come first.
template <typename T>
void MultiplyAutotuned(const ProductSizes& s, const T* a, const T* b, T* product,
                       ThreadPool* threads) {
  static Autotune autotune;
  static constexpr std::array<std::string_view, 4> kTried = {"packed", "eigen", "tiled",
                                                             "reordered"};
  static constexpr std::array kWays = {MultiplyFast<T>, MultiplyByEigen<T>,
                                       MultiplyTiled<T>, MultiplyReordered<T>};
  const std::string key =
      StrCat("MatMul of ", DTypeOf<T>(), ' ', s.m, " x ", s.k, " x ", s.n,
             s.transpose_a ? ", a transposed" : "", s.transpose_b ? ", b transposed" : "",
             ", threads ", threads == nullptr ? 1 : threads->num_threads());
  const int way =
      autotune.Quickest(key, kTried, [&](int i) { kWays[i](s, a, b, product, threads); });
  NoteTier(kTried[way]);
  kWays[way](s, a, b, product, threads);
}

// What the environment variable MINITF_MATMUL names.
template <typename T>
struct Usual {
  const char* tier = std::getenv("MINITF_MATMUL");
  Multiplier<T> multiply = MultiplyFast<T>;

  Usual() {
    if (tier == nullptr || *tier == 0) {
      tier = "packed";
    } else {
      multiply = FindMultiplier<T>(tier);
    }
  }
};

}  // namespace

template <typename T>
Multiplier<T> FindMultiplier(std::string_view tier) {
  if (tier == "naive") return MultiplyNaively<T>;
  if (tier == "reordered") return MultiplyReordered<T>;
  if (tier == "tiled") return MultiplyTiled<T>;
  if (tier == "eigen") return MultiplyByEigen<T>;
  if (tier == "autotune") return MultiplyAutotuned<T>;
  Require(tier == "packed", "there is no tier of MatMul called \"", tier,
          "\": naive, reordered, tiled, eigen, packed, or autotune");
  return MultiplyByPanels<T>;
}

template <typename T>
void MultiplyMatrices(const ProductSizes& s, const T* a, const T* b, T* product,
                      ThreadPool* threads) {
  if (s.m == 0 || s.n == 0) return;
  if (s.k == 0) {
    std::fill_n(product, s.m * s.n, T(0));
  } else if constexpr (std::is_floating_point_v<T>) {
    static const Usual<T> usual;
    NoteTier(usual.tier);
    usual.multiply(s, a, b, product, threads);
  } else if constexpr (kIsHalf<T>) {
    MultiplyHalves(s, a, b, product, threads);
  } else {
    AddUpRows(s, a, b, product, threads);
  }
}

template Multiplier<float> FindMultiplier(std::string_view);
template Multiplier<double> FindMultiplier(std::string_view);
template decltype(MultiplyMatrices<float16>) MultiplyMatrices<float16>;
template decltype(MultiplyMatrices<bfloat16>) MultiplyMatrices<bfloat16>;
template decltype(MultiplyMatrices<float>) MultiplyMatrices<float>;
template decltype(MultiplyMatrices<double>) MultiplyMatrices<double>;
template decltype(MultiplyMatrices<int32_t>) MultiplyMatrices<int32_t>;
template decltype(MultiplyMatrices<int64_t>) MultiplyMatrices<int64_t>;
template decltype(MultiplyMatrices<complex64>) MultiplyMatrices<complex64>;
template decltype(MultiplyMatrices<complex128>) MultiplyMatrices<complex128>;

}  // namespace minitf
