// The kernel table, and making outputs.

#include "minitf/framework/op_kernel.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <map>
#include <mutex>
#include <new>
#include <shared_mutex>

#include "minitf/base/caught.h"
#include "minitf/base/stop.h"
#include "minitf/framework/cancellation.h"

namespace minitf {
namespace {

struct KernelTable {
  std::shared_mutex mutex;
  std::map<std::string, std::vector<std::unique_ptr<KernelDef>>, std::less<>> by_op;
};

KernelTable& Table() {
  static KernelTable table;
  return table;
}

// "CPU for T=float32, label 'naive'".
std::string Describe(const KernelKey& key) {
  std::ostringstream out;
  out << key.device;
  const char* separator = " for ";
  for (const auto& [attr, dtype] : key.types) {
    out << separator << attr << '=' << dtype;
    separator = ", ";
  }
  if (!key.label.empty()) out << ", label '" << key.label << "'";
  return out.str();
}

bool IsSameKey(const KernelKey& a, const KernelKey& b) {
  return a.device == b.device && a.label == b.label && a.types == b.types;
}

bool Fits(const KernelKey& key, const Attrs& attrs, Device device,
          const std::string& label) {
  if (key.device != device || key.label != label) return false;
  return std::ranges::all_of(key.types, [&](const auto& type) {
    const AttrValue* value = attrs.Find(type.first);
    const auto* dtype = value == nullptr ? nullptr : std::get_if<DType>(value);
    return dtype != nullptr && *dtype == type.second;
  });
}

// The attributes of a call that a kernel may depend on: "T=float32, label 'naive'".
std::string DescribeCall(const Attrs& attrs, Device device, const std::string& label) {
  KernelKey key{"", device, {}, label};
  for (const auto& [name, value] : attrs) {
    if (const auto* dtype = std::get_if<DType>(&value))
      key.types.emplace_back(name, *dtype);
  }
  return Describe(key);
}

}  // namespace

std::ostream& operator<<(std::ostream& out, Device device) {
  return out << (device == Device::kCpu ? "CPU" : "GPU");
}

Status OpKernelContext::allocate_output(int i, const Shape& shape, Tensor** output) {
  Tensor made;
  if (Status status = allocate_temp(output_types_[i], shape, &made); !status.ok()) {
    return status;
  }
  outputs_[i] = std::move(made);
  *output = &outputs_[i];
  return {};
}

Status OpKernelContext::forward_input_or_allocate_output(
    std::initializer_list<int> candidates, int i, const Shape& shape, Tensor** output) {
  for (const int candidate : candidates) {
    Tensor& input = inputs_[candidate];
    const bool fits = input.OwnsBuffer() && input.dtype() == output_types_[i] &&
                      input.num_elements() == shape.num_elements() &&
                      IsPlain(input.dtype());
    if (!fits) continue;
    // The kernel still reads its input, so both see the elements.
    outputs_[i] = input.Reshaped(shape);
    *output = &outputs_[i];
    return {};
  }
  return allocate_output(i, shape, output);
}

Status OpKernelContext::allocate_temp(DType dtype, const Shape& shape, Tensor* temp) {
  try {
    *temp = Tensor(dtype, shape, *device_.allocator);
    return {};
  } catch (const Error&) {
    return errors::ResourceExhausted("no memory for a tensor of ", dtype, ' ', shape,
                                     RoomLeft(*device_.allocator));
  } catch (const std::bad_alloc&) {
    return errors::ResourceExhausted("no memory for a tensor of ", dtype, ' ', shape);
  }
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
  CatchInto(ctx, [&] { kernel->Compute(ctx); });
}

void RunKernelAsync(AsyncOpKernel* kernel, OpKernelContext* ctx,
                    AsyncOpKernel::DoneCallback done) {
  if (!CatchInto(ctx, [&] { kernel->ComputeAsync(ctx, done); })) done();
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

std::vector<const KernelDef*> KernelsOf(std::string_view op) {
  KernelTable& table = Table();
  const std::shared_lock lock(table.mutex);
  std::vector<const KernelDef*> kernels;
  const auto found = table.by_op.find(op);
  if (found == table.by_op.end()) return kernels;
  for (const auto& kernel : found->second) kernels.push_back(kernel.get());
  return kernels;
}

std::vector<std::string> OpsWithKernels() {
  KernelTable& table = Table();
  const std::shared_lock lock(table.mutex);
  std::vector<std::string> ops;
  for (const auto& [op, kernels] : table.by_op) ops.push_back(op);
  return ops;
}

const KernelDef& FindKernel(const OpDef& op, const Attrs& attrs, Device device) {
  const AttrValue* label_attr = attrs.Find("_kernel");
  const auto* wanted = label_attr ? std::get_if<std::string>(label_attr) : nullptr;
  const std::string label = wanted ? *wanted : "";

  {
    KernelTable& table = Table();
    const std::shared_lock lock(table.mutex);
    if (const auto found = table.by_op.find(op.name); found != table.by_op.end()) {
      for (const auto& kernel : found->second) {
        if (Fits(kernel->key, attrs, device, label)) return *kernel;
      }
    }
  }
  std::vector<std::string> registered;
  for (const KernelDef* kernel : KernelsOf(op.name)) {
    registered.push_back(Describe(kernel->key));
  }
  throw Error(
      errors::NotFound("no kernel is registered on ", DescribeCall(attrs, device, label),
                       registered.empty() ? "; the op has none" : "; registered are: ",
                       Join(registered, "; ")));
}

std::unique_ptr<OpKernel> MakeKernel(std::string_view node_name, const OpDef& op,
                                     const Attrs& attrs, const Signature& signature,
                                     Device kind, const DeviceContext& device) {
  const KernelDef& kernel = FindKernel(op, attrs, kind);
  OpKernelConstruction construction(node_name, op, attrs, signature, device);
  auto made = kernel.factory(&construction);
  ThrowIfError(construction.status());
  return made;
}

Kernel::Kernel(std::string_view op) { key_.op = op; }
Kernel::~Kernel() = default;

Kernel& Kernel::On(Device device) {
  key_.device = device;
  return *this;
}

Kernel& Kernel::Type(std::string_view attr, DType dtype) {
  key_.types.emplace_back(attr, dtype);
  return *this;
}

Kernel& Kernel::Label(std::string_view label) {
  key_.label = label;
  return *this;
}

KernelRegistrar::KernelRegistrar(
    const Kernel& kernel, std::unique_ptr<OpKernel> (*factory)(OpKernelConstruction*))
    : KernelRegistrar(kernel, KernelFactory(factory)) {}

KernelRegistrar::KernelRegistrar(const Kernel& kernel, KernelFactory factory) {
  KernelTable& table = Table();
  const std::unique_lock lock(table.mutex);
  auto& kernels = table.by_op[kernel.key().op];
  for (const auto& other : kernels) {
    if (!IsSameKey(other->key, kernel.key())) continue;
    throw Error(errors::AlreadyExists("kernel ", kernel.key().op, " on ",
                                      Describe(kernel.key()), " is registered twice"));
  }
  kernels.push_back(
      std::make_unique<KernelDef>(KernelDef{kernel.key(), std::move(factory)}));
}

}  // namespace minitf
