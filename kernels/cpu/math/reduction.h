// Reductions in plain memory: many numbers become one, quickly and exactly.
//
// Any reduction is made of steps of one form: x [outer,length,inner] is reduced along
// its middle axis to y [outer,inner]. Two things decide how well a step does:
//
//   speed      vector instructions need neighbours that do not wait for each other. If
//              inner is large, these are neighbouring columns; if it is small, a few rows
//              together make up as many independent sums (lanes)
//   exactness  a sum of 10^7 numbers, one added to the next, loses the small ones. Rows
//              are summed in chunks, and then the sums of the chunks: the error grows
//              with the length of a chunk, not with that of the axis
//
// Chunks also are what threads share. Their size follows from the shape alone, so the
// result is the same for any number of threads.
//
// Compare    tensorflow/core/kernels/reduction_ops_common.h
// Read next  kernels/cpu/math/reduction_plan.h

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "kernels/cpu/math/reduction_plan.h"
#include "minitf/base/thread_pool.h"

namespace minitf {

constexpr int64_t kLanes = 32;          // two vectors of 16 floats
constexpr int64_t kChunk = 8192;        // elements that one thread reduces at a time
constexpr int64_t kMinChunkRows = 64;   // so that the results of chunks are few
constexpr int64_t kColumnBlock = 2048;  // results that stay in the first cache

/// y [columns] = the first `columns` of each of `rows` rows, which lie `inner` apart.
template <typename Reducer, typename T>
void ReduceColumns(const T* x, int64_t rows, int64_t inner, int64_t columns, T* y) {
  std::fill_n(y, columns, Reducer::template Identity<T>());
  int64_t row = 0;
  for (; row + 4 <= rows; row += 4) {
    const T* a = x + row * inner;
    const T* b = a + inner;
    const T* c = b + inner;
    const T* d = c + inner;
    for (int64_t i = 0; i < columns; ++i) {
      const T first = Reducer::Join(a[i], b[i]);
      const T second = Reducer::Join(c[i], d[i]);
      y[i] = Reducer::Join(y[i], Reducer::Join(first, second));
    }
  }
  for (; row < rows; ++row) {
    const T* a = x + row * inner;
    for (int64_t i = 0; i < columns; ++i) {
      y[i] = Reducer::Join(y[i], a[i]);
    }
  }
}

/// y [inner] = `rows` rows of `inner` <= kLanes / 2 elements, reduced. A group of rows is
/// taken together, so that there are up to kLanes independent sums.
template <typename Reducer, typename T>
void ReduceNarrowRows(const T* x, int64_t rows, int64_t inner, T* y) {
  const int64_t group = kLanes / inner;
  const int64_t width = group * inner;
  T lanes[kLanes];
  std::fill_n(lanes, kLanes, Reducer::template Identity<T>());
  int64_t row = 0;
  if (width == kLanes) {  // a width that is known makes the lanes registers
    for (; row + 4 * group <= rows; row += 4 * group, x += 4 * kLanes) {
      for (int64_t i = 0; i < kLanes; ++i) {
        // Only the last Join waits for what was joined before.
        const T first = Reducer::Join(x[i], x[kLanes + i]);
        const T second = Reducer::Join(x[2 * kLanes + i], x[3 * kLanes + i]);
        lanes[i] = Reducer::Join(lanes[i], Reducer::Join(first, second));
      }
    }
  }
  for (; row + group <= rows; row += group, x += width) {
    for (int64_t i = 0; i < width; ++i) {
      lanes[i] = Reducer::Join(lanes[i], x[i]);
    }
  }
  for (int64_t i = 0; i < (rows - row) * inner; ++i) {
    lanes[i] = Reducer::Join(lanes[i], x[i]);
  }
  ReduceColumns<Reducer>(lanes, group, inner, inner, y);
}

/// Reduces x [outer,length,inner] to y [outer,inner]. An axis of length 0 gives the
/// reducer's identity. A Reducer is a struct with
///
///   template <typename T> static T Identity();  // Join(Identity(), x) == x
///   template <typename T> static T Join(T x, T y);
template <typename Reducer, typename T>
void ReduceMiddle(const ReductionSizes& s, const T* x, T* y, ThreadPool& threads) {
  const int64_t chunk_rows =
      std::max(kMinChunkRows, kChunk / std::max<int64_t>(s.inner, 1));
  const int64_t chunks = std::max<int64_t>((s.length + chunk_rows - 1) / chunk_rows, 1);
  const int64_t blocks = (s.inner + kColumnBlock - 1) / kColumnBlock;
  const bool is_narrow = s.inner <= kLanes / 2;

  // Each unit of work is a chunk of rows and a block of columns.
  std::unique_ptr<T[]> partial;  // [outer,chunks,inner]
  if (chunks > 1) partial.reset(new T[s.outer * chunks * s.inner]);
  T* results = chunks > 1 ? partial.get() : y;
  const auto reduce_units = [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t column = unit % blocks * kColumnBlock;
      const int64_t chunk = unit / blocks % chunks;
      const int64_t o = unit / blocks / chunks;
      const int64_t first_row = chunk * chunk_rows;
      const int64_t rows = std::min(chunk_rows, s.length - first_row);
      const int64_t columns = std::min(kColumnBlock, s.inner - column);
      const T* from = x + (o * s.length + first_row) * s.inner + column;
      T* to = results + (o * chunks + chunk) * s.inner + column;
      if (is_narrow) {
        ReduceNarrowRows<Reducer>(from, rows, s.inner, to);
      } else {
        ReduceColumns<Reducer>(from, rows, s.inner, columns, to);
      }
    }
  };
  const int64_t unit_cost =
      std::min(chunk_rows, s.length) * std::min(s.inner, kColumnBlock) / 4 + 5;
  threads.ParallelFor(s.outer * chunks * blocks, unit_cost, reduce_units);

  if (chunks > 1) {
    ReduceMiddle<Reducer>(ReductionSizes{s.outer, chunks, s.inner}, results, y, threads);
  }
}

}  // namespace minitf
