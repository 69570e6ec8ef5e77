// EventFile: a record file of Event messages.

#include "minitf/contrib/summary/event_file.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <unistd.h>

#include "minitf/base/status.h"
#include "minitf/protos/event.pb.h"

namespace minitf {
namespace {

double SecondsNow() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

std::string HostName() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

std::string PathOf(const std::string& prefix, const std::string& suffix) {
  std::array<char, 32> seconds{};
  std::snprintf(seconds.data(), seconds.size(), "%010lld",
                static_cast<long long>(SecondsNow()));
  return StrCat(prefix, ".out.tfevents.", seconds.data(), '.', HostName(), suffix);
}

}  // namespace

EventFile::EventFile(const std::string& prefix, const std::string& suffix)
    : path_(PathOf(prefix, suffix)), writer_(path_) {
  proto::Event first;
  first.set_wall_time(SecondsNow());
  first.set_file_version("brain.Event:2");
  Write(first.SerializeAsString());
  Flush();
}

void EventFile::Write(std::string_view event) {
  const std::lock_guard lock(mutex_);
  writer_.Write(event);
}

void EventFile::Flush() {
  const std::lock_guard lock(mutex_);
  writer_.Flush();
}

void EventFile::Close() {
  const std::lock_guard lock(mutex_);
  writer_.Close();
}

}  // namespace minitf
