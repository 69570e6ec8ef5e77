// Ops of float16 and bfloat16 on cards: by the kernels for float.
//
// Inputs become floats, the kernel for float computes, and its results are rounded, once.
// That is what the kernels of the CPU do, too. So every kernel that a card has for float
// serves both types of 16 bits. An optimiser's kernel is given other variables, of
// floats, and what becomes of these is rounded to the values of its own.
//
// Compare    tensorflow/core/kernels/cwise_op_sin.cc, whose kernels for Eigen::half are
//            compiled one by one
// Read next  kernels/gpu/ops/gpu_op.h

#include "kernels/gpu/half.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/state/locked_variables.h"
#include "kernels/gpu/ops/gpu_op.h"
#include "minitf/framework/op.h"

namespace minitf::gpu {
namespace {

DType Widened(DType dtype) { return IsHalf(dtype) ? DType::kFloat32 : dtype; }

Tensor Widened(OpKernelContext* ctx, const Tensor& x) {
  if (!IsHalf(x.dtype())) return x;
  Tensor wide;
  ThrowIfError(ctx->allocate_temp(DType::kFloat32, x.shape(), &wide));
  CheckLaunch(LaunchWiden(x.dtype() == DType::kBfloat16, x.num_elements(), BytesOf(x),
                          DataOf<float>(&wide), StreamOf(*ctx)));
  return wide;
}

void Narrow(OpKernelContext* ctx, const Tensor& wide, Tensor* narrow) {
  CheckLaunch(LaunchNarrow(narrow->dtype() == DType::kBfloat16, wide.num_elements(),
                           DataOf<float>(wide), BytesOf(narrow), StreamOf(*ctx)));
}

// Sets output i, rounded if it has 16 bits.
void SetOutput(OpKernelContext* ctx, int i, Tensor wide) {
  if (!IsHalf(ctx->output_type(i))) return ctx->set_output(i, std::move(wide));
  Tensor* narrow = nullptr;
  ThrowIfError(ctx->allocate_output(i, wide.shape(), &narrow));
  Narrow(ctx, wide, narrow);
}

class HalfCastOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    SetOutput(ctx, 0, Widened(ctx, ctx->input(0)));
  }
};

class HalfOp final : public OpKernel {
 public:
  HalfOp(OpKernelConstruction* construction, const KernelFactory& factory)
      : OpKernel(construction),
        attrs_(construction->attrs()),
        half_(attrs_.Get<DType>("T")) {
    attrs_.Set("T", DType::kFloat32);
    for (int i = 0; i < construction->num_inputs(); ++i) {
      signature_.input_types.push_back(Widened(construction->input_type(i)));
      num_variables_ += construction->input_type(i) == DType::kResource;
    }
    for (int i = 0; i < construction->num_outputs(); ++i) {
      signature_.output_types.push_back(Widened(construction->output_type(i)));
    }
    OpKernelConstruction wide(construction->node_name(), construction->op(), attrs_,
                              signature_, construction->device(),
                              construction->memory_types());
    kernel_ = factory(&wide);
    construction->SetStatus(wide.status());
  }

  void Compute(OpKernelContext* ctx) override {
    LockedVariables variables(ctx, num_variables_, half_);
    std::vector<std::shared_ptr<Variable>> wide_variables;
    std::vector<Tensor> inputs;
    for (int i = 0; i < num_variables_; ++i) {
      const Tensor here = ReachedFrom(ctx->device(), variables[i].value);
      wide_variables.push_back(
          std::make_shared<Variable>(variables[i].name(), DType::kFloat32));
      wide_variables[i]->value = Widened(ctx, here);
      inputs.push_back(Tensor::Scalar(ResourceHandle(wide_variables[i])));
    }
    for (int i = num_variables_; i < ctx->num_inputs(); ++i) {
      inputs.push_back(Widened(ctx, ctx->input(i)));
    }
    std::vector<Tensor> outputs(ctx->num_outputs());
    OpKernelContext wide(inputs, outputs, signature_.output_types, ctx->device());
    RunKernel(kernel_.get(), &wide);
    ThrowIfError(wide.status());
    for (int i = 0; i < ctx->num_outputs(); ++i) SetOutput(ctx, i, std::move(outputs[i]));
    for (int i = 0; i < num_variables_; ++i) {
      const Tensor& changed = wide_variables[i]->value;
      Tensor narrow(half_, changed.shape(), *ctx->device().allocator);
      Narrow(ctx, changed, &narrow);
      variables[i].value = std::move(narrow);
    }
  }

  bool IsExpensive() const override { return kernel_->IsExpensive(); }

 private:
  Attrs attrs_;
  const DType half_;
  Signature signature_;
  int num_variables_ = 0;  // the first inputs
  std::unique_ptr<OpKernel> kernel_;
};

// Whether `kernel` computes numbers of T from numbers of T, for float, and the op has
// numbers of `half` as well.
bool Serves(const KernelDef& kernel, const OpDef& op, DType half) {
  const std::pair<std::string, DType> wide("T", DType::kFloat32);
  const auto allows = [half](const AttrDef& attr) {
    return attr.name == "T" && (attr.allowed_types.empty() ||
                                std::ranges::count(attr.allowed_types, half) > 0);
  };
  return kernel.key.device == Device::kGpu &&
         std::ranges::count(kernel.key.types, wide) == 1 &&
         std::ranges::any_of(op.attrs, allows);
}

// Whether a card has a kernel of that label for `half` already, maybe for any type.
bool HasKernel(const std::vector<const KernelDef*>& kernels, const std::string& label,
               DType half) {
  return std::ranges::any_of(kernels, [&](const KernelDef* kernel) {
    const auto is_other = [half](const auto& type) {
      return type.first == "T" && type.second != half;
    };
    return kernel->key.device == Device::kGpu && kernel->key.label == label &&
           std::ranges::none_of(kernel->key.types, is_other);
  });
}

void RegisterHalf(const KernelDef& def, DType half) {
  Kernel kernel(def.key.op);
  kernel.On(Device::kGpu).Label(def.key.label).Priority(def.key.priority);
  for (const auto& [name, dtype] : def.key.types) {
    kernel.Type(name, name == "T" ? half : dtype);
  }
  for (const std::string& argument : def.host_memory) kernel.HostMemory(argument);
  KernelRegistrar(kernel, [factory = def.factory](OpKernelConstruction* construction) {
    return std::make_unique<HalfOp>(construction, factory);
  });
}

}  // namespace

/// For every kernel that cards have for float: the same for numbers of 16 bits. Called
/// once, when all others are registered.
void RegisterHalfKernels() {
  for (const DType half : {DType::kFloat16, DType::kBfloat16}) {
    const Kernel cast = Kernel("Cast").On(Device::kGpu);
    RegisterKernel<HalfCastOp>(
        Kernel(cast).Type("SrcT", half).Type("DstT", DType::kFloat32));
    RegisterKernel<HalfCastOp>(
        Kernel(cast).Type("SrcT", DType::kFloat32).Type("DstT", half));
  }
  for (const std::string& name : OpsWithKernels()) {
    const OpDef& op = FindOp(name);
    for (const DType half : {DType::kFloat16, DType::kBfloat16}) {
      const std::vector<const KernelDef*> kernels = KernelsOf(name);
      for (const KernelDef* kernel : kernels) {
        if (Serves(*kernel, op, half) && !HasKernel(kernels, kernel->key.label, half)) {
          RegisterHalf(*kernel, half);
        }
      }
    }
  }
}

}  // namespace minitf::gpu
