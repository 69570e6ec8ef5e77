// VLOG: reading the level, and printing whole lines.

#include "minitf/base/logging.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace minitf {
namespace {

using LogListener = void (*)(const char* text);

struct LogListeners {
  std::mutex mutex;
  std::vector<LogListener> list;
};

// Never freed: threads may print while the process ends.
LogListeners& ListenersOfProcess() {
  static auto* const listeners = new LogListeners;
  return *listeners;
}

}  // namespace

void AddLogListener(LogListener listener) {
  LogListeners& listeners = ListenersOfProcess();
  const std::lock_guard lock(listeners.mutex);
  listeners.list.push_back(listener);
}

// Calls listeners without the lock: a listener may add another one.
bool LogToListeners(const std::string& text) {
  LogListeners& listeners = ListenersOfProcess();
  std::unique_lock lock(listeners.mutex);
  const std::vector<LogListener> list = listeners.list;
  lock.unlock();
  for (const LogListener listener : list) listener(text.c_str());
  return !list.empty();
}

int VlogLevel() {
  static const int level = [] {
    const char* text = std::getenv("MINITF_VLOG");
    if (text == nullptr) text = std::getenv("TF_CPP_MIN_VLOG_LEVEL");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  return level;
}

LogLine::LogLine(const char* file, int line) {
  const std::string_view path = file;
  text_ << path.substr(path.rfind('/') + 1) << ':' << line << "] ";
}

// One fwrite, so that lines of several threads do not mix.
LogLine::~LogLine() {
  text_ << '\n';
  const std::string line = text_.str();
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace minitf
