// What the 32 threads of a warp, or all threads of a block, work out together.
//
// Threads of a warp give each other registers, without memory and without a barrier:
//
//   offset 16   thread t takes the number of thread t + 16
//   offset  8   ... of thread t + 8, which has two by now
//   ...         after five steps thread 0 has combined all 32
//
// With an exclusive or in place of the sum every thread has the result in the end.
//
// Read next  kernels/gpu/reduction.cu

#pragma once

#include "kernels/gpu/launch.h"

namespace minitf::gpu {

inline constexpr unsigned kWholeWarp = 0xffffffff;

/// combine(x of all lanes), in every lane. All 32 lanes must call it.
template <typename T, typename Combine>
__device__ T OfWarp(T x, Combine combine) {
  for (int offset = 16; offset > 0; offset /= 2) {
    x = combine(x, __shfl_xor_sync(kWholeWarp, x, offset));
  }
  return x;
}

/// The same of all threads of a block, in every thread. `room` is shared memory for 32
/// numbers. The block is a whole number of warps, at most 32 of them, and all threads
/// call it. `identity` changes nothing when it is combined.
template <typename T, typename Combine>
__device__ T OfBlock(T x, T identity, T* room, Combine combine) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int num_warps = static_cast<int>(blockDim.x) / 32;
  x = OfWarp(x, combine);
  __syncthreads();  // What is in `room` from a call before has been read.
  if (lane == 0) room[warp] = x;
  __syncthreads();
  return OfWarp(lane < num_warps ? room[lane] : identity, combine);
}

}  // namespace minitf::gpu
