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

ScopedCheck::ScopedCheck(const CheckOptions& options) {
  Checker& checked = Checker::Get();
  cudaDeviceSynchronize();
  ForgetErrors();
  checked.findings().Clear();
  checked.findings().set_quiet(true);
  checked.profile().Clear();
  checked.profile().set_enabled(options.profiles);
  checked.SetSchedule(options.seed, options.preempt);
  checked.set_access_limit(options.access_limit);
  checked.set_finds_leaks(options.finds_leaks);
}

ScopedCheck::~ScopedCheck() {
  Checker& checked = Checker::Get();
  const Settings& settings = Settings::Get();
  ForgetErrors();
  checked.findings().Clear();
  checked.findings().set_quiet(false);
  checked.profile().Clear();
  checked.profile().set_enabled(settings.profile);
  checked.SetSchedule(settings.seed, static_cast<int>(settings.preempt));
  checked.set_access_limit(settings.access_limit);
  checked.set_finds_leaks(true);
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
  double most = 0;
  for (const ProfileLine& line : profile()) {
    if (line.kind != kind || !line.kernel.starts_with(kernel)) continue;
    most = std::max(most, line.per_request());
  }
  return most;
}

double ScopedCheck::OverIdeal(const std::string& kind, const std::string& kernel) const {
  double most = 0;
  for (const ProfileLine& line : profile()) {
    if (line.kind != kind || !line.kernel.starts_with(kernel)) continue;
    most = std::max(most, line.per_request() / line.ideal_per_request());
  }
  return most;
}

}  // namespace simt
