// Random numbers on the GPU: those that the CPU gives for the same seeds.
//
// Read next  kernels/gpu/random.cu

#pragma once

#include <cstdint>

#include "kernels/gpu/launch.h"
#include "minitf/base/philox.h"

namespace minitf::gpu {

enum class Distribution { kUniform, kNormal };

/// y[i] for all i below `count`: uniform in [0,1), or normal with mean 0 and deviation 1.
/// The first is made of the generator's next block. T is float or double.
template <typename T>
cudaError_t LaunchRandom(Distribution distribution, const Philox& generator,
                         int64_t count, T* y, cudaStream_t stream);

}  // namespace minitf::gpu
