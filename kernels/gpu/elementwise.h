// One number from one, two or three: tables of kernels, by the names of TensorFlow's ops.
//
// The tables list what there is, so that ops are registered in a loop. Elements of one
// input are of one type; pointers are typed by the kernel, not by the table.
//
// Read next  kernels/gpu/function_table.h

#pragma once

#include <cstdint>
#include <span>

#include "kernels/gpu/launch.h"

namespace minitf::gpu {

/// Types of elements that kernels exist for.
enum class ElementType { kBool, kInt32, kInt64, kFloat32, kFloat64 };

// ---- One input ------------------------------------------------------------------------

struct UnaryKernel {
  const char* op;
  ElementType in, out;
  /// y[i] = f(x[i]) for all i below `count`; x and y may be the same.
  cudaError_t (*launch)(int64_t count, const void* x, void* y, cudaStream_t stream);
};

std::span<const UnaryKernel> UnaryKernels();

/// Cast: from any type to any other.
cudaError_t LaunchCast(ElementType from, ElementType to, int64_t count, const void* x,
                       void* y, cudaStream_t stream);

// ---- Two inputs -----------------------------------------------------------------------

/// How the inputs of z [a.size() elements] are walked through: along each axis an input
/// moves by its stride, which is 0 where it broadcasts. Axis 0 is the outermost.
struct Broadcast {
  static constexpr int kMaxAxes = 8;
  static constexpr int kMaxInputs = 3;
  int num_axes = 0;
  int64_t size[kMaxAxes] = {};
  int64_t stride[kMaxInputs][kMaxAxes] = {};
};

struct BinaryKernel {
  const char* op;
  ElementType in, out;
  /// z[i] = f(x, y) for all i below `count`. An input as large as z and one of a single
  /// element are walked through without looking at `broadcast`.
  cudaError_t (*launch)(int64_t count, int64_t x_count, int64_t y_count,
                        const Broadcast& broadcast, const void* x, const void* y, void* z,
                        cudaStream_t stream);
};

std::span<const BinaryKernel> BinaryKernels();

// ---- More -----------------------------------------------------------------------------

/// Select and SelectV2: y[i] = condition ? a : b, where all three may broadcast. `size`
/// is that of an element in bytes.
cudaError_t LaunchSelect(int size, int64_t count, const Broadcast& broadcast,
                         const bool* condition, const void* a, const void* b, void* y,
                         cudaStream_t stream);

/// sum[i] += x[i]. T is float or double.
template <typename T>
cudaError_t LaunchAccumulate(int64_t count, const T* x, T* sum, cudaStream_t stream);

/// Activations with a parameter.
template <typename T>
cudaError_t LaunchLeakyRelu(int64_t count, T alpha, const T* x, T* y,
                            cudaStream_t stream);
template <typename T>
cudaError_t LaunchLeakyReluGrad(int64_t count, T alpha, const T* dy, const T* x, T* dx,
                                cudaStream_t stream);

}  // namespace minitf::gpu
