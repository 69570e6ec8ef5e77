// Variables, optimisers and random numbers on cards.
//
// Op         minitf/ops/state/state_ops.cc, training_ops.cc,
//            minitf/ops/random/random_ops.cc
// Compare    tensorflow/core/kernels/training_ops.cc, resource_variable_ops.cc

#include <array>
#include <string>
#include <utility>

#include "kernels/cpu/common/device_memory.h"
#include "kernels/cpu/common/scalars.h"
#include "kernels/cpu/state/locked_variables.h"
#include "kernels/gpu/ops/gpu_op.h"
#include "kernels/gpu/random.h"
#include "kernels/gpu/training.h"
#include "minitf/framework/random.h"

namespace minitf::gpu {
namespace {

// The elements of a variable, to be changed on the card: brought there, and copied if
// other tensors see them. Requires: the variable is locked.
template <typename T>
T* MutableOnCard(OpKernelContext* ctx, Variable* variable) {
  Tensor& value = variable->value;
  value = ReachedFrom(ctx->device(), value);
  if (!value.OwnsBuffer()) {
    Tensor copy(value.dtype(), value.shape(), *ctx->device().allocator);
    ctx->stream()->Copy(copy.mutable_data(), value.data(), value.num_bytes());
    value = std::move(copy);
  }
  return DataOf<T>(&value);
}

// var += value, or var -= value.
template <typename T>
class AssignUpdateOp final : public OpKernel {
 public:
  explicit AssignUpdateOp(OpKernelConstruction* construction) : OpKernel(construction) {
    const bool adds = construction->op().name == "AssignAddVariableOp";
    for (const BinaryKernel& kernel : BinaryKernels()) {
      const bool is_wanted = std::string_view(kernel.op) == (adds ? "Add" : "Sub");
      if (is_wanted && DTypeFrom(kernel.in) == DTypeOf<T>()) launch_ = kernel.launch;
    }
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& value = ctx->input(1);
    LockedVariables variables(ctx, 1, value.dtype());
    variables.RequireShapeOf(value, "value");
    T* const elements = MutableOnCard<T>(ctx, &variables[0]);
    const int64_t count = value.num_elements();
    CheckLaunch(launch_(count, count, count, {}, elements, BytesOf(value), elements,
                        StreamOf(*ctx)));
  }

 private:
  decltype(BinaryKernel::launch) launch_ = nullptr;
};

// A rule, and how its op's inputs are laid out.
struct Rule {
  const char* op;
  TrainingRule rule;
  int num_variables;
  int gradient;  // its index among the inputs
  const char* flag;
};

constexpr std::array kRules = {
    Rule{"ResourceApplyGradientDescent", TrainingRule::kGradientDescent, 1, 2, ""},
    Rule{"ResourceApplyMomentum", TrainingRule::kMomentum, 2, 3, "use_nesterov"},
    Rule{"ResourceApplyAdam", TrainingRule::kAdam, 3, 9, "use_nesterov"},
    Rule{"ResourceApplyAdagrad", TrainingRule::kAdagrad, 2, 3, "update_slots"},
    Rule{"ResourceApplyRMSProp", TrainingRule::kRmsProp, 3, 7, ""},
};

template <typename T>
class TrainingOp final : public OpKernel {
 public:
  TrainingOp(OpKernelConstruction* construction, const Rule& rule)
      : OpKernel(construction), rule_(rule) {
    if (*rule.flag != '\0') flag_ = construction->attrs().Get<bool>(rule.flag);
    for (const ArgDef& input : construction->op().inputs) names_.push_back(input.name);
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& gradient = ctx->input(rule_.gradient);
    TrainingInputs<T> inputs;
    int num_scalars = 0;
    for (int i = rule_.num_variables; i < ctx->num_inputs(); ++i) {
      if (i == rule_.gradient) continue;
      const Tensor& scalar = ctx->input(i);
      Require(scalar.rank() == 0, names_[i], " is not a scalar: ", scalar.shape());
      inputs.scalars[num_scalars++] = DataOf<T>(scalar);
    }
    LockedVariables variables(ctx, rule_.num_variables, DTypeOf<T>());
    variables.RequireShapeOf(gradient, names_[rule_.gradient]);
    for (int i = 0; i < rule_.num_variables; ++i) {
      inputs.variables[i] = MutableOnCard<T>(ctx, &variables[i]);
    }
    inputs.gradient = DataOf<T>(gradient);
    inputs.flag = flag_;
    CheckLaunch(
        LaunchTraining(rule_.rule, gradient.num_elements(), inputs, StreamOf(*ctx)));
  }

 private:
  const Rule rule_;
  bool flag_ = false;
  std::vector<std::string> names_;  // of the inputs
};

template <typename T>
void RegisterTraining() {
  for (const Rule& rule : kRules) {
    KernelRegistrar(Kernel(rule.op).On(Device::kGpu).Type<T>("T"),
                    [rule](OpKernelConstruction* construction) {
                      return std::make_unique<TrainingOp<T>>(construction, rule);
                    });
  }
  for (const char* op : {"AssignAddVariableOp", "AssignSubVariableOp"}) {
    RegisterKernel<AssignUpdateOp<T>>(Kernel(op).On(Device::kGpu).Type<T>("dtype"));
  }
}

// ---- Random numbers -------------------------------------------------------------------

template <typename T>
class RandomOp final : public OpKernel {
 public:
  RandomOp(OpKernelConstruction* construction, Distribution distribution)
      : OpKernel(construction), distribution_(distribution), random_(construction) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& shape = ctx->host_input(0);
    Require(shape.rank() == 1, "shape must be a vector of {int32,int64}, got shape ",
            shape.shape());
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, Shape(IntegersOf(shape)), &y));
    CheckLaunch(LaunchRandom(distribution_, random_.ReserveOutputs(y->num_elements()),
                             y->num_elements(), DataOf<T>(y), StreamOf(*ctx)));
  }

 private:
  const Distribution distribution_;
  KernelRandom random_;
};

template <typename T>
void RegisterRandom(const char* op, Distribution distribution) {
  KernelRegistrar(Kernel(op).On(Device::kGpu).HostMemory("shape").Type<T>("dtype"),
                  [distribution](OpKernelConstruction* construction) {
                    return std::make_unique<RandomOp<T>>(construction, distribution);
                  });
}

const bool kStateIsRegistered = [] {
  RegisterTraining<float>();
  RegisterTraining<double>();
  RegisterKernel<AssignUpdateOp<int64_t>>(
      Kernel("AssignAddVariableOp").On(Device::kGpu).Type<int64_t>("dtype"));
  RegisterRandom<float>("RandomUniform", Distribution::kUniform);
  RegisterRandom<double>("RandomUniform", Distribution::kUniform);
  RegisterRandom<float>("RandomStandardNormal", Distribution::kNormal);
  RegisterRandom<double>("RandomStandardNormal", Distribution::kNormal);
  return true;
}();

}  // namespace
}  // namespace minitf::gpu
