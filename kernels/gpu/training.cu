// Optimisers: a thread for a few elements of the variable, its slots and its gradient.
//
// Each number is read and written once, and there is little arithmetic: memory is the
// limit. So a rule is one kernel, whatever formulas it has. Learning rates and the like
// lie in device memory, too, since the graph may have computed them there.
//
// Op         minitf/ops/state/training_ops.cc
// Compare    tensorflow/core/kernels/training_ops_gpu.cu.cc

#include "kernels/gpu/loops.h"
#include "kernels/gpu/training.h"

namespace minitf::gpu {
namespace {

template <typename T>
using Inputs = TrainingInputs<T>;

struct GradientDescent {
  template <typename T>
  __device__ void operator()(const Inputs<T>& in, int64_t i) const {
    in.variables[0][i] -= in.gradient[i] * *in.scalars[0];
  }
};

struct Momentum {
  template <typename T>
  __device__ void operator()(const Inputs<T>& in, int64_t i) const {
    const T lr = *in.scalars[0];
    const T momentum = *in.scalars[1];
    const T g = in.gradient[i];
    const T accum = in.variables[1][i] * momentum + g;
    in.variables[1][i] = accum;
    in.variables[0][i] -= in.flag ? g * lr + accum * momentum * lr : accum * lr;
  }
};

struct Adam {
  template <typename T>
  __device__ void operator()(const Inputs<T>& in, int64_t i) const {
    const T beta1_power = *in.scalars[0];
    const T beta2_power = *in.scalars[1];
    const T beta1 = *in.scalars[3];
    const T beta2 = *in.scalars[4];
    const T epsilon = *in.scalars[5];
    const T lr = *in.scalars[2] * sqrt(T(1) - beta2_power) / (T(1) - beta1_power);
    const T g = in.gradient[i];
    const T m = in.variables[1][i] + (g - in.variables[1][i]) * (T(1) - beta1);
    const T v = in.variables[2][i] + (g * g - in.variables[2][i]) * (T(1) - beta2);
    in.variables[1][i] = m;
    in.variables[2][i] = v;
    const T step = in.flag ? g * (T(1) - beta1) + m * beta1 : m;
    in.variables[0][i] -= step * lr / (sqrt(v) + epsilon);
  }
};

struct Adagrad {
  template <typename T>
  __device__ void operator()(const Inputs<T>& in, int64_t i) const {
    const T g = in.gradient[i];
    T accum = in.variables[1][i];
    if (in.flag) in.variables[1][i] = accum += g * g;
    in.variables[0][i] -= g * *in.scalars[0] / sqrt(accum);
  }
};

struct RmsProp {
  template <typename T>
  __device__ void operator()(const Inputs<T>& in, int64_t i) const {
    const T lr = *in.scalars[0];
    const T rho = *in.scalars[1];
    const T momentum = *in.scalars[2];
    const T epsilon = *in.scalars[3];
    const T g = in.gradient[i];
    const T ms = in.variables[1][i] + (g * g - in.variables[1][i]) * (T(1) - rho);
    const T mom = in.variables[2][i] * momentum + g * lr / sqrt(ms + epsilon);
    in.variables[1][i] = ms;
    in.variables[2][i] = mom;
    in.variables[0][i] -= mom;
  }
};

template <typename Rule, typename T>
__global__ void Train(int64_t count, TrainingInputs<T> inputs) {
  MINITF_GPU_LOOP(i, count) Rule()(inputs, i);
}

template <typename Rule, typename T>
cudaError_t LaunchRule(int64_t count, const TrainingInputs<T>& inputs,
                       cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  Train<Rule, T><<<BlocksFor(count), kBlockSize, 0, stream>>>(count, inputs);
  return cudaGetLastError();
}

}  // namespace

template <typename T>
cudaError_t LaunchTraining(TrainingRule rule, int64_t count,
                           const TrainingInputs<T>& inputs, cudaStream_t stream) {
  switch (rule) {
    case TrainingRule::kGradientDescent:
      return LaunchRule<GradientDescent>(count, inputs, stream);
    case TrainingRule::kMomentum: return LaunchRule<Momentum>(count, inputs, stream);
    case TrainingRule::kAdam: return LaunchRule<Adam>(count, inputs, stream);
    case TrainingRule::kAdagrad: return LaunchRule<Adagrad>(count, inputs, stream);
    case TrainingRule::kRmsProp: return LaunchRule<RmsProp>(count, inputs, stream);
  }
  return cudaErrorInvalidValue;
}

template cudaError_t LaunchTraining(TrainingRule, int64_t, const TrainingInputs<float>&,
                                    cudaStream_t);
template cudaError_t LaunchTraining(TrainingRule, int64_t, const TrainingInputs<double>&,
                                    cudaStream_t);

}  // namespace minitf::gpu
