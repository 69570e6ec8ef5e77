// CancellationManager: each callback runs once, or is taken back.

#include "minitf/framework/cancellation.h"

#include <utility>

namespace minitf {

bool CancellationManager::RegisterCallback(Token token, Callback callback) {
  const std::lock_guard lock(mutex_);
  if (is_cancelled_) return false;
  callbacks_[token] = std::move(callback);
  return true;
}

bool CancellationManager::DeregisterCallback(Token token) {
  std::unique_lock lock(mutex_);
  if (!is_cancelled_) {
    callbacks_.erase(token);
    return true;
  }
  all_called_.wait(lock, [this] { return !is_calling_; });
  return false;
}

void CancellationManager::StartCancel() {
  std::unordered_map<Token, Callback> callbacks;
  {
    const std::lock_guard lock(mutex_);
    if (is_cancelled_) return;
    is_cancelled_ = true;
    is_calling_ = true;
    std::swap(callbacks, callbacks_);
  }
  // Not under the lock: a callback may end a kernel, which registers and deregisters.
  for (const auto& [token, callback] : callbacks) callback();
  const std::lock_guard lock(mutex_);
  is_calling_ = false;
  all_called_.notify_all();
}

}  // namespace minitf
