// A call in a thread with a small stack, so that a recursion of tens of thousands of
// calls does not return on any machine.

#pragma once

#include <exception>
#include <optional>
#include <pthread.h>
#include <type_traits>

#include "minitf/base/status.h"

namespace minitf {

/// What `work()` gives, or throws.
template <typename Work>
auto OnSmallStack(const Work& work) {
  constexpr size_t kStackBytes = 512 << 10;
  struct Call {
    const Work& work;
    std::optional<std::invoke_result_t<Work>> result = {};
    std::exception_ptr thrown = {};

    static void* Run(void* pointer) {
      Call* const call = static_cast<Call*>(pointer);
      try {
        call->result = call->work();
      } catch (...) {
        call->thrown = std::current_exception();
      }
      return nullptr;
    }
  };

  Call call{work};
  pthread_attr_t attributes;
  pthread_t thread = {};
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  const int error = pthread_create(&thread, &attributes, &Call::Run, &call);
  pthread_attr_destroy(&attributes);
  Require(error == 0, "there is no thread to be had");
  pthread_join(thread, nullptr);
  if (call.thrown) std::rethrow_exception(call.thrown);
  return *std::move(call.result);
}

}  // namespace minitf
