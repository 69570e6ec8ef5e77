// CacheModel: a first cache as processors have it, which counts the lines that it moves.
//
//   32 KB in lines of 64 bytes: 64 sets, and in each there is room for 8 lines
//
// A line belongs to the set of its address, (address / 64) % 64. An access to a line that
// is not there fetches it, and puts out the line of its set that was not used for the
// longest time; if that one was written it goes back to memory. So two numbers 4096
// bytes apart are rivals, and nine of them do not fit, however empty the rest may be.
//
// Read next  kernels/cpu/gemm/traced.h

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace minitf {

class CacheModel {
 public:
  void Touch(const void* address, bool is_written) {
    const auto line = static_cast<int64_t>(reinterpret_cast<uintptr_t>(address) / kLine);
    Set& set = sets_[line % kSets];
    auto way = std::ranges::find(set, line, &Way::line);
    if (way == set.end()) {
      way = set.end() - 1;
      if (way->is_written) ++lines_moved_;
      *way = {line, false};
      ++lines_moved_;
    }
    way->is_written |= is_written;
    std::rotate(set.begin(), way, way + 1);  // the one used last comes first
  }

  /// Lines fetched, and lines brought back, those too that are still to go back.
  int64_t LinesMoved() const {
    int64_t waiting = 0;
    for (const Set& set : sets_)
      waiting += std::ranges::count(set, true, &Way::is_written);
    return lines_moved_ + waiting;
  }

 private:
  static constexpr int64_t kLine = 64, kSets = 64, kWays = 8;

  struct Way {
    int64_t line = -1;
    bool is_written = false;
  };
  using Set = std::array<Way, kWays>;

  std::array<Set, kSets> sets_;
  int64_t lines_moved_ = 0;
};

}  // namespace minitf
