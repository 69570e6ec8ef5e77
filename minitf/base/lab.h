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

#include <cstdio>
#include <stdexcept>
#include <string_view>

namespace minitf {

/// Throws std::runtime_error: `function`, a part of `task`, is not written yet. The lab
/// tool recognizes the message.
///
/// It is inline because a lab with its own C++ files links without minitf. The checker of
/// GPU kernels watches each memory access of a kernel, and must not watch this one.
[[noreturn]] __attribute__((no_sanitize("thread"))) inline void ThrowNotWritten(
    const char* task, const char* function) {
  char text[256];
  std::snprintf(text, sizeof(text), "task %s (%s) is not written yet", task, function);
  throw std::runtime_error(text);
}

/// Whether the reference's answer to `task`, such as "04.2", is to be used. At first it
/// is, for every task, so that what runs before the tests do works.
bool UsesReference(std::string_view task);

}  // namespace minitf

/// Has the student's answer used for one task, for "all", or for none if `task` is empty.
/// The lab tool calls it by its plain name, between two test cases.
extern "C" void minitf_use_answer(const char* task);

/// Calls ThrowNotWritten. `task` is its number in the exercise's README, such as "04.2".
/// A GPU cannot throw: the launch ends with an error there.
#ifdef __CUDA_ARCH__
#define MINITF_TODO(task) assert(!"a task is not written yet")
#else
#define MINITF_TODO(task) ::minitf::ThrowNotWritten(task, __func__)
#endif
