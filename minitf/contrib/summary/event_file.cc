// EventFile: a record file of Event messages.

#include "minitf/contrib/summary/event_file.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

#include "minitf/base/status.h"
#include "minitf/io/records/file_system.h"
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

std::string PathOf(const std::string& prefix, int64_t seconds,
                   const std::string& suffix) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%010lld", static_cast<long long>(seconds));
  return StrCat(prefix, ".out.tfevents.", digits.data(), '.', HostName(), suffix);
}

// Creates an empty file that no other writer has, and returns its path.
std::string CreateFile(const std::string& prefix, const std::string& suffix) {
  for (auto seconds = static_cast<int64_t>(SecondsNow());; ++seconds) {
    std::string path = PathOf(prefix, seconds, suffix);
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) {
      close(file);
      return path;
    }
    if (errno != EEXIST) throw Error(SystemError(path, errno));
  }
}

}  // namespace

EventFile::EventFile(const std::string& prefix, const std::string& suffix)
    : path_(CreateFile(prefix, suffix)), writer_(path_) {
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
