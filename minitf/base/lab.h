// What labs need of the framework: a mark for what is not written yet, and a switch that
// says whose answer a region of the source is.
//
// An exercise that has not been written says so by name, instead of crashing or returning
// zeros, and the grader can tell "not written yet" from "wrong".
//
// Tasks are tested one by one. The lab tool compiles a student's file with both answers
// in each region, the student's and the reference's, and chooses when the tests run
// (python/minitf_lab/judge/regions.py): so no task loses points for what another lacks.
//
// Read next  minitf/tensor/dtype.h

#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace minitf {

class NotWritten : public std::runtime_error {
 public:
  NotWritten(const std::string& task, const std::string& function)
      : std::runtime_error("task " + task + " (" + function + ") is not written yet") {}
};

/// Throws NotWritten, for code whose each access to memory is watched: an exception that
/// it made itself would be found to lie in memory of the host.
[[noreturn]] void ThrowNotWritten(const char* task, const char* function);

/// Whether the reference's answer to `task`, such as "04.2", is to be used. At first it
/// is, for every task, so that what runs before the tests do works.
bool UsesReference(std::string_view task);

}  // namespace minitf

/// Has the student's answer used for one task, for "all", or for none if `task` is empty.
/// The lab tool calls it by its plain name, between two test cases.
extern "C" void minitf_use_answer(const char* task);

/// Throws NotWritten. `task` is the number in the exercise's handout, such as "04.2".
/// Nothing can be thrown on a card: there the launch ends with an error.
#ifdef __CUDA_ARCH__
#define MINITF_TODO(task) assert(!"a task is not written yet")
#elif defined(MINITF_LAB_IS_WATCHED)
#define MINITF_TODO(task) ::minitf::ThrowNotWritten(task, __func__)
#else
#define MINITF_TODO(task) throw ::minitf::NotWritten(task, __func__)
#endif
