// Which answers of a student are used: asked by what the lab tool compiles, nowhere else.

#include "minitf/base/lab.h"

#include <string>

namespace minitf {
namespace {

// Leaked, so that threads that outlive `main` can still ask.
std::string& AnsweredTask() {
  static auto* const task = new std::string;
  return *task;
}

}  // namespace

bool UsesReference(std::string_view task) {
  return AnsweredTask() != "all" && AnsweredTask() != task;
}

}  // namespace minitf

void minitf_use_answer(const char* task) { minitf::AnsweredTask() = task; }
