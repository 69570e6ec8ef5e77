// KernelCache, and how an error says where it arose.

#include "minitf/runtime/executor/kernel_cache.h"

#include <utility>

namespace minitf {

namespace {

std::shared_ptr<OpKernel> Make(const Node& node, Device kind,
                               const DeviceContext& device) {
  try {
    return MakeKernel(node.name(), node.op(), node.attrs(), node.signature(), kind,
                      device);
  } catch (const Error& error) {
    throw Error(AtNode(error.status(), node));
  }
}

}  // namespace

std::shared_ptr<OpKernel> KernelCache::Get(const Node& node, Device kind,
                                           const DeviceContext& device) {
  const Node* source = node.source();
  if (source == nullptr || node.num_attr_edits() > 0) return Make(node, kind, device);
  Entry replaced;  // goes when the lock is free again, as in Clear
  const std::lock_guard lock(mutex_);
  Entry& entry = kernels_[source->id()];
  const int num_attr_edits = source->num_attr_edits();
  if (entry.kernel == nullptr || entry.num_attr_edits != num_attr_edits ||
      entry.device != &device) {
    Entry fresh{&device, Make(node, kind, device), num_attr_edits};
    replaced = std::exchange(entry, std::move(fresh));
  }
  return entry.kernel;
}

void KernelCache::Clear() {
  // The kernels, and the tensors in them, go when the lock is free again.
  std::unordered_map<int, Entry> cleared;
  const std::lock_guard lock(mutex_);
  std::swap(kernels_, cleared);
}

Status AtNode(const Status& status, const Node& node) {
  const std::string made_at =
      node.origin().empty() ? "" : StrCat(", made at ", node.origin());
  return Status(status.code(), StrCat(node.type(), ": ", status.message(), " [node ",
                                      node.Describe(), made_at, "]"))
      .AtNode(node.name());
}

}  // namespace minitf
