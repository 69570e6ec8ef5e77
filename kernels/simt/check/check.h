// ScopedCheck: check mode for tests. What a kernel does wrong becomes a value.
//
//   simt::ScopedCheck check;
//   Reduce<<<8, 256>>>(x, n, y);
//   EXPECT_TRUE(check.clean()) << check.text();
//   EXPECT_LE(check.Per("global-load", "Reduce"), 4);
//
// Read next  kernels/simt/cuda.h

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/simt/check/findings.h"
#include "kernels/simt/check/profile.h"

namespace simt {

/// How threads are ordered, and how much is allowed.
struct CheckOptions {
  uint64_t seed = 0;  ///< of the order in which threads begin; 0: as they are numbered
  int preempt = 0;    ///< switches of threads in 100 accesses
  int64_t access_limit = 2'000'000'000;  ///< of a launch
  bool profiles = true;
  bool finds_leaks = true;  ///< what is still allocated at the end of the program
};

/// While it lives, findings are collected and not printed. It begins without findings and
/// errors. Requires: the kernels are compiled for check mode.
class ScopedCheck {
 public:
  explicit ScopedCheck(const CheckOptions& options = {});
  ~ScopedCheck();
  ScopedCheck(const ScopedCheck&) = delete;
  ScopedCheck& operator=(const ScopedCheck&) = delete;

  /// Whether there are no findings but notes.
  bool clean() const;
  std::string text() const;
  /// The text of all findings but notes; afterwards there are none.
  std::string Take();
  std::vector<Finding> findings() const;
  const std::vector<ProfileLine>& profile() const;
  const Occupancy& occupancy() const;

  /// Sectors or wavefronts per request of the worst line of a kind in a kernel whose name
  /// begins so; 0 if it has no such access.
  double Per(const std::string& kind, const std::string& kernel = "") const;

  /// The same over what is ideal.
  double OverIdeal(const std::string& kind, const std::string& kernel = "") const;
};

}  // namespace simt
