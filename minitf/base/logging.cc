// VLOG: reading the level, and printing whole lines.

#include "minitf/base/logging.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace minitf {

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
