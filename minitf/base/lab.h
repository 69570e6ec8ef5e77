// MINITF_TODO: what stands in an exercise until a student has written it.
//
// An exercise that has not been written says so by name, instead of crashing or returning
// zeros, and the grader can tell "not written yet" from "wrong".
//
// Read next  minitf/tensor/dtype.h

#pragma once

#include <stdexcept>
#include <string>

namespace minitf {

class NotWritten : public std::logic_error {
 public:
  NotWritten(const std::string& task, const std::string& function)
      : std::logic_error("task " + task + " (" + function + ") is not written yet") {}
};

}  // namespace minitf

/// Throws NotWritten. `task` is the number in the exercise's handout, such as "04.2".
#define MINITF_TODO(task) throw ::minitf::NotWritten(task, __func__)
