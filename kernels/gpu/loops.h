// Loops over elements that are shared out among the threads of a grid. For kernels alone.
//
// Read next  kernels/gpu/elementwise.h

#pragma once

#include <cstdint>

#include "kernels/gpu/launch.h"

namespace minitf::gpu {

/// In a kernel with blocks of kBlockSize: store(i, load(i)) for all i below `count`. A
/// thread loads kEach elements before it stores the first, so that it waits for memory
/// once, not four times; they lie kBlockSize apart, so that a warp's stay side by side.
template <typename Index, typename Load, typename Store>
__device__ __forceinline__ void MapElements(Index count, Load load, Store store) {
  using Element = decltype(load(Index{}));
  constexpr Index kPart = kBlockSize * kEach;
  for (Index part = Index(blockIdx.x) * kPart; part < count;
       part += Index(gridDim.x) * kPart) {
    const Index first = part + threadIdx.x;
    Element elements[kEach];
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      const Index i = first + e * kBlockSize;
      if (i < count) elements[e] = load(i);
    }
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      const Index i = first + e * kBlockSize;
      if (i < count) store(i, elements[e]);
    }
  }
}

}  // namespace minitf::gpu

/// In a kernel: the loop over all i below `count`, shared out among the threads of the
/// grid. Neighbouring threads take neighbouring elements, so that a warp reads whole
/// sectors.
#define MINITF_GPU_LOOP(i, count)                                  \
  for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x, \
               i##_step = int64_t{gridDim.x} * blockDim.x;         \
       i < (count); i += i##_step)
