// Philox-4x32-10: random numbers from a generator whose only state is a counter.
//
// Philox is a function from a counter and a key to four random numbers of 32 bits: it
// encrypts the counter. So the millionth number costs as much as the first, threads can
// start anywhere in the stream, and the result does not depend on how many there are. A
// GPU and a CPU, which run the code below both, give the same numbers.
//
// Source     Salmon et al., Parallel random numbers: as easy as 1, 2, 3 (2011)
// Compare    tensorflow/core/lib/random/philox_random.h
// Read next  minitf/base/library_folder.h

#pragma once

#include <array>
#include <cstdint>

namespace minitf {

class Philox {
 public:
  /// What one counter value gives.
  using Block = std::array<uint32_t, 4>;

  constexpr Philox() = default;
  constexpr Philox(uint64_t key, uint64_t counter_high)
      : key_{Low(key), High(key)},
        counter_{0, 0, Low(counter_high), High(counter_high)} {}

  /// Leaves out `blocks` blocks.
  constexpr void Skip(uint64_t blocks) {
    const uint64_t low = Joined(counter_[0], counter_[1]);
    const uint64_t sum = low + blocks;
    counter_[0] = Low(sum);
    counter_[1] = High(sum);
    if (sum < low && ++counter_[2] == 0) ++counter_[3];
  }

  /// The next block.
  constexpr Block operator()() {
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

}  // namespace minitf
