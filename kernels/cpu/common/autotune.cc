// Autotune: the trial.

#include "kernels/cpu/common/autotune.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "minitf/base/logging.h"
#include "minitf/base/status.h"
#include "minitf/base/text.h"

namespace minitf {
namespace {

constexpr int kRuns = 3;  // the first one brings memory into the caches
constexpr double kHopeless = 4;

double MicrosecondsOf(const std::function<void(int)>& run, int way) {
  const auto start = std::chrono::steady_clock::now();
  run(way);
  const std::chrono::duration<double, std::micro> took =
      std::chrono::steady_clock::now() - start;
  return took.count();
}

}  // namespace

int Autotune::Quickest(const std::string& key, std::span<const std::string_view> names,
                       const std::function<void(int)>& run) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
  }
  int quickest = 0;
  double least = std::numeric_limits<double>::infinity();
  std::string log;
  for (int way = 0; way < static_cast<int>(names.size()); ++way) {
    double best = MicrosecondsOf(run, way);
    for (int i = 1; i < kRuns && best < kHopeless * least; ++i) {
      best = std::min(best, MicrosecondsOf(run, way));
    }
    log += StrCat(way == 0 ? "" : ", ", names[way], ' ', best, " us");
    if (best < least) {
      least = best;
      quickest = way;
    }
  }
  VLOG(1) << "autotune: " << key << ": " << log << "; from now on " << names[quickest];
  const std::lock_guard lock(mutex_);
  return known_.emplace(key, quickest).first->second;
}

}  // namespace minitf
