// Kernels in C: registration, and the C++ kernel that calls the functions in C.
//
// Compare    tensorflow/c/kernels.cc

#include "minitf/c/kernels.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "minitf/c/internal.h"
#include "minitf/c/kernels/kernel_objects.h"
#include "minitf/c/kernels/registration.h"

using minitf::AttrDef;
using minitf::Device;
using minitf::Error;
using minitf::Kernel;
using minitf::OpDef;
using minitf::Require;
using minitf::Status;
using minitf::StrCat;
using minitf::ThrowInvalidArgument;
using minitf::c::Changed;
using minitf::c::Guarded;
using minitf::c::GuardedRegistration;
using minitf::c::NotNull;
using minitf::c::TextOf;

namespace minitf::c {
namespace {

// The functions of one kernel in C.
struct Functions {
  void* (*create)(TF_OpKernelConstruction* construction) = nullptr;
  void (*compute)(void* kernel, TF_OpKernelContext* context) = nullptr;
  void (*destroy)(void* kernel) = nullptr;
};

class CKernel final : public OpKernel {
 public:
  CKernel(OpKernelConstruction* construction, const Functions& functions)
      : OpKernel(construction),
        functions_(functions),
        node_name_(construction->node_name()) {
    if (functions_.create == nullptr) return;
    TF_OpKernelConstruction handle{construction};
    kernel_ = functions_.create(&handle);
  }

  ~CKernel() override {
    if (functions_.destroy != nullptr) functions_.destroy(kernel_);
  }

  void Compute(OpKernelContext* ctx) override {
    TF_OpKernelContext handle{ctx, node_name_};
    functions_.compute(kernel_, &handle);
    if (ctx->status().ok()) CheckOutputs(ctx);
  }

 private:
  // An output without a value is dead, as after a branch that is not taken. Here it is a
  // mistake of the kernel.
  static void CheckOutputs(OpKernelContext* ctx) {
    for (int i = 0; i < ctx->num_outputs(); ++i) {
      OP_REQUIRES(ctx, ctx->output(i)->has_value(),
                  errors::Internal("the kernel in C did not set output ", i));
    }
  }

  const Functions functions_;
  const std::string node_name_;
  void* kernel_ = nullptr;
};

}  // namespace
}  // namespace minitf::c

struct TF_KernelBuilder {
  std::string op;
  std::string device;
  minitf::c::Functions functions;
  std::vector<std::pair<std::string, minitf::DType>> types;
  std::vector<std::string> host_memory;
  int32_t priority = 0;
  Status error;  // the first error of a function without a status
};

namespace {

Device DeviceCalled(const std::string& name) {
  if (name == "CPU") return Device::kCpu;
  if (name == "GPU") return Device::kGpu;
  ThrowInvalidArgument("there is no device type '", name, "'; expected CPU or GPU");
}

// If the op is registered already, it has the attributes that the kernel is limited to.
void CheckTypes(const TF_KernelBuilder& builder) {
  const OpDef* op = minitf::Ops().Find(builder.op);
  if (op == nullptr) return;
  for (const auto& [name, dtype] : builder.types) {
    const AttrDef* attr = op->FindAttr(name);
    Require(attr != nullptr && attr->kind == "type", "op ", builder.op,
            " has no attribute '", name, "' of kind type");
    minitf::CheckAllowedValue(*attr, dtype);
  }
}

void Register(const TF_KernelBuilder& builder) {
  minitf::ThrowIfError(builder.error);
  Require(builder.functions.compute != nullptr, "compute_func is null");
  Kernel kernel(builder.op);
  kernel.On(DeviceCalled(builder.device)).Priority(builder.priority);
  CheckTypes(builder);
  for (const auto& [name, dtype] : builder.types) kernel.Type(name, dtype);
  for (const std::string& argument : builder.host_memory) kernel.HostMemory(argument);
  minitf::KernelRegistrar(kernel, [functions = builder.functions](auto* construction) {
    return std::make_unique<minitf::c::CKernel>(construction, functions);
  });
}

}  // namespace

TF_KernelBuilder* TF_NewKernelBuilder(
    const char* op_name, const char* device_name,
    void* (*create_func)(TF_OpKernelConstruction* construction),
    void (*compute_func)(void* kernel, TF_OpKernelContext* context),
    void (*delete_func)(void* kernel)) {
  return Guarded<TF_KernelBuilder*>(nullptr, nullptr, [&] {
    auto builder = std::make_unique<TF_KernelBuilder>();
    builder->functions = {create_func, compute_func, delete_func};
    Changed(builder.get(), [&](auto& target) {
      target.op = TextOf(op_name, "op_name");
      target.device = TextOf(device_name, "device_name");
    });
    return builder.release();
  });
}

void TF_KernelBuilder_TypeConstraint(TF_KernelBuilder* kernel_builder,
                                     const char* attr_name, TF_DataType type,
                                     TF_Status* status) {
  Guarded(status, [&] {
    std::string name = TextOf(attr_name, "attr_name");
    auto& types = NotNull(kernel_builder, "kernel_builder").types;
    const bool is_set = std::ranges::any_of(
        types, [&name](const auto& constraint) { return constraint.first == name; });
    Require(!is_set, "attribute '", name, "' is limited twice");
    types.emplace_back(std::move(name), minitf::c::DTypeOfC(type));
  });
}

void TF_KernelBuilder_HostMemory(TF_KernelBuilder* kernel_builder, const char* arg_name) {
  Changed(kernel_builder, [&](auto& builder) {
    builder.host_memory.push_back(TextOf(arg_name, "arg_name"));
  });
}

void TF_KernelBuilder_Priority(TF_KernelBuilder* kernel_builder,
                               int32_t priority_number) {
  Changed(kernel_builder, [&](auto& builder) { builder.priority = priority_number; });
}

void TF_RegisterKernelBuilder(const char* kernel_name, TF_KernelBuilder* builder,
                              TF_Status* status) {
  GuardedRegistration(status, [&] {
    const std::unique_ptr<TF_KernelBuilder> owned(&NotNull(builder, "builder"));
    const std::string name = TextOf(kernel_name, "kernel_name");
    try {
      Register(*owned);
    } catch (const Error& error) {
      throw Error(error.status().WithPrefix(
          StrCat("kernel '", name, "' of op ", owned->op, ": ")));
    }
  });
}

void TF_DeleteKernelBuilder(TF_KernelBuilder* builder) { delete builder; }
