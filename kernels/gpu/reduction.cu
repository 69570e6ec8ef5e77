// Reductions: which threads share one result, so that neighbours read neighbours.
//
//   rows      inner = 1: the numbers of a result lie side by side. A warp takes a row of
//             up to 1024 numbers, a block a longer one; each thread combines every 32nd
//             (256th) number, and then the threads combine theirs (warp.h)
//   columns   inner > 1: the results lie side by side. 32 threads take 32 of them, and 8
//             such rows of threads share the length out among themselves
//
// Few results, such as the sum of all elements, would keep few blocks busy. So the length
// is cut into parts, which are reduced first, each to a result of its own in `room`; then
// these are reduced.
//
// No atomics: the order of additions, and so the last bit, is the same in every run.
//
// Compare    Harris, Optimizing Parallel Reduction in CUDA (2007)
// Read next  kernels/gpu/nn/softmax.h

#include <algorithm>
#include <cmath>

#include "kernels/gpu/reduction.h"
#include "kernels/gpu/warp.h"

namespace minitf::gpu {
namespace {

template <typename T>
struct SumOf {
  __device__ static T Identity() { return 0; }
  __device__ T operator()(T a, T b) const { return a + b; }
  __device__ static T Finish(T x, int64_t) { return x; }
};

template <typename T>
struct MeanOf : SumOf<T> {
  __device__ static T Finish(T x, int64_t count) { return x / static_cast<T>(count); }
};

template <typename T>
struct ProductOf : SumOf<T> {
  __device__ static T Identity() { return 1; }
  __device__ T operator()(T a, T b) const { return a * b; }
};

// A number that is none stays, whatever is combined with it.
template <typename T>
struct LargestOf : SumOf<T> {
  __device__ static T Identity() { return -INFINITY; }
  __device__ T operator()(T a, T b) const { return a > b || isnan(a) ? a : b; }
};

template <typename T>
struct SmallestOf : SumOf<T> {
  __device__ static T Identity() { return INFINITY; }
  __device__ T operator()(T a, T b) const { return a < b || isnan(a) ? a : b; }
};

// A reduction, or one of its two steps. Result `outer` of x [outers,length,inner] is cut
// into parts of `part` elements; part p of it goes to y [outers,parts,inner]. A mean is
// divided by `count`, which is 1 in a first step.
template <typename T>
struct Step {
  int64_t outers, length, inner;
  int64_t parts, part;
  int64_t count;
  const T* x;
  T* y;
};

// The numbers of one result along an axis whose elements lie `inner` apart.
struct Range {
  int64_t begin, end;
};

template <typename T>
__device__ Range RangeOf(const Step<T>& step, int64_t result) {
  const int64_t begin = result % step.parts * step.part;
  return {begin, min(begin + step.part, step.length)};
}

// inner = 1: a warp for each result.
template <typename T, typename Combine>
__global__ void ReduceRowsByWarps(Step<T> step) {
  const Combine combine;
  // LAB(11.3) begin: write all results to step.y, a warp for each
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warps = static_cast<int>(blockDim.x) / 32;
  const int64_t first = int64_t{blockIdx.x} * warps + threadIdx.x / 32;
  for (int64_t result = first; result < step.outers * step.parts;
       result += int64_t{gridDim.x} * warps) {
    const T* const row = step.x + result / step.parts * step.length;
    const Range range = RangeOf(step, result);
    T value = Combine::Identity();
    for (int64_t i = range.begin + lane; i < range.end; i += 32) {
      value = combine(value, row[i]);
    }
    value = OfWarp(value, combine);
    if (lane == 0) step.y[result] = Combine::Finish(value, step.count);
  }
  // LAB(11.3) end
}

// inner = 1: a block for each result.
template <typename T, typename Combine>
__global__ void ReduceRowsByBlocks(Step<T> step) {
  __shared__ T room[32];
  const Combine combine;
  // LAB(11.4) begin: write all results to step.y, a block for each
  for (int64_t result = blockIdx.x; result < step.outers * step.parts;
       result += gridDim.x) {
    const T* const row = step.x + result / step.parts * step.length;
    const Range range = RangeOf(step, result);
    T value = Combine::Identity();
    for (int64_t i = range.begin + threadIdx.x; i < range.end; i += blockDim.x) {
      value = combine(value, row[i]);
    }
    value = OfBlock(value, Combine::Identity(), room, combine);
    if (threadIdx.x == 0) step.y[result] = Combine::Finish(value, step.count);
  }
  // LAB(11.4) end
}

constexpr int kColumns = 32;  // results of a block
constexpr int kShares = 8;    // threads for one result

// inner > 1; block (32, 8).
template <typename T, typename Combine>
__global__ void ReduceColumns(Step<T> step) {
  __shared__ T shares[kShares][kColumns];
  const Combine combine;
  // LAB(11.5) begin: write all results to step.y, kColumns of them at a time
  const int64_t across = (step.inner + kColumns - 1) / kColumns;
  for (int64_t block = blockIdx.x; block < step.outers * step.parts * across;
       block += gridDim.x) {
    const int64_t result = block / across;
    const int64_t inner = block % across * kColumns + threadIdx.x;
    const bool is_inside = inner < step.inner;
    const T* const column =
        step.x + result / step.parts * step.length * step.inner + inner;
    const Range range = RangeOf(step, result);
    T value = Combine::Identity();
    for (int64_t i = range.begin + threadIdx.y; is_inside && i < range.end;
         i += kShares) {
      value = combine(value, column[i * step.inner]);
    }
    shares[threadIdx.y][threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.y == 0 && is_inside) {
      for (int i = 1; i < kShares; ++i) value = combine(value, shares[i][threadIdx.x]);
      step.y[result * step.inner + inner] = Combine::Finish(value, step.count);
    }
    __syncthreads();
  }
  // LAB(11.5) end
}

constexpr int64_t kLongRow = 1024;

// Blocks that a step without parts has.
int64_t BlocksOf(const ReduceSizes& sizes) {
  if (sizes.inner > 1) return sizes.outer * ((sizes.inner + kColumns - 1) / kColumns);
  return sizes.length > kLongRow ? sizes.outer : (sizes.outer + 7) / 8;
}

int64_t PartsOf(const ReduceSizes& sizes) {
  constexpr int64_t kEnough = 528;   // blocks: four for each multiprocessor of an H100
  constexpr int64_t kMinPart = 512;  // numbers that are worth a block of threads
  const int64_t blocks = BlocksOf(sizes);
  if (blocks == 0 || blocks >= kEnough) return 1;
  const int64_t most = (sizes.length + kMinPart - 1) / kMinPart;
  return std::max<int64_t>(1, std::min(most, (kEnough + blocks - 1) / blocks));
}

template <typename T, typename Combine>
cudaError_t LaunchStep(const Step<T>& step, cudaStream_t stream) {
  const int64_t results = step.outers * step.parts;
  if (step.inner > 1) {
    const int64_t blocks = results * ((step.inner + kColumns - 1) / kColumns);
    ReduceColumns<T, Combine>
        <<<BlocksFor(blocks, 1), dim3(kColumns, kShares), 0, stream>>>(step);
  } else if (step.part > kLongRow) {
    ReduceRowsByBlocks<T, Combine>
        <<<BlocksFor(results, 1), kBlockSize, 0, stream>>>(step);
  } else {
    ReduceRowsByWarps<T, Combine>
        <<<BlocksFor(results * 32), kBlockSize, 0, stream>>>(step);
  }
  return cudaGetLastError();
}

template <typename T, typename Combine>
cudaError_t LaunchWith(const ReduceSizes& sizes, const T* x, T* y, T* room,
                       cudaStream_t stream) {
  const auto [outer, length, inner] = sizes;
  if (outer * inner == 0) return cudaSuccess;
  const int64_t parts = room == nullptr ? 1 : PartsOf(sizes);
  if (parts == 1) {
    return LaunchStep<T, Combine>({outer, length, inner, 1, length, length, x, y},
                                  stream);
  }
  // LAB(11.6) begin: reduce `parts` parts of x to `room`, and then these to y
  const int64_t part = (length + parts - 1) / parts;
  const cudaError_t error =
      LaunchStep<T, Combine>({outer, length, inner, parts, part, 1, x, room}, stream);
  if (error != cudaSuccess) return error;
  return LaunchStep<T, Combine>({outer, parts, inner, 1, parts, length, room, y}, stream);
  // LAB(11.6) end
}

}  // namespace

int64_t ReduceRoom(const ReduceSizes& sizes) {
  const int64_t parts = PartsOf(sizes);
  return parts == 1 ? 0 : sizes.outer * parts * sizes.inner;
}

template <typename T>
cudaError_t LaunchReduce(ReduceFunction function, const ReduceSizes& sizes, const T* x,
                         T* y, T* room, cudaStream_t stream) {
  switch (function) {
    case ReduceFunction::kSum: return LaunchWith<T, SumOf<T>>(sizes, x, y, room, stream);
    case ReduceFunction::kMean:
      return LaunchWith<T, MeanOf<T>>(sizes, x, y, room, stream);
    case ReduceFunction::kProd:
      return LaunchWith<T, ProductOf<T>>(sizes, x, y, room, stream);
    case ReduceFunction::kMax:
      return LaunchWith<T, LargestOf<T>>(sizes, x, y, room, stream);
    case ReduceFunction::kMin:
      return LaunchWith<T, SmallestOf<T>>(sizes, x, y, room, stream);
  }
  return cudaErrorInvalidValue;
}

template cudaError_t LaunchReduce(ReduceFunction, const ReduceSizes&, const float*,
                                  float*, float*, cudaStream_t);
template cudaError_t LaunchReduce(ReduceFunction, const ReduceSizes&, const double*,
                                  double*, double*, cudaStream_t);

}  // namespace minitf::gpu
