// VLOG: log lines that are off until MINITF_VLOG asks for their level.
//
//   VLOG(2) << "Conv2D: in_depth = " << depth;
//
// prints to the error stream when the environment variable MINITF_VLOG (or TensorFlow's
// own name for it, TF_CPP_MIN_VLOG_LEVEL) is 2 or more. A line that is off evaluates
// nothing to the right of VLOG.
//
// Compare    tensorflow/core/platform/default/logging.h
// Read next  minitf/base/tier_note.h

#pragma once

#include <sstream>
#include <string>

namespace minitf {

/// From now on, has `listener` called with each text that LogToListeners gets.
void AddLogListener(void (*listener)(const char* text));
/// Calls all listeners. Returns false without any. Any thread may call both functions.
bool LogToListeners(const std::string& text);

/// The level that was asked for when the process started, 0 if none was.
int VlogLevel();

/// One log line: collects what is streamed into it, and prints it when it ends.
class LogLine {
 public:
  LogLine(const char* file, int line);
  ~LogLine();

  LogLine(const LogLine&) = delete;
  LogLine& operator=(const LogLine&) = delete;

  std::ostream& stream() { return text_; }

 private:
  std::ostringstream text_;
};

}  // namespace minitf

/// A log line of `level`. Stands where a statement stands; << follows.
#define VLOG(level)                          \
  if (::minitf::VlogLevel() < (level)) {     \
  } else /* NOLINT: so that << can follow */ \
    ::minitf::LogLine(__FILE__, __LINE__).stream()
