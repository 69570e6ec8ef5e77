// One step of an optimiser, in place.
//
// Read next  kernels/gpu/training.cu

#pragma once

#include <cstdint>

#include "kernels/gpu/launch.h"

namespace minitf::gpu {

/// Rules that an optimiser follows, with the formulas of
/// minitf/ops/state/training_ops.cc.
enum class TrainingRule { kGradientDescent, kMomentum, kAdam, kAdagrad, kRmsProp };

inline constexpr int kMaxVariables = 3;
inline constexpr int kMaxScalars = 6;

/// Pointers to device memory, in the order of the op's inputs: variables and slots, then
/// scalars without the gradient, which stands apart.
template <typename T>
struct TrainingInputs {
  T* variables[kMaxVariables] = {};
  const T* scalars[kMaxScalars] = {};
  const T* gradient = nullptr;
  /// Momentum and Adam: use_nesterov. Adagrad: update_slots.
  bool flag = false;
};

template <typename T>
cudaError_t LaunchTraining(TrainingRule rule, int64_t count,
                           const TrainingInputs<T>& inputs, cudaStream_t stream);

}  // namespace minitf::gpu
