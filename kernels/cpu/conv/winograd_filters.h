// The filters of Winograd's algorithm: transformed once, or as they are needed.
//
// Transformed, the filters of F(4x4,3x3) are 36 matrices u [C,K] where they were 9. With
// few channels that is little, and all tiles of all images read them. With 512 x 512
// channels u has 38 MB, and the images have few tiles left, since networks with so many
// channels have made them small: to write u and to read it again takes as long as the
// products. There, a part of the filters at a time is transformed into the second cache,
// multiplied by all tiles, and forgotten:
//
//   for each 32 of K             threads share these
//     for each 128 of C
//       36 slivers [128,32] of u, 590 KB
//       m [36][tiles,32]  +=  v [36][tiles,128]  slivers
//
// Both give the same bits. 8 images of 7 x 7 pixels take 3.7 ms, by way of u 7.4.
//
// Read next  kernels/cpu/nn/windows.h

#pragma once

#include <cstdint>

#include "minitf/base/thread_pool.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

/// What is computed for a block of up to `most` tiles: m [products][tiles,K], made of
/// v [products][tiles,C] and u. Behind each row of v, and each matrix of v and m, a cache
/// line is left free: a power of two apart, the numbers of a tile, or the rows of a
/// panel, would all fall into the same few places of the first cache.
template <typename T>
struct WinogradBlock {
  WinogradBlock(int64_t products, int64_t most, int64_t c, int64_t k)
      : v_row(c + kGap),
        v_step(most * v_row + kGap),
        m_step(most * k + kGap),
        room(DTypeOf<T>(), {products * (v_step + m_step)}),
        v(room.template mutable_flat<T>().data()),
        m(v + products * v_step) {}

  static constexpr int64_t kGap = 64 / sizeof(T);

  int64_t tiles = 0;  ///< those that there are
  const int64_t v_row, v_step, m_step;
  Tensor room;
  T* const v;
  T* const m;
};

/// Filters w [R,R,C,K] on their way to u [products][C,K]. T is float or double.
template <typename T>
class WinogradFilters {
 public:
  /// Transforms the filters of pairs of channels [at, at + count) of all `size` pairs,
  /// but of no more than there are Lanes. Product i goes to u + i * step.
  using Transform = void (*)(const T* w, int64_t size, int64_t at, int64_t count, T* u,
                             int64_t step);

  WinogradFilters(Transform transform, int64_t products, const T* w, int64_t c, int64_t k,
                  ThreadPool& threads);

  /// Whether u is there. Else a block of tiles is for all threads.
  bool are_transformed() const { return u_.num_elements() > 0; }

  /// Tiles of a block: as v and m fit the second cache, but enough to use what u loads.
  int64_t tiles_at_a_time() const;

  /// Writes block.m. In several threads if `threads` is not null. Without u, a thread
  /// takes 0.6 MB of memory, 1.2 for double.
  void Multiply(const WinogradBlock<T>& block, ThreadPool* threads) const;

 private:
  void TransformAll(ThreadPool& threads);
  void MultiplyParts(const WinogradBlock<T>& block, ThreadPool* threads) const;

  const Transform transform_;
  const int64_t products_;
  const T* const w_;
  const int64_t c_, k_;
  const int64_t u_step_;
  Tensor u_;  // if transformed
};

}  // namespace minitf
