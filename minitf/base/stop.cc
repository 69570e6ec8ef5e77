// The question of each thread.

#include "minitf/base/stop.h"

#include "minitf/base/status.h"

namespace minitf {
namespace {

thread_local const StopQuestion* question_of_thread = nullptr;

}  // namespace

StopScope::StopScope(const StopQuestion* question) : outer_(question_of_thread) {
  question_of_thread = question != nullptr && *question ? question : nullptr;
}

StopScope::~StopScope() { question_of_thread = outer_; }

const StopQuestion* StopScope::Current() { return question_of_thread; }

void StopIfAsked() {
  if (question_of_thread == nullptr || !(*question_of_thread)()) return;
  throw Error(errors::Cancelled("the work was given up before its end"));
}

}  // namespace minitf
