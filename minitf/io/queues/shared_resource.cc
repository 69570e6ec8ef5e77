// Shared resources: the numbers of those without a name.

#include "minitf/io/queues/shared_resource.h"

#include <atomic>

namespace minitf {

int64_t NextResourceNumber() {
  static std::atomic<int64_t> next{0};
  return next.fetch_add(1, std::memory_order_relaxed);
}

SharedName::SharedName(const OpKernelConstruction& construction)
    : container(construction.attrs().Get<std::string>("container")),
      shared_name(construction.attrs().Get<std::string>("shared_name")),
      node(construction.node_name()) {
  if (container.empty()) container = "localhost";
  Require(!shared_name.starts_with('_'),
          "shared_name cannot start with '_':", shared_name);
}

}  // namespace minitf
