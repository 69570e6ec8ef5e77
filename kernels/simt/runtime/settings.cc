// Settings, read from the environment.
//
// Read next  kernels/simt/runtime/observer.h

#include "kernels/simt/runtime/settings.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <thread>

namespace simt {
namespace {

int64_t Number(const char* name, int64_t usual, int64_t least, int64_t most) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return usual;
  char* end = nullptr;
  const int64_t number = std::strtoll(text, &end, 10);
  return *end == '\0' ? std::clamp(number, least, most) : usual;
}

std::string Value(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

Settings Read() {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const int64_t cores = std::max(1U, std::thread::hardware_concurrency());
  Settings found;
  found.threads = static_cast<int>(Number("SIMT_THREADS", cores, 1, 256));
  found.devices = static_cast<int>(Number("SIMT_DEVICES", 1, 0, 16));
  found.memory_mb = Number("SIMT_MEMORY_MB", 4096, 1, 1 << 20);
  found.timeout_s = Number("SIMT_TIMEOUT_S", 60, 0, 1 << 30);
  found.seed = static_cast<uint64_t>(Number("SIMT_SEED", 0, 0, kMost));
  found.preempt = Number("SIMT_PREEMPT", 0, 0, 100);
  found.access_limit = Number("SIMT_ACCESS_LIMIT", 2'000'000'000, 1, kMost);
  found.profile = Number("SIMT_PROFILE", 0, 0, 1) != 0;
  found.max_reports = Number("SIMT_MAX_REPORTS", 8, 0, kMost);
  found.json = Value("SIMT_JSON");
  return found;
}

}  // namespace

const Settings& Settings::Get() {
  static const Settings settings = Read();
  return settings;
}

}  // namespace simt
