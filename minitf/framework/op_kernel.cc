// Making kernels, and making their outputs.

#include "minitf/framework/op_kernel.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <new>

#include "minitf/base/caught.h"
#include "minitf/base/stop.h"
#include "minitf/base/text.h"
#include "minitf/framework/cancellation.h"

namespace minitf {
namespace {

bool HasArgument(const OpDef& op, const std::string& name) {
  return std::ranges::count(op.inputs, name, &ArgDef::name) > 0 ||
         std::ranges::count(op.outputs, name, &ArgDef::name) > 0;
}

}  // namespace

void CheckHostMemory(const KernelDef& kernel, const OpDef& op) {
  for (const std::string& name : kernel.host_memory) {
    if (HasArgument(op, name)) continue;
    std::vector<std::string> names;
    for (const ArgDef& input : op.inputs) names.push_back(input.name);
    for (const ArgDef& output : op.outputs) names.push_back(output.name);
    throw Error(errors::InvalidArgument(
        "kernel ", op.name, " on ", kernel.key, " has HostMemory(\"", name,
        "\"), but the arguments of the op are ", Join(names, ", ")));
  }
  const std::string& attr = kernel.host_memory_if_int32;
  if (attr.empty()) return;
  const AttrDef* def = op.FindAttr(attr);
  if (def != nullptr && def->kind == "type") return;
  throw Error(errors::InvalidArgument(
      "kernel ", op.name, " on ", kernel.key, " has HostMemoryIfInt32(\"", attr,
      "\"), but the op has no attribute of that name that is a type"));
}

namespace {

Status Allocate(Allocator* allocator, DType dtype, const Shape& shape, Tensor* tensor) {
  try {
    *tensor = Tensor(dtype, shape, *allocator);
    return {};
  } catch (const Error&) {
    return errors::ResourceExhausted("no memory for a tensor of ", dtype, ' ', shape,
                                     RoomLeft(*allocator));
  } catch (const std::bad_alloc&) {
    return errors::ResourceExhausted("no memory for a tensor of ", dtype, ' ', shape);
  }
}

const char* NameOf(MemoryType type) {
  return type == MemoryType::kHost ? "host" : "device";
}

}  // namespace

const Tensor& OpKernelContext::host_input(int i) const {
  const Tensor& tensor = input(i);
  const bool is_declared =
      kernel_ == nullptr || kernel_->memory_types().inputs[i] == MemoryType::kHost;
  if (!is_declared) {
    throw Error(errors::Internal("the kernel reads the elements of input ", i,
                                 " on the host, but is not registered with HostMemory",
                                 " for it"));
  }
  return tensor;
}

Status OpKernelContext::allocate_output(int i, const Shape& shape, Tensor** output) {
  const DType dtype = output_type(i);
  const bool on_host = has_two_memories() && kernel_ != nullptr &&
                       kernel_->memory_types().outputs[i] == MemoryType::kHost;
  Allocator* allocator = on_host ? device_.host_allocator : device_.allocator;
  Tensor made;
  if (Status status = Allocate(allocator, dtype, shape, &made); !status.ok()) {
    return status;
  }
  outputs_[i] = std::move(made);
  *output = &outputs_[i];
  return {};
}

// Whether the kernel has an input and an output in the same memory.
bool OpKernelContext::AreInOneMemory(int input, int output) const {
  const MemoryTypes& types = kernel_->memory_types();
  return types.inputs[input] == types.outputs[output];
}

Status OpKernelContext::forward_input_or_allocate_output(
    std::initializer_list<int> candidates, int i, const Shape& shape, Tensor** output) {
  const bool are_apart = has_two_memories() && kernel_ != nullptr;
  for (const int candidate : candidates) {
    const Tensor& tensor = input(candidate);
    const bool fits = tensor.OwnsBuffer() && tensor.dtype() == output_type(i) &&
                      tensor.num_elements() == shape.num_elements() &&
                      IsPlain(tensor.dtype()) &&
                      (!are_apart || AreInOneMemory(candidate, i));
    if (!fits) continue;
    // The kernel still reads its input, so both see the elements.
    outputs_[i] = tensor.Reshaped(shape);
    *output = &outputs_[i];
    return {};
  }
  return allocate_output(i, shape, output);
}

Status OpKernelContext::allocate_temp(DType dtype, const Shape& shape, Tensor* temp) {
  return Allocate(device_.allocator, dtype, shape, temp);
}

// Whether `tensors`, the inputs or outputs of a kernel, lie where it has them.
Status OpKernelContext::CheckMemory(std::string_view what,
                                    std::span<const Tensor> tensors,
                                    std::span<const MemoryType> types) const {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].has_value()) continue;  // dead
    const bool is_on_device = tensors[i].allocator() == device_.allocator;
    const MemoryType found = is_on_device ? MemoryType::kDevice : MemoryType::kHost;
    if (found == types[i]) continue;
    return errors::Internal(what, ' ', i, " lies in ", NameOf(found), " memory; on ",
                            device_.allocator->name(), " the kernel has it in ",
                            NameOf(types[i]), " memory");
  }
  return {};
}

