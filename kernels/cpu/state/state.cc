// Variables on the CPU: finding them, reading, assigning.
//
// Neither reading nor assigning copies an element: a value goes in and out as a Tensor,
// and a copy of a Tensor shares its elements. They are copied only when an op changes
// elements that another tensor still shares.
//
// Op         minitf/ops/state/state_ops.cc
// Compare    tensorflow/core/kernels/resource_variable_ops.cc
// Read next  kernels/cpu/state/scatter_update.cc

#include <memory>
#include <string>

#include "kernels/cpu/array/gather.h"
#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/common/device_memory.h"
#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/common/scalars.h"
#include "kernels/cpu/state/locked_variables.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

class VarHandleOp final : public OpKernel {
 public:
  explicit VarHandleOp(OpKernelConstruction* construction) : OpKernel(construction) {
    const Attrs& attrs = construction->attrs();
    const auto dtype = attrs.Get<DType>("dtype");
    std::string name = attrs.Get<std::string>("shared_name");
    if (name.empty()) name = construction->node_name();
    std::string container = attrs.Get<std::string>("container");
    if (container.empty()) container = "localhost";

    const auto make = [&] { return std::make_shared<Variable>(name, dtype); };
    // Without a name it cannot be found again; it lives as long as its handles.
    const std::shared_ptr<Variable> variable =
        name.empty() ? make()
                     : construction->device().resources->FindOrMake<Variable>(container,
                                                                              name, make);
    Require(variable->dtype() == dtype, variable->DebugString(), " exists, asked for as ",
            dtype);
    variable->DeclareShape(attrs.Get<PartialShape>("shape"));
    handle_ = Tensor(DType::kResource, Shape{});
    handle_.mutable_flat<ResourceHandle>()[0] = ResourceHandle(variable);
  }

  void Compute(OpKernelContext* ctx) override { ctx->set_output(0, handle_); }
  bool IsExpensive() const override { return false; }

 private:
  Tensor handle_;
};
REGISTER_KERNEL(Kernel("VarHandleOp").OnAllDevices(), VarHandleOp);

class FedVariableOp final : public OpKernel {
 public:
  explicit FedVariableOp(OpKernelConstruction* construction)
      : OpKernel(construction), name_(construction->node_name()) {}

  void Compute(OpKernelContext* ctx) override {
    auto variable = std::make_shared<Variable>(name_, ctx->input(0));
    ctx->set_output(0, Tensor::Scalar(ResourceHandle(std::move(variable))));
  }
  bool IsExpensive() const override { return false; }

 private:
  const std::string name_;
};
REGISTER_KERNEL(Kernel("_FedVariable").OnAllDevices(), FedVariableOp);

// The value, with a message that says what may be wrong where there is none. It is
// brought to where the kernel computes, and stays there.
Tensor ReadOf(OpKernelContext* ctx) {
  const auto variable = ctx->input_resource<Variable>(0);
  try {
    const std::lock_guard lock(variable->mutex);
    variable->RequireInitialized();
    return variable->value = ReachedFrom(ctx->device(), variable->value);
  } catch (const Error& error) {
    throw Error(error.status().WithPrefix(
        StrCat("Error while reading resource variable ", variable->name(),
               " from Container: localhost. This could mean that the variable was "
               "uninitialized. ")));
  }
}

class ReadVariableOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Tensor value = ReadOf(ctx);
    Require(value.dtype() == ctx->output_type(0), "Trying to read variable with wrong ",
            "dtype. Expected ", ctx->output_type(0), " got ", value.dtype());
    ctx->set_output(0, std::move(value));
  }
  bool IsExpensive() const override { return false; }
};
REGISTER_KERNEL(Kernel("ReadVariableOp").OnAllDevices(), ReadVariableOp);

class AssignVariableOp final : public OpKernel {
 public:
  explicit AssignVariableOp(OpKernelConstruction* construction) : OpKernel(construction) {
    const AttrValue* validates = construction->attrs().Find("_validate_shape");
    if (validates == nullptr) return;
    check_ = std::get<bool>(*validates) ? Variable::ShapeCheck::kPresent
                                        : Variable::ShapeCheck::kNone;
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& value = ctx->input(1);
    ctx->input_resource<Variable>(0)->Assign(Kept(*ctx, value), check_);
  }

 private:
  // What a variable may keep for itself.
  static Tensor Kept(const OpKernelContext& ctx, const Tensor& value) {
    // What others hold may lie in the host's memory.
    if (HasOwnMemory(ctx.device()) && !value.OwnsBuffer()) {
      return InMemoryOf(*ctx.device().allocator, value);
    }
    // Borrowed elements may be changed by their owner while the variable lives.
    return value.IsBorrowed() ? value.Clone() : value;
  }

