// Batch normalization: two sums for each channel, and then a formula for each number.
//
// Which threads share a channel depends on where its numbers lie, as in a reduction:
//
//   channels last    a block of 32 x 8 threads takes 32 channels, which lie side by side;
//                    8 threads share the numbers of one
//   channels first   a block takes one channel, whose numbers lie side by side
//
// So that few channels keep many blocks busy, the numbers of a channel are cut into
// parts. Each part leaves its sums in `room` [parts,2,channels], and one thread for each
// channel adds them up, in an order that is the same in every run.
//
// Moments are found in two such walks: the mean first, and then the distances from it.
//
// Compare    tensorflow/core/kernels/fused_batch_norm_op.cu.cc
// Read next  kernels/gpu/random.h

#include <algorithm>
#include <cmath>

#include "kernels/gpu/loops.h"
#include "kernels/gpu/nn/batch_norm.h"
#include "kernels/gpu/warp.h"

namespace minitf::gpu {
namespace {

// ---- Sums -----------------------------------------------------------------------------

struct Pair {
  float first, second;
};

// What is added up, of the number at `i` of x, which is one of channel `c`.
struct Itself {
  const float* x;
  __device__ Pair operator()(int64_t, int64_t i) const { return {x[i], 0}; }
};
struct Distance {
  const float *x, *mean;
  __device__ Pair operator()(int64_t c, int64_t i) const {
    const float distance = x[i] - mean[c];
    return {distance, distance * distance};
  }
};
struct GradientTerms {
  const float *dy, *x, *mean;
  __device__ Pair operator()(int64_t c, int64_t i) const {
    return {dy[i], dy[i] * (x[i] - mean[c])};
  }
};

// The numbers of a channel, [outer,inner], are counted through and cut into parts.
struct Parts {
  int64_t count;  // numbers of a channel
  int64_t parts, part;

