// Batch normalization of images [outer,channels,inner], each channel by its own moments.
//
// Read next  kernels/gpu/nn/batch_norm.cu

#pragma once

#include <cstdint>

#include "kernels/gpu/launch.h"

namespace minitf::gpu {

struct ChannelSizes {
  int64_t outer, channels, inner;

  __host__ __device__ int64_t count() const { return outer * channels * inner; }
};

/// How many floats of `room` the launches need that take one.
int64_t BatchNormRoom(const ChannelSizes& sizes);

/// mean [channels], and the variance over n, of the n numbers of each channel of x.
cudaError_t LaunchMoments(const ChannelSizes& sizes, const float* x, float* mean,
                          float* variance, float* room, cudaStream_t stream);

/// What a channel is normalized by, all [channels]: y = (x - mean) / sqrt(variance +
/// epsilon) * scale + offset. A gradient needs no offset.
struct ChannelMoments {
  float epsilon;
  const float *mean, *variance, *scale, *offset;
};
cudaError_t LaunchNormalize(const ChannelSizes& sizes, const ChannelMoments& by,
                            const float* x, float* y, cudaStream_t stream);

/// dy and x, and where the gradients go: dx, and dscale and doffset [channels].
struct BatchNormGradients {
  const float *dy, *x;
  float *dx, *dscale, *doffset;
};
/// With `is_training` mean and variance are those of x, and depend on it.
cudaError_t LaunchBatchNormGrad(bool is_training, const ChannelSizes& sizes,
                                const ChannelMoments& by, const BatchNormGradients& of,
                                float* room, cudaStream_t stream);

/// to = from * factor + old * (1 - part), number by number; old may be null if part is 1.
struct Average {
  float factor, part;
  const float *from, *old;
  float* to;
};
cudaError_t LaunchAverage(int64_t count, const Average& average, cudaStream_t stream);

}  // namespace minitf::gpu
