// Settings: what the environment asks of the emulator.
//
// Read next  kernels/simt/runtime/text.h

#pragma once

#include <cstdint>
#include <string>

namespace simt {

/// Read once, when the first is asked for. What is no number counts as not given.
struct Settings {
  int threads;        ///< SIMT_THREADS: of the system, in fast mode; default: cores
  int devices;        ///< SIMT_DEVICES: default 1
  int64_t memory_mb;  ///< SIMT_MEMORY_MB: of each device; default 4096
  int64_t timeout_s;  ///< SIMT_TIMEOUT_S: of a launch; default 60; 0: none
  uint64_t seed;      ///< SIMT_SEED: of the order of threads; default 0: as numbered
  int64_t preempt;    ///< SIMT_PREEMPT: switches in 100 accesses, check mode; default 0
  int64_t access_limit;  ///< SIMT_ACCESS_LIMIT: of a launch, check mode; default 2e9
  bool profile;          ///< SIMT_PROFILE: whether to print a profile, check mode
  int64_t max_reports;   ///< SIMT_MAX_REPORTS: that are printed; default 8
  std::string json;      ///< SIMT_JSON: a file for all findings, check mode

  static const Settings& Get();
};

}  // namespace simt
