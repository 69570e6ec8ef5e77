// Random numbers: a thread for each block of the generator.
//
// A counter-based generator suits a GPU: a thread skips to its block, which is an
// addition to the counter, and needs to know nothing of the others. Uniform numbers have
// the CPU's very bits. Normal ones go through log and sin, of which the last bit may
// differ.
//
// Compare    tensorflow/core/kernels/random_op_gpu.cu.cc,
//            kernels/cpu/random/random_distributions.h
// Read next  kernels/gpu/training.h

#include "kernels/gpu/loops.h"
#include "kernels/gpu/random.h"

namespace minitf::gpu {
namespace {

// Numbers in [0,1): the bits become the fraction of a number in [1,2), less 1.
__device__ float UniformFloat(uint32_t bits) {
  return __uint_as_float(127U << 23 | (bits & 0x7fffffU)) - 1.0F;
}
__device__ double UniformDouble(uint32_t high, uint32_t low) {
  const uint64_t fraction = uint64_t{high & 0xfffffU} << 32 | low;
  return __longlong_as_double(static_cast<long long>(uint64_t{1023} << 52 | fraction)) -
         1.0;
}

// A group of numbers, as many as a block of random bits makes.
template <typename T>
struct Group {
  static constexpr int kSize = sizeof(T) == 8 ? 2 : 4;
  T x[kSize];
};

__device__ void MakeUniform(const Philox::Block& bits, Group<float>* group) {
  for (int i = 0; i < 4; ++i) group->x[i] = UniformFloat(bits[i]);
}
__device__ void MakeUniform(const Philox::Block& bits, Group<double>* group) {
  for (int i = 0; i < 2; ++i) group->x[i] = UniformDouble(bits[2 * i], bits[2 * i + 1]);
}

// Box and Muller (1958): two uniform numbers are a radius and an angle.
template <typename T>
__device__ void MakeNormal(const Philox::Block& bits, Group<T>* group) {
  MakeUniform(bits, group);
  for (int i = 0; i < Group<T>::kSize; i += 2) {
    const T smallest = static_cast<T>(1.0e-7);  // whose logarithm is finite
    const T uniform = group->x[i] > smallest ? group->x[i] : smallest;
    const T radius = sqrt(T(-2) * log(uniform));
    const T angle = static_cast<T>(2 * 3.14159265358979323846 * group->x[i + 1]);
    group->x[i] = sin(angle) * radius;
    group->x[i + 1] = cos(angle) * radius;
  }
}

template <typename T>
__global__ void Random(Distribution distribution, Philox generator, int64_t count, T* y) {
  constexpr int kSize = Group<T>::kSize;
  MINITF_GPU_LOOP(i, (count + kSize - 1) / kSize) {
    Philox at_group = generator;
    at_group.Skip(static_cast<uint64_t>(i));
    const Philox::Block bits = at_group();
    Group<T> group;
    if (distribution == Distribution::kUniform) {
      MakeUniform(bits, &group);
    } else {
      MakeNormal(bits, &group);
    }
    for (int j = 0; j < kSize && i * kSize + j < count; ++j) {
      y[i * kSize + j] = group.x[j];
    }
  }
}

}  // namespace

template <typename T>
cudaError_t LaunchRandom(Distribution distribution, const Philox& generator,
                         int64_t count, T* y, cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  const int64_t groups = (count + Group<T>::kSize - 1) / Group<T>::kSize;
  Random<T>
      <<<BlocksFor(groups), kBlockSize, 0, stream>>>(distribution, generator, count, y);
  return cudaGetLastError();
}

template cudaError_t LaunchRandom(Distribution, const Philox&, int64_t, float*,
                                  cudaStream_t);
template cudaError_t LaunchRandom(Distribution, const Philox&, int64_t, double*,
                                  cudaStream_t);

}  // namespace minitf::gpu
