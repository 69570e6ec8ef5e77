// The tier "tiled": tiles of a and b that stay in the first cache while they are needed.
//
// A product of n x n matrices uses each number n times. "reordered" fetches it from
// memory each time as soon as a matrix does not fit the cache. Cut into tiles of kSide x
// kSide, three of which fit (3 * 32 * 32 * 8 bytes = 24 KB), a number is fetched n /
// kSide times. The tiles of a and b are copied to where they lie without gaps, which is
// also the place to turn a transposed one.
//
// What is left to the next tiers: to keep the sums in registers, not in the cache.
//
// Read next  kernels/cpu/gemm/product_eigen.cc

#include <algorithm>
#include <array>

#include "kernels/cpu/gemm/product_tiers.h"
#include "kernels/cpu/gemm/traced.h"
#include "minitf/base/stop.h"

namespace minitf {
namespace {

constexpr int64_t kSide = 32;

template <typename T>
using Tile = std::array<T, kSide * kSide>;  // kSide elements a row

// The first `columns` elements of the first `rows` rows of `from`; the rest of the tile
// may be anything.
template <typename T>
void CopyTile(const StridedMatrix<T>& from, int64_t rows, int64_t columns,
              Tile<T>* tile) {
  // LAB(08.3) begin: copy `rows` x `columns` elements
  for (int64_t y = 0; y < rows; ++y) {
    for (int64_t x = 0; x < columns; ++x) {
      (*tile)[y * kSide + x] = from.at(y, x);
    }
  }
  // LAB(08.3) end
}

}  // namespace

template <typename T>
void MultiplyTiled(const ProductSizes& s, const T* a, const T* b, T* product,
                   ThreadPool*) {
  const StridedMatrix<T> left = LeftOf(s, a);
  const StridedMatrix<T> right = RightOf(s, b);
  Tile<T> a_tile;
  Tile<T> b_tile;
  // LAB(08.4) begin: write the product, tile by tile
  std::fill_n(product, s.m * s.n, T(0));
  for (int64_t p = 0; p < s.k; p += kSide) {
    const int64_t depth = std::min(kSide, s.k - p);
    for (int64_t j = 0; j < s.n; j += kSide) {
      StopIfAsked();
      const int64_t columns = std::min(kSide, s.n - j);
      CopyTile(right.From(p, j), depth, columns, &b_tile);
      for (int64_t i = 0; i < s.m; i += kSide) {
        const int64_t rows = std::min(kSide, s.m - i);
        CopyTile(left.From(i, p), rows, depth, &a_tile);
        for (int64_t y = 0; y < rows; ++y) {
          T* const row = product + (i + y) * s.n + j;
          for (int64_t q = 0; q < depth; ++q) {
            const T factor = a_tile[y * kSide + q];
            for (int64_t x = 0; x < columns; ++x)
              row[x] += factor * b_tile[q * kSide + x];
          }
        }
      }
    }
  }
  // LAB(08.4) end
}

template decltype(MultiplyTiled<float>) MultiplyTiled<float>;
template decltype(MultiplyTiled<double>) MultiplyTiled<double>;
template decltype(MultiplyTiled<Traced>) MultiplyTiled<Traced>;

}  // namespace minitf
