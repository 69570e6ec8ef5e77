// Random numbers for kernels: seeds, and who gets which part of the stream.
//
// Seeds. An op has two, `seed` of the graph and `seed2` of the op:
//
//   both 0       each kernel draws a seed of its own from the system
//   otherwise    seed is the key, seed2 the upper half of the counter. Equal seeds give
//                equal numbers, on every machine, and those of TensorFlow
//
// A kernel keeps its counter: each step goes on where the one before ended. It reserves
// 256 blocks for each output, used or not, since a distribution that rejects some draws
// cannot tell how many it will need.
//
// Compare    tensorflow/core/util/guarded_philox_random.h
// Read next  minitf/framework/gradient.h

#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "minitf/base/philox.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {

/// The numbers of a Philox one by one.
class PhiloxNumbers {
 public:
  explicit PhiloxNumbers(Philox generator) : generator_(generator) {}

  uint32_t operator()() {
    if (next_ == block_.size()) {
      block_ = generator_();
      next_ = 0;
    }
    return block_[next_++];
  }

 private:
  Philox generator_;
  Philox::Block block_{};
  size_t next_ = block_.size();
};

/// A number that differs from call to call, from the operating system.
uint64_t SystemSeed();

/// A generator for the two seeds of an op, by the rule above.
Philox PhiloxOfSeeds(uint64_t seed, uint64_t seed2);

/// The generator of one kernel. Safe to use from several steps at once.
class KernelRandom {
 public:
  /// Reads the attributes "seed" and "seed2", and follows the rule above.
  explicit KernelRandom(OpKernelConstruction* construction);

  /// A generator for the next `blocks` blocks; no other call returns one for these.
  Philox Reserve(uint64_t blocks);

  /// As Reserve, with blocks enough for `count` outputs of any distribution.
  Philox ReserveOutputs(int64_t count) { return Reserve(kBlocksPerOutput * count); }

  static constexpr uint64_t kBlocksPerOutput = 256;

 private:
  std::mutex mutex_;
  Philox generator_;
};

}  // namespace minitf
