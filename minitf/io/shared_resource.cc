// Shared resources: the numbers of those without a name.

#include "minitf/io/shared_resource.h"

#include <atomic>

namespace minitf {

int64_t NextResourceNumber() {
  static std::atomic<int64_t> next{0};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace minitf
