// ForgetCallback: taking a cancellation callback back, from any thread.
//
// Read next  minitf/io/queues/shared_resource.h

#pragma once

#include "minitf/framework/cancellation.h"

namespace minitf {

/// Takes the callback of `token` back, unless `manager` is null or cancelled. A cancelled
/// manager may be calling callbacks in this very thread, and would wait for itself. So
/// the callback may still be called: it must look whether what it is about is there yet.
inline void ForgetCallback(CancellationManager* manager,
                           CancellationManager::Token token) {
  if (manager != nullptr && !manager->is_cancelled()) manager->DeregisterCallback(token);
}

}  // namespace minitf
