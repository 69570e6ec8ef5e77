// Sums, means, products and extremes along axes.
//
// Read next  kernels/gpu/reduction.cu

#pragma once

#include <cstdint>

#include "kernels/gpu/launch.h"

namespace minitf::gpu {

enum class ReduceFunction { kSum, kMean, kProd, kMax, kMin };

/// x [outer,length,inner] becomes y [outer,inner].
struct ReduceSizes {
  int64_t outer = 1, length = 1, inner = 1;
};

/// How many numbers of device memory the launch needs beside x and y; often 0.
int64_t ReduceRoom(const ReduceSizes& sizes);

/// Of no elements the sum is 0, the product 1, the mean NaN, and an extreme the infinity
/// on the other side. An extreme is NaN where one element is. `T` is float or double.
/// Without `room`, where some is needed, the launch takes longer.
template <typename T>
cudaError_t LaunchReduce(ReduceFunction function, const ReduceSizes& sizes, const T* x,
                         T* y, T* room, cudaStream_t stream);

}  // namespace minitf::gpu
