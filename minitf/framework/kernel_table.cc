// The kernel table: adding kernels, and finding the one that a call runs.
//
// Exercise   exercises/02_registry
// Compare    tensorflow/core/framework/op_kernel.cc, FindKernelRegistration

#include <algorithm>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "minitf/base/text.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

using Kernels = std::vector<std::unique_ptr<KernelDef>>;

struct KernelTable {
  std::shared_mutex mutex;
  std::map<std::string, Kernels, std::less<>> by_op;
};

KernelTable& Table() {
  static KernelTable table;
  return table;
}

// Whether two kernels of one op would be told apart by nothing.
bool IsSameKey(const KernelKey& a, const KernelKey& b) {
  // LAB(02.7) begin: return it; in what order types are named does not matter
  return a.device == b.device && a.label == b.label && a.priority == b.priority &&
         std::ranges::is_permutation(a.types, b.types);
  // LAB(02.7) end
}

// Whether the kernel of `key` can do a call with `attrs`.
bool Fits(const KernelKey& key, const Attrs& attrs, Device device,
          const std::string& label) {
  // LAB(02.7) begin: return it; what the call has not, or is no type, does not fit
  if (key.device != device || key.label != label) return false;
  return std::ranges::all_of(key.types, [&](const auto& type) {
    const AttrValue* value = attrs.Find(type.first);
    const auto* dtype = value == nullptr ? nullptr : std::get_if<DType>(value);
    return dtype != nullptr && *dtype == type.second;
  });
  // LAB(02.7) end
}

// The one of `kernels` that a call runs, or null. Throws InvalidArgument if two fit that
// are of the highest priority.
const KernelDef* Best(const Kernels& kernels, const Attrs& attrs, Device device,
                      const std::string& label) {
  const KernelDef* best = nullptr;
  const KernelDef* rival = nullptr;  // of the same priority
  // LAB(02.7) begin: set both
  for (const auto& kernel : kernels) {
    if (!Fits(kernel->key, attrs, device, label)) continue;
    if (best == nullptr || kernel->key.priority > best->key.priority) {
      best = kernel.get();
      rival = nullptr;
    } else if (kernel->key.priority == best->key.priority) {
      rival = kernel.get();
    }
  }
  // LAB(02.7) end
  if (rival == nullptr) return best;
  throw Error(errors::InvalidArgument("two kernels of priority ", best->key.priority,
                                      " fit: ", best->key, "; ", rival->key));
}

// The attributes of a call that a kernel may depend on, as the key that would fit best.
KernelKey KeyOfCall(const Attrs& attrs, Device device, const std::string& label) {
  KernelKey key{"", device, {}, label};
  for (const auto& [name, value] : attrs) {
    if (const auto* dtype = std::get_if<DType>(&value)) {
      key.types.emplace_back(name, *dtype);
    }
  }
  return key;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, Device device) {
  return out << (device == Device::kCpu ? "CPU" : "GPU");
}

std::ostream& operator<<(std::ostream& out, const KernelKey& key) {
  out << key.device;
  const char* separator = " for ";
  for (const auto& [attr, dtype] : key.types) {
    out << separator << attr << '=' << dtype;
    separator = ", ";
  }
  if (!key.label.empty()) out << ", label '" << key.label << "'";
  if (key.priority != 0) out << ", priority " << key.priority;
  return out;
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
      if (const auto* best = Best(found->second, attrs, device, label)) return *best;
    }
  }
  std::vector<KernelKey> registered;
  // LAB(02.7) begin: list the keys of all kernels of op
  for (const KernelDef* kernel : KernelsOf(op.name)) registered.push_back(kernel->key);
  // LAB(02.7) end
  throw Error(
      errors::NotFound("no kernel is registered on ", KeyOfCall(attrs, device, label),
                       registered.empty() ? "; the op has none" : "; registered are: ",
                       Join(registered, "; ")));
}

bool HasKernelOn(std::string_view op, Device device) {
  return std::ranges::any_of(KernelsOf(op), [device](const KernelDef* kernel) {
    return kernel->key.device == device;
  });
}

namespace {

void AddKernel(const Kernel& kernel, KernelFactory factory) {
  if (kernel.is_on_all_devices() && kernel.key().device == Device::kCpu) {
    AddKernel(Kernel(kernel).On(Device::kGpu), factory);
  }
  if (const OpDef* op = Ops().Find(kernel.key().op)) CheckHostMemory(kernel.def(), *op);
  KernelTable& table = Table();
  const std::unique_lock lock(table.mutex);
  Kernels& kernels = table.by_op[kernel.key().op];
  // LAB(02.7) begin: throw if there is a kernel with this key
  for (const auto& other : kernels) {
    if (!IsSameKey(other->key, kernel.key())) continue;
    throw Error(errors::AlreadyExists("kernel ", kernel.key().op, " on ", kernel.key(),
                                      " is registered twice"));
  }
  // LAB(02.7) end
  kernels.push_back(std::make_unique<KernelDef>(kernel.def()));
  kernels.back()->factory = std::move(factory);
}

}  // namespace

KernelRegistrar::KernelRegistrar(
    const Kernel& kernel, std::unique_ptr<OpKernel> (*factory)(OpKernelConstruction*))
    : KernelRegistrar(kernel, KernelFactory(factory)) {}

KernelRegistrar::KernelRegistrar(const Kernel& kernel, KernelFactory factory) {
  Register([&] { AddKernel(kernel, std::move(factory)); });
}

}  // namespace minitf