  __device__ int64_t Begin(int64_t p) const { return p * part; }
  __device__ int64_t End(int64_t p) const { return min(p * part + part, count); }
};

constexpr int kColumns = 32;  // channels of a block
constexpr int kShares = 8;    // threads for one channel

// Channels last; block (32, 8).
template <typename Terms>
__global__ void SumColumns(int64_t channels, Parts parts, Terms terms, float* room) {
  __shared__ Pair shares[kShares][kColumns];
  const int64_t across = (channels + kColumns - 1) / kColumns;
  for (int64_t block = blockIdx.x; block < across * parts.parts; block += gridDim.x) {
    const int64_t p = block / across;
    const int64_t c = block % across * kColumns + threadIdx.x;
    const bool is_inside = c < channels;
    Pair sum = {0, 0};
    for (int64_t row = parts.Begin(p) + threadIdx.y; is_inside && row < parts.End(p);
         row += kShares) {
      const Pair term = terms(c, row * channels + c);
      sum = {sum.first + term.first, sum.second + term.second};
    }
    shares[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && is_inside) {
      for (int i = 1; i < kShares; ++i) {
        const Pair share = shares[i][threadIdx.x];
        sum = {sum.first + share.first, sum.second + share.second};
      }
      room[p * 2 * channels + c] = sum.first;
      room[(p * 2 + 1) * channels + c] = sum.second;
    }
    __syncthreads();
  }
}

// Channels first.
template <typename Terms>
__global__ void SumRows(ChannelSizes s, Parts parts, Terms terms, float* room) {
  __shared__ float memory[32];
  const auto plus = [](float a, float b) { return a + b; };
  for (int64_t block = blockIdx.x; block < s.channels * parts.parts; block += gridDim.x) {
    const int64_t p = block / s.channels;
    const int64_t c = block % s.channels;
    Pair sum = {0, 0};
    for (int64_t n = parts.Begin(p) + threadIdx.x; n < parts.End(p); n += blockDim.x) {
      const int64_t row = n / s.inner * s.channels + c;  // of [outer,channels]
      const Pair term = terms(c, row * s.inner + n % s.inner);
      sum = {sum.first + term.first, sum.second + term.second};
    }
    const float first = OfBlock(sum.first, 0.0F, memory, plus);
    const float second = OfBlock(sum.second, 0.0F, memory, plus);
    if (threadIdx.x == 0) {
      room[p * 2 * s.channels + c] = first;
      room[(p * 2 + 1) * s.channels + c] = second;
    }
  }
}

Parts PartsOf(const ChannelSizes& s) {
  constexpr int64_t kEnough = 528;   // blocks: four for each multiprocessor of an H100
  constexpr int64_t kMinPart = 512;  // numbers that are worth a block of threads
  const int64_t blocks =
      s.inner == 1 ? (s.channels + kColumns - 1) / kColumns : s.channels;
  const int64_t count = s.outer * s.inner;
  const int64_t wanted =
      std::min((count + kMinPart - 1) / kMinPart, (kEnough + blocks - 1) / blocks);
  const int64_t part = (count + wanted - 1) / wanted;
  return {count, (count + part - 1) / part, part};
}

template <typename Terms>
void LaunchSums(const ChannelSizes& s, const Parts& parts, const Terms& terms,
                float* room, cudaStream_t stream) {
  if (s.inner == 1) {
    const int64_t blocks = (s.channels + kColumns - 1) / kColumns * parts.parts;
    SumColumns<Terms><<<BlocksFor(blocks, 1), dim3(kColumns, kShares), 0, stream>>>(
        s.channels, parts, terms, room);
  } else {
    SumRows<Terms><<<BlocksFor(s.channels * parts.parts, 1), kBlockSize, 0, stream>>>(
        s, parts, terms, room);
  }
}

// ---- What is made of the sums, one thread for each channel ----------------------------

__device__ Pair TotalOf(const Parts& parts, int64_t channels, int64_t c,
                        const float* room) {
  Pair sum = {0, 0};
  for (int64_t p = 0; p < parts.parts; ++p) {
    sum.first += room[p * 2 * channels + c];
    sum.second += room[(p * 2 + 1) * channels + c];
  }
  return sum;
}

__global__ void StoreMeans(int64_t channels, Parts parts, const float* room,
                           float* mean) {
  MINITF_GPU_LOOP(c, channels) {
    mean[c] = TotalOf(parts, channels, c, room).first / static_cast<float>(parts.count);
  }
}

// The mean was rounded, so the distances from it do not add up to 0.
__global__ void StoreVariances(int64_t channels, Parts parts, const float* room,
                               float* mean, float* variance) {
  MINITF_GPU_LOOP(c, channels) {
    const Pair sums = TotalOf(parts, channels, c, room);
    const float rest = sums.first / static_cast<float>(parts.count);
    const float v = sums.second / static_cast<float>(parts.count) - rest * rest;
    if (isfinite(rest)) mean[c] += rest;
    variance[c] = v < 0 ? 0 : v;
  }
}

__device__ float RootOf(const ChannelMoments& by, int64_t c) {
  return 1 / sqrtf(by.variance[c] + by.epsilon);
}

__global__ void StoreSums(int64_t channels, Parts parts, const float* room,
                          ChannelMoments by, BatchNormGradients of) {
  MINITF_GPU_LOOP(c, channels) {
    const Pair sums = TotalOf(parts, channels, c, room);
    of.dscale[c] = sums.second * RootOf(by, c);
    of.doffset[c] = sums.first;
  }
}

__global__ void MoveAverage(int64_t count, Average a) {
  MINITF_GPU_LOOP(i, count) {
    const float now = a.from[i] * a.factor;
    a.to[i] = a.part == 1 ? now : now * a.part + a.old[i] * (1 - a.part);
  }
}

// ---- Number by number -----------------------------------------------------------------

template <typename Index>
__global__ void Normalize(ChannelSizes s, ChannelMoments by, const float* x, float* y) {
  const auto channels = Index(s.channels), inner = Index(s.inner);
  const auto normalized = [=](Index i) {
    const Index c = i / inner % channels;
    return (x[i] - by.mean[c]) * (RootOf(by, c) * by.scale[c]) + by.offset[c];
  };
  MapElements(Index(s.count()), normalized, [=](Index i, float value) { y[i] = value; });
}

// dx = scale * r * (dy - mean of dy - h * mean of (dy * h)) for h = (x - mean) * r; or
// without the means.
template <typename Index, bool kIsTraining>
__global__ void NormalizeGradient(ChannelSizes s, ChannelMoments by,
                                  BatchNormGradients of) {
  const auto channels = Index(s.channels), inner = Index(s.inner);
  const auto n = static_cast<float>(s.outer * s.inner);
  const auto gradient = [=](Index i) {
    const Index c = i / inner % channels;
    const float r = RootOf(by, c);
    float g = of.dy[i];
    if constexpr (kIsTraining) {
      const float h = (of.x[i] - by.mean[c]) * r;
      g -= of.doffset[c] / n + h * (of.dscale[c] / n);
    }
    return g * r * by.scale[c];
  };
  MapElements(Index(s.count()), gradient, [=](Index i, float dx) { of.dx[i] = dx; });
}

// Calls launch<Index>() with the narrower type if indices fit.
template <typename Launch>
cudaError_t WithIndex(int64_t count, Launch launch) {
  if (FitsInt(count)) {
    launch.template operator()<int>();
  } else {
    launch.template operator()<int64_t>();
  }
  return cudaGetLastError();
}

}  // namespace

int64_t BatchNormRoom(const ChannelSizes& sizes) {
  if (sizes.count() == 0) return 0;
  return PartsOf(sizes).parts * 2 * sizes.channels;
}

cudaError_t LaunchMoments(const ChannelSizes& sizes, const float* x, float* mean,
                          float* variance, float* room, cudaStream_t stream) {
  if (sizes.count() == 0) return cudaSuccess;
  const int64_t channels = sizes.channels;
  const unsigned blocks = BlocksFor(channels);
  const Parts parts = PartsOf(sizes);
  LaunchSums(sizes, parts, Itself{x}, room, stream);
  StoreMeans<<<blocks, kBlockSize, 0, stream>>>(channels, parts, room, mean);
  LaunchSums(sizes, parts, Distance{x, mean}, room, stream);
  StoreVariances<<<blocks, kBlockSize, 0, stream>>>(channels, parts, room, mean,
                                                    variance);
  return cudaGetLastError();
}

cudaError_t LaunchNormalize(const ChannelSizes& sizes, const ChannelMoments& by,
                            const float* x, float* y, cudaStream_t stream) {
  if (sizes.count() == 0) return cudaSuccess;
  return WithIndex(sizes.count(), [&]<typename Index>() {
    Normalize<Index>
        <<<BlocksForMap(sizes.count()), kBlockSize, 0, stream>>>(sizes, by, x, y);
  });
}

cudaError_t LaunchBatchNormGrad(bool is_training, const ChannelSizes& sizes,
                                const ChannelMoments& by, const BatchNormGradients& of,
                                float* room, cudaStream_t stream) {
  if (sizes.count() == 0) return cudaSuccess;
  const int64_t channels = sizes.channels;
  const Parts parts = PartsOf(sizes);
  LaunchSums(sizes, parts, GradientTerms{of.dy, of.x, by.mean}, room, stream);
  StoreSums<<<BlocksFor(channels), kBlockSize, 0, stream>>>(channels, parts, room, by,
                                                            of);
  const unsigned blocks = BlocksForMap(sizes.count());
  return WithIndex(sizes.count(), [&]<typename Index>() {
    if (is_training) {
      NormalizeGradient<Index, true><<<blocks, kBlockSize, 0, stream>>>(sizes, by, of);
    } else {
      NormalizeGradient<Index, false><<<blocks, kBlockSize, 0, stream>>>(sizes, by, of);
    }
  });
}

cudaError_t LaunchAverage(int64_t count, const Average& average, cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  MoveAverage<<<BlocksFor(count), kBlockSize, 0, stream>>>(count, average);
  return cudaGetLastError();
}

}  // namespace minitf::gpu