  Variable::ShapeCheck check_ = Variable::ShapeCheck::kDeclared;
};
REGISTER_KERNEL(Kernel("AssignVariableOp").OnAllDevices(), AssignVariableOp);

// ---- Adding ---------------------------------------------------------------------------

template <bool kSubtracts>
class AssignUpdateOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& value = ctx->input(1);
    LockedVariables variables(ctx, 1, value.dtype());
    variables.RequireShapeOf(value, "value");
    VisitDType(value.dtype(), [&]<typename T>() {
      if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, ResourceHandle> ||
                    std::is_same_v<T, bool>) {
        throw Error(errors::Unimplemented("no arithmetic on ", value.dtype()));
      } else {
        const T* change = value.flat<T>().data();
        T* elements = variables.MutableElements<T>(0).data();
        ctx->threads().ParallelFor(
            value.num_elements(), 1, [=](int64_t begin, int64_t end) {
              for (int64_t i = begin; i < end; ++i) {
                elements[i] = kSubtracts ? WrapSubtract(elements[i], change[i])
                                         : WrapAdd(elements[i], change[i]);
              }
            });
      }
    });
  }
};
REGISTER_KERNEL(Kernel("AssignAddVariableOp").On(Device::kCpu), AssignUpdateOp<false>);
REGISTER_KERNEL(Kernel("AssignSubVariableOp").On(Device::kCpu), AssignUpdateOp<true>);

template <typename T>
class CountUpToOp final : public OpKernel {
 public:
  explicit CountUpToOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("limit", &limit_));
  }

  void Compute(OpKernelContext* ctx) override {
    LockedVariables variables(ctx, 1, DTypeOf<T>());
    variables.RequireShapeOf(Tensor(DTypeOf<T>(), Shape{}), "the count");
    T& count = variables.MutableElements<T>(0)[0];
    OP_REQUIRES(ctx, count < limit_, errors::OutOfRange("Reached limit of ", limit_));
    Tensor* y = nullptr;  // []
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, Shape{}, &y));
    y->mutable_flat<T>()[0] = count++;
  }

 private:
  int64_t limit_ = 0;
};
const bool kCountUpToRegistered = ForTypes(Types<int32_t, int64_t>{}, []<typename T>() {
  RegisterKernel<CountUpToOp<T>>(Kernel("ResourceCountUpTo").Type<T>("T"));
});

// ---- Asking ---------------------------------------------------------------------------

class VarIsInitializedOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    ctx->set_output(0, Tensor::Scalar(ctx->input_resource<Variable>(0)->IsInitialized()));
  }
  bool IsExpensive() const override { return false; }
};
REGISTER_KERNEL(Kernel("VarIsInitializedOp").OnAllDevices().HostMemory("is_initialized"),
                VarIsInitializedOp);

class VariableShapeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Shape shape = ctx->input_resource<Variable>(0)->Read().shape();
    SetSizes(ctx, 0, Shape{shape.rank()}, shape.sizes());
  }
  bool IsExpensive() const override { return false; }
};
REGISTER_KERNEL(Kernel("VariableShape").OnAllDevices().HostMemory("output"),
                VariableShapeOp);

class DestroyResourceOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const auto variable = ctx->input_resource<Variable>(0);
    variable->RequireChangeable();
    Tensor last;  // freed after the lock is given back
    const std::lock_guard lock(variable->mutex);
    std::swap(last, variable->value);
  }
};
REGISTER_KERNEL(Kernel("DestroyResourceOp").OnAllDevices(), DestroyResourceOp);

class ResourceGatherOp final : public OpKernel {
 public:
  explicit ResourceGatherOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("batch_dims", &batch_dims_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor params = ReadOf(ctx);
    const Tensor& indices = ctx->input(1);
    Require(params.dtype() == ctx->output_type(0), "Trying to read variable with wrong ",
            "dtype. Expected ", ctx->output_type(0), " got ", params.dtype());
    const int64_t axis = batch_dims_ < 0 ? batch_dims_ + indices.rank() : batch_dims_;
    Gather(ctx, params, indices, axis, batch_dims_);
  }

 private:
  int64_t batch_dims_ = 0;
};
REGISTER_KERNEL(Kernel("ResourceGather").On(Device::kCpu), ResourceGatherOp);

}  // namespace
}  // namespace minitf
