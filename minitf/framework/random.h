// Random numbers: Philox-4x32-10, a generator whose only state is a counter.
//
// Philox is a function from a counter and a key to four random numbers of 32 bits: it
// encrypts the counter. So the millionth number costs as much as the first, threads can
// start anywhere in the stream, and the result does not depend on how many there are.
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
// Source     Salmon et al., Parallel random numbers: as easy as 1, 2, 3 (2011)
// Compare    tensorflow/core/lib/random/philox_random.h,
//            tensorflow/core/util/guarded_philox_random.h
// Read next  minitf/framework/gradient.h

#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "minitf/framework/op_kernel.h"

namespace minitf {

class Philox {
 public:
  /// What one counter value gives.
  using Block = std::array<uint32_t, 4>;

  Philox() = default;
  Philox(uint64_t key, uint64_t counter_high)
      : key_{Low(key), High(key)},
        counter_{0, 0, Low(counter_high), High(counter_high)} {}

  /// Leaves out `blocks` blocks.
  void Skip(uint64_t blocks) {
    const uint64_t low = Joined(counter_[0], counter_[1]);
    const uint64_t sum = low + blocks;
    counter_[0] = Low(sum);
    counter_[1] = High(sum);
    if (sum < low && ++counter_[2] == 0) ++counter_[3];
  }

  /// The next block.
  Block operator()() {
    Block counter = counter_;
    Key key = key_;
    for (int round = 0; round < kRounds; ++round) {
      const uint64_t a = uint64_t{kMultiplierA} * counter[0];
      const uint64_t b = uint64_t{kMultiplierB} * counter[2];
      counter = {High(b) ^ counter[1] ^ key[0], Low(b), High(a) ^ counter[3] ^ key[1],
                 Low(a)};
      key[0] += kWeylA;
      key[1] += kWeylB;
    }
    Skip(1);
    return counter;
  }

 private:
  using Key = std::array<uint32_t, 2>;

  static constexpr int kRounds = 10;
  static constexpr uint32_t kMultiplierA = 0xD2511F53;
  static constexpr uint32_t kMultiplierB = 0xCD9E8D57;
  static constexpr uint32_t kWeylA = 0x9E3779B9;  // the golden ratio
  static constexpr uint32_t kWeylB = 0xBB67AE85;  // the square root of 3, less 1

  static constexpr uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
  static constexpr uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }
  static constexpr uint64_t Joined(uint32_t low, uint32_t high) {
    return uint64_t{high} << 32 | low;
  }

  Key key_{};
  Block counter_{};
};

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