void OpKernelContext::CheckInputs() {
  SetStatus(CheckMemory("input", inputs_, kernel_->memory_types().inputs));
}

void OpKernelContext::CheckOutputs() {
  if (!status_.ok()) return;
  SetStatus(CheckMemory("output", outputs_, kernel_->memory_types().outputs));
}

namespace {

// Calls `compute`. What it throws becomes the status of `ctx`, and then it returns false.
template <typename Function>
bool CatchInto(OpKernelContext* ctx, Function compute) {
  try {
    compute();
    return true;
  } catch (...) {
    ctx->SetStatus(CaughtStatus());
  }
  return false;
}

}  // namespace

void RunKernel(OpKernel* kernel, OpKernelContext* ctx) {
  ctx->Begin(*kernel);
  if (!ctx->status().ok()) return;
  if (CatchInto(ctx, [&] { kernel->Compute(ctx); })) ctx->End();
}

void RunKernelAsync(AsyncOpKernel* kernel, OpKernelContext* ctx,
                    AsyncOpKernel::DoneCallback done) {
  ctx->Begin(*kernel);
  if (!ctx->status().ok()) return done();
  const auto check_and_call = [ctx, done = std::move(done)] {
    ctx->End();
    done();
  };
  if (!CatchInto(ctx, [&] { kernel->ComputeAsync(ctx, check_and_call); })) {
    check_and_call();
  }
}

void AsyncOpKernel::Compute(OpKernelContext* ctx) {
  std::promise<void> is_done;
  ComputeAsync(ctx, [&] { is_done.set_value(); });
  const std::future<void> done = is_done.get_future();
  const StopQuestion* const must_stop = StopScope::Current();
  const bool may_stop = must_stop != nullptr && ctx->cancellation() != nullptr;
  while (may_stop && !ctx->cancellation()->is_cancelled()) {
    if (done.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready) return;
    if ((*must_stop)()) ctx->cancellation()->StartCancel();
  }
  done.wait();
}

KernelChoice ChooseKernel(const OpDef& op, const Attrs& attrs, Device device) {
  if (device == Device::kCpu) return {&FindKernel(op, attrs, device), false};
  try {
    return {&FindKernel(op, attrs, device), false};
  } catch (const Error& error) {
    if (error.status().code() != Code::kNotFound) throw;
    return {&FindKernel(op, attrs, Device::kCpu), true};
  }
}

MemoryTypes MemoryTypesFor(const KernelChoice& choice, const OpDef& op,
                           const Attrs& attrs, const Signature& signature) {
  const KernelDef& kernel = *choice.kernel;
  CheckHostMemory(kernel, op);
  const AttrValue* type = attrs.Find(kernel.host_memory_if_int32);
  const auto* dtype = type == nullptr ? nullptr : std::get_if<DType>(type);
  const bool is_of_sizes = dtype != nullptr && *dtype == DType::kInt32;
  const bool are_all_on_host = choice.is_on_host || is_of_sizes;
  const auto types_of = [&](const std::vector<ArgDef>& args,
                            const std::vector<DType>& dtypes) {
    std::vector<MemoryType> types;
    types.reserve(dtypes.size());
    for (const ArgDef& arg : args) {
      const bool is_named = std::ranges::count(kernel.host_memory, arg.name) > 0;
      types.insert(types.end(), NumTensorsOf(arg, attrs),
                   is_named || are_all_on_host ? MemoryType::kHost : MemoryType::kDevice);
    }
    for (size_t i = 0; i < types.size(); ++i) {
      if (!IsPlain(dtypes.at(i))) types[i] = MemoryType::kHost;
    }
    return types;
  };
  return {types_of(op.inputs, signature.input_types),
          types_of(op.outputs, signature.output_types)};
}

std::unique_ptr<OpKernel> MakeKernel(std::string_view node_name, const OpDef& op,
                                     const Attrs& attrs, const Signature& signature,
                                     Device kind, const DeviceContext& device) {
  const KernelChoice choice = ChooseKernel(op, attrs, kind);
  const bool is_on_host = choice.is_on_host && device.host != nullptr;
  OpKernelConstruction construction(node_name, op, attrs, signature,
                                    is_on_host ? *device.host : device,
                                    MemoryTypesFor(choice, op, attrs, signature));
  auto made = choice.kernel->factory(&construction);
  ThrowIfError(construction.status());
  return made;
}

Kernel::Kernel(std::string_view op) { def_.key.op = op; }
Kernel::~Kernel() = default;

Kernel& Kernel::On(Device device) {
  def_.key.device = device;
  return *this;
}

Kernel& Kernel::OnAllDevices() {
  is_on_all_devices_ = true;
  return *this;
}

Kernel& Kernel::Type(std::string_view attr, DType dtype) {
  def_.key.types.emplace_back(attr, dtype);
  return *this;
}

Kernel& Kernel::Label(std::string_view label) {
  def_.key.label = label;
  return *this;
}

Kernel& Kernel::Priority(int priority) {
  def_.key.priority = priority;
  return *this;
}

Kernel& Kernel::HostMemoryIfInt32(std::string_view attr) {
  def_.host_memory_if_int32 = attr;
  return *this;
}

}  // namespace minitf
