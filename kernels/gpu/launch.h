// What all launches share: sizes of grids, and how an error comes back.
//
// A launch function puts a kernel into a stream and returns; the kernel runs later. Sizes
// that are 0 launch nothing, since CUDA takes a grid of 0 blocks for an error. What it
// returns is the error of the launch, not of the kernel: that one comes out of the
// stream.
//
// The files of this folder know CUDA and nothing of minitf, so each can be read, tried
// and measured alone. kernels/gpu/ops makes ops of them.
//
// Read next  kernels/gpu/loops.h

#pragma once

#include <cstdint>

#include "kernels/simt/cuda.h"

namespace minitf::gpu {

inline constexpr int kBlockSize = 256;

/// No grid is larger along x, so that an index of a thread always fits. Labs are compiled
/// with a few, so that small inputs need several steps of the whole grid.
#ifdef MINITF_GPU_MAX_BLOCKS
inline constexpr int64_t kMaxBlocks = MINITF_GPU_MAX_BLOCKS;
#else
inline constexpr int64_t kMaxBlocks = int64_t{1} << 20;
#endif

/// How many blocks of `block_size` make `threads` threads; at most kMaxBlocks, so kernels
/// go on in steps of the whole grid.
inline unsigned BlocksFor(int64_t threads, int block_size = kBlockSize) {
  const int64_t blocks = (threads + block_size - 1) / block_size;
  return static_cast<unsigned>(blocks < kMaxBlocks ? blocks : kMaxBlocks);
}

/// Elements that a thread of MapElements (loops.h) has under way at once.
inline constexpr int kEach = 4;

/// How many blocks MapElements has work for; fewer than would let an index overflow.
inline unsigned BlocksForMap(int64_t count) {
  return BlocksFor((count + kEach - 1) / kEach);
}

/// Whether indices below `count`, and steps beyond it, fit into 32 bits. Taking such an
/// index apart, by divisions, costs a quarter of what it costs with 64 bits.
inline bool FitsInt(int64_t count) { return count < int64_t{1} << 30; }

/// Calls launch<T>() with a type of `size` bytes, for elements that are only moved.
template <typename Launch>
cudaError_t WithElementsOf(int size, Launch launch) {
  switch (size) {
    case 1: return launch.template operator()<uint8_t>();
    case 2: return launch.template operator()<uint16_t>();
    case 4: return launch.template operator()<uint32_t>();
    case 8: return launch.template operator()<uint64_t>();
    case 16: return launch.template operator()<double2>();
    default: return cudaErrorInvalidValue;
  }
}

}  // namespace minitf::gpu
