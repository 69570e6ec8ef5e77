// The generator of a kernel: seeds and reservations.

#include "minitf/framework/random.h"

#include <random>

namespace minitf {

uint64_t SystemSeed() {
  static std::mutex mutex;
  static auto* device = new std::random_device;
  const std::lock_guard lock(mutex);
  return uint64_t{(*device)()} << 32 | (*device)();
}

Philox PhiloxOfSeeds(uint64_t seed, uint64_t seed2) {
  if (seed == 0 && seed2 == 0) return {SystemSeed(), SystemSeed()};
  return {seed, seed2};
}

KernelRandom::KernelRandom(OpKernelConstruction* construction) {
  const auto seed = static_cast<uint64_t>(construction->attrs().Get<int64_t>("seed"));
  const auto seed2 = static_cast<uint64_t>(construction->attrs().Get<int64_t>("seed2"));
  generator_ = PhiloxOfSeeds(seed, seed2);
}

Philox KernelRandom::Reserve(uint64_t blocks) {
  const std::lock_guard lock(mutex_);
  const Philox reserved = generator_;
  generator_.Skip(blocks);
  return reserved;
}

}  // namespace minitf
