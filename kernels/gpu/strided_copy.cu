// Moving elements: a thread for each, or whole matrices turned by tiles.
//
// Compare    tensorflow/core/kernels/transpose_functor_gpu.cu.cc,
//            tensorflow/core/kernels/concat_lib_gpu_impl.cu.cc
// Read next  kernels/gpu/transpose.cu

#include <cstring>

#include "kernels/gpu/loops.h"
#include "kernels/gpu/strided_copy.h"

namespace minitf::gpu {
namespace {

template <typename Index, typename T>
__global__ void CopyElements(Index count, StridedLoops loops, const T* from, T* to) {
  // LAB(11.1) begin: move all `count` elements, shared out among the threads of the grid
  struct Element {
    T value;
    Index to;
  };
  const auto load = [&](Index i) {
    Index source = 0;
    Index target = 0;
    for (int loop = loops.num_loops - 1; loop >= 0; --loop) {
      const auto size = static_cast<Index>(loops.size[loop]);
      const Index step = loop == 0 ? i : i % size;
      i /= size;
      source += step * static_cast<Index>(loops.from_stride[loop]);
      target += step * static_cast<Index>(loops.to_stride[loop]);
    }
    return Element{from[source], target};
  };
  MapElements(count, load, [=](Index, const Element& e) { to[e.to] = e.value; });
  // LAB(11.1) end
}

template <typename T>
__global__ void FillElements(int64_t count, T element, T* to) {
  MINITF_GPU_LOOP(i, count) to[i] = element;
}

// How far from the first element a nest reaches, there and here, whatever the signs.
int64_t Reach(const StridedLoops& loops) {
  int64_t from = 0;
  int64_t to = 0;
  for (int i = 0; i < loops.num_loops; ++i) {
    const int64_t steps = loops.size[i] - 1;
    from +=
        steps * (loops.from_stride[i] < 0 ? -loops.from_stride[i] : loops.from_stride[i]);
    to += steps * (loops.to_stride[i] < 0 ? -loops.to_stride[i] : loops.to_stride[i]);
  }
  return from > to ? from : to;
}

// Whether the last two loops turn matrices that lie one behind the other, there and here.
bool IsTranspose(const StridedLoops& loops) {
  const int n = loops.num_loops;
  if (n != 2 && n != 3) return false;
  const int64_t rows = loops.size[n - 1];  // of the input
  const int64_t columns = loops.size[n - 2];
  const bool turns = loops.from_stride[n - 1] == columns &&
                     loops.from_stride[n - 2] == 1 && loops.to_stride[n - 1] == 1 &&
                     loops.to_stride[n - 2] == rows;
  const bool is_dense = n == 2 || (loops.from_stride[0] == rows * columns &&
                                   loops.to_stride[0] == rows * columns);
  return turns && is_dense;
}

}  // namespace

cudaError_t LaunchStridedCopy(int size, const StridedLoops& loops, const void* from,
                              void* to, cudaStream_t stream) {
  const int n = loops.num_loops;
  int64_t count = 1;
  for (int i = 0; i < n; ++i) count *= loops.size[i];
  if (count == 0) return cudaSuccess;
  if (IsTranspose(loops)) {
    return LaunchTranspose(size, n == 3 ? loops.size[0] : 1, loops.size[n - 1],
                           loops.size[n - 2], from, to, stream);
  }
  const bool is_small = FitsInt(count) && FitsInt(Reach(loops));
  return WithElementsOf(size, [&]<typename T>() {
    const auto* const source = static_cast<const T*>(from);
    auto* const target = static_cast<T*>(to);
    if (is_small) {
      CopyElements<int, T><<<BlocksForMap(count), kBlockSize, 0, stream>>>(
          static_cast<int>(count), loops, source, target);
    } else {
      CopyElements<int64_t, T>
          <<<BlocksForMap(count), kBlockSize, 0, stream>>>(count, loops, source, target);
    }
    return cudaGetLastError();
  });
}

cudaError_t LaunchFill(int size, int64_t count, const void* element, void* to,
                       cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  return WithElementsOf(size, [&]<typename T>() {
    T copy;  // which goes to the card with the launch
    std::memcpy(static_cast<void*>(&copy), element, sizeof(T));
    FillElements<T>
        <<<BlocksFor(count), kBlockSize, 0, stream>>>(count, copy, static_cast<T*>(to));
    return cudaGetLastError();
  });
}

}  // namespace minitf::gpu
