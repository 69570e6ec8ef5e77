// Autotune: which of several ways to one result is the quickest, found by trying.
//
// A rule that chooses by sizes knows one machine. Trying takes longer once, and knows
// this one: the first call of a kind runs every way a few times, later ones the way that
// took the least. So results can differ in their last bits from process to process.
//
// Compare    tensorflow/core/kernels/gpu_utils.h (AutoTuneMap)
// Read next  kernels/cpu/common/epilogue.h

#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

namespace minitf {

class Autotune {
 public:
  /// The place in `names` of the quickest way for calls of the kind `key`. If it is not
  /// known yet, calls run(i), way i, up to three times for each i; every way must write
  /// the same result. A way whose first run takes four times as long as the best is
  /// given up. Throws what a run throws, and remembers nothing then. Any number of
  /// threads may call it; two that try the same kind at once both try. Requires: `names`
  /// is not empty.
  int Quickest(const std::string& key, std::span<const std::string_view> names,
               const std::function<void(int)>& run);

 private:
  std::mutex mutex_;  // guards known_
  std::map<std::string, int> known_;
};

}  // namespace minitf
