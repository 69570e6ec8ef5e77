// Numbers of 16 bits to floats and back: two kernels, each for two types.
//
// Compare    tensorflow/core/kernels/cast_op_gpu.cu.cc
// Read next  kernels/gpu/pad.cu

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kernels/gpu/half.h"
#include "kernels/gpu/loops.h"

namespace minitf::gpu {
namespace {

template <typename In, typename Out>
__global__ void Convert(int64_t count, const In* x, Out* y) {
  MINITF_GPU_LOOP(i, count) y[i] = Out(static_cast<float>(x[i]));
}

template <typename In, typename Out>
cudaError_t LaunchConvert(int64_t count, const void* x, void* y, cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  Convert<In, Out><<<BlocksFor(count), kBlockSize, 0, stream>>>(
      count, static_cast<const In*>(x), static_cast<Out*>(y));
  return cudaGetLastError();
}

}  // namespace

cudaError_t LaunchWiden(bool is_bfloat16, int64_t count, const void* x, float* y,
                        cudaStream_t stream) {
  const auto launch =
      is_bfloat16 ? LaunchConvert<__nv_bfloat16, float> : LaunchConvert<__half, float>;
  return launch(count, x, y, stream);
}

cudaError_t LaunchNarrow(bool is_bfloat16, int64_t count, const float* x, void* y,
                         cudaStream_t stream) {
  const auto launch =
      is_bfloat16 ? LaunchConvert<float, __nv_bfloat16> : LaunchConvert<float, __half>;
  return launch(count, x, y, stream);
}

}  // namespace minitf::gpu
