// TransposeMatrix: rows become columns, 16 x 16 elements at a time, in vector registers.
//
//   to [columns,rows]  =  from [rows,columns] turned
//
// One by one, each element would be a load and a store, and where rows lie a power of two
// apart, as in a matrix of 1024 columns, a column's elements all fall into the same few
// places of the first cache: they are lost before their neighbours are wanted. A square
// of 16 x 16 floats is read in 16 whole cache lines and written in 16 whole lines.
//
// In registers it turns by a riffle, as of two halves of a pack of cards: row i and row
// i + 8 become two rows with their elements taken in turns. After four such rounds, all
// elements stand where they belong.
//
// Read next  kernels/cpu/common/broadcast_plan.h

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace minitf {
namespace internal {

/// As many elements as fill a cache line.
template <typename T>
using Line [[gnu::vector_size(64)]] = T;

template <typename T>
inline constexpr int kInLine = 64 / sizeof(T);

/// The elements of a and b in turns: those of the first halves, or of the second ones.
template <typename T, int kHalf, int... i>
Line<T> Riffle(Line<T> a, Line<T> b, std::integer_sequence<int, i...>) {
  constexpr int kCount = kInLine<T>;
  return __builtin_shufflevector(
      a, b, (kHalf * kCount / 2 + i / 2 + (i % 2 == 0 ? 0 : kCount))...);
}

/// A square of kInLine<T> by kInLine<T> elements.
template <typename T>
void TransposeSquare(const T* from, int64_t from_row, T* to, int64_t to_row) {
  constexpr int kCount = kInLine<T>;
  using Numbers = std::make_integer_sequence<int, kCount>;
  Line<T> rows[kCount];
  for (int i = 0; i < kCount; ++i) std::memcpy(&rows[i], from + i * from_row, 64);
#pragma GCC unroll 4
  for (int round = 1; round < kCount; round *= 2) {
    Line<T> next[kCount];
#pragma GCC unroll 8
    for (int i = 0; i < kCount / 2; ++i) {
      next[2 * i] = Riffle<T, 0>(rows[i], rows[i + kCount / 2], Numbers());
      next[2 * i + 1] = Riffle<T, 1>(rows[i], rows[i + kCount / 2], Numbers());
    }
    std::copy(next, next + kCount, rows);
  }
  for (int i = 0; i < kCount; ++i) std::memcpy(to + i * to_row, &rows[i], 64);
}

}  // namespace internal

/// to[j * to_row + i] = from[i * from_row + j] for i < rows, j < columns. The two do not
/// overlap. T has 4 or 8 bytes.
template <typename T>
void TransposeMatrix(const T* from, int64_t from_row, int64_t rows, int64_t columns,
                     T* to, int64_t to_row) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  constexpr int64_t kCount = internal::kInLine<T>;
  for (int64_t i = 0; i < rows; i += kCount) {
    for (int64_t j = 0; j < columns; j += kCount) {
      const T* const source = from + i * from_row + j;
      T* const target = to + j * to_row + i;
      if (rows - i >= kCount && columns - j >= kCount) {
        internal::TransposeSquare(source, from_row, target, to_row);
        continue;
      }
      for (int64_t y = 0; y < std::min(kCount, rows - i); ++y) {
        for (int64_t x = 0; x < std::min(kCount, columns - j); ++x) {
          target[x * to_row + y] = source[y * from_row + x];
        }
      }
    }
  }
}

}  // namespace minitf
