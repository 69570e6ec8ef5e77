// Releases: order between blocks, by a fence and an atomic.
//
//   block 0:  y[0] = 1;  __threadfence();  atomicAdd(&count, 1);
//   block 1:                               atomicAdd(&count, 1);  ... = y[0];
//
// What block 0 has done before its fence is ordered before what block 1 does after it has
// seen the atomic. So "the last block to arrive adds up the sums of all" is no race;
// without the fence it is one.
//
// Read next  kernels/simt/check/symbols.h

#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "kernels/simt/check/shadow.h"

namespace simt {

class Releases {
 public:
  void LaunchBegins() {
    released_.clear();
    acquired_.clear();
  }

  void BlockBegins() {
    fenced_.assign(fenced_.size(), false);
    acquired_.clear();
  }

  void Fenced(int thread) {
    if (fenced_.size() <= static_cast<size_t>(thread)) fenced_.resize(thread + 1);
    fenced_[thread] = true;
  }

  /// A thread of block `block` does an atomic at an address.
  void Atomic(uintptr_t address, uint32_t block, int thread, uint16_t interval) {
    const bool releases = static_cast<size_t>(thread) < fenced_.size() && fenced_[thread];
    const auto found = released_.find(address);
    if (found != released_.end()) {
      for (const Release& one : found->second) {
        if (one.block != block) acquired_[one.block].push_back(one);
      }
    }
    if (releases) {
      released_[address].push_back({block, interval, static_cast<uint16_t>(thread)});
    }
  }

  /// Whether an access of another block is ordered before what the running one does now.
  bool IsOrdered(const Access& earlier) const {
    const auto found = acquired_.find(earlier.block());
    if (found == acquired_.end()) return false;
    for (const Release& one : found->second) {
      // A barrier between the access and the fence brings in the other threads.
      if (earlier.interval() < one.interval || earlier.thread() == one.thread)
        return true;
    }
    return false;
  }

 private:
  struct Release {
    uint32_t block;
    uint16_t interval;
    uint16_t thread;
  };

  std::unordered_map<uintptr_t, std::vector<Release>> released_;  // by address
  std::unordered_map<uint32_t, std::vector<Release>> acquired_;   // by releasing block
  std::vector<bool> fenced_;                                      // by thread
};

}  // namespace simt
