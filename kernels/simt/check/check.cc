// ScopedCheck over the one Checker.
//
// Read next  kernels/simt/cuda.h

#include "kernels/simt/check/check.h"

#include <algorithm>

#include "kernels/simt/check/checker.h"
#include "kernels/simt/cuda_api.h"
#include "kernels/simt/runtime/errors.h"
#include "kernels/simt/runtime/settings.h"

namespace simt {
namespace {

// Forgets all that was found, and looks at what comes as it is asked to.
void BeginAnew(const CheckOptions& options, bool is_quiet) {
  Checker& checked = Checker::Get();
  ForgetErrors();
  checked.findings().Clear();
  checked.findings().set_quiet(is_quiet);
  checked.profile().Clear();
  checked.profile().set_enabled(options.profiles);
  checked.SetSchedule(options.seed, options.preempt);
  checked.set_access_limit(options.access_limit);
  checked.set_finds_leaks(options.finds_leaks);
}

// The most of lines of a kind in a kernel whose name begins so, or 0.
template <typename Count>
double MostOf(const std::string& kind, const std::string& kernel, Count count) {
  double most = 0;
  for (const ProfileLine& line : Checker::Get().profile().lines()) {
    if (line.kind != kind || !line.kernel.starts_with(kernel)) continue;
    most = std::max(most, count(line));
  }
  return most;
}

}  // namespace

ScopedCheck::ScopedCheck(const CheckOptions& options) {
  cudaDeviceSynchronize();
  BeginAnew(options, true);
}

ScopedCheck::~ScopedCheck() {
  const Settings& settings = Settings::Get();
  BeginAnew({.seed = settings.seed,
             .preempt = static_cast<int>(settings.preempt),
             .access_limit = settings.access_limit,
             .profiles = settings.profile},
            false);
}

bool ScopedCheck::clean() const { return Checker::Get().findings().num_errors() == 0; }

std::string ScopedCheck::text() const { return Checker::Get().findings().text(); }

std::string ScopedCheck::Take() { return Checker::Get().TakeErrors(); }

std::vector<Finding> ScopedCheck::findings() const {
  std::vector<Finding> found;
  for (const auto& [finding, count] : Checker::Get().findings().all()) {
    found.push_back(finding);
  }
  return found;
}

const std::vector<ProfileLine>& ScopedCheck::profile() const {
  return Checker::Get().profile().lines();
}

const Occupancy& ScopedCheck::occupancy() const {
  return Checker::Get().profile().occupancy();
}

double ScopedCheck::Per(const std::string& kind, const std::string& kernel) const {
  return MostOf(kind, kernel, [](const auto& line) { return line.per_request(); });
}

double ScopedCheck::OverIdeal(const std::string& kind, const std::string& kernel) const {
  return MostOf(kind, kernel, [](const auto& line) {
    return line.per_request() / line.ideal_per_request();
  });
}

}  // namespace simt
