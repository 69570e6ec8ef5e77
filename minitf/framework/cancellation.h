// CancellationManager: how a step that is given up reaches the work that it has begun.
//
// A kernel that waits, for an element of a queue or for a tensor from another device,
// cannot look at a flag. It leaves a callback instead, which ends its wait. When the step
// is given up, because a node failed, the time is over or the session closes, StartCancel
// runs all callbacks.
//
//   const auto token = manager->NewToken();
//   if (!manager->RegisterCallback(token, [&] { queue->Abandon(waiter); })) {
//     ...  // it is cancelled already, and the callback will not run
//   }
//   ...
//   manager->DeregisterCallback(token);  // afterwards the callback does not run
//
// Compare    tensorflow/core/framework/cancellation.h
// Read next  minitf/framework/rendezvous.h

#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>

namespace minitf {

class CancellationManager {
 public:
  using Token = int64_t;
  using Callback = std::function<void()>;

  CancellationManager() = default;
  CancellationManager(const CancellationManager&) = delete;
  CancellationManager& operator=(const CancellationManager&) = delete;

  /// A token that no other callback of this manager has.
  Token NewToken() { return next_token_.fetch_add(1, std::memory_order_relaxed); }

  /// Lets StartCancel call `callback`. False, and nothing is kept, when StartCancel has
  /// been called. The callback must not call back into this manager.
  [[nodiscard]] bool RegisterCallback(Token token, Callback callback);

  /// Takes a callback back. If StartCancel is calling callbacks just now, waits until it
  /// has called all; so afterwards this one neither runs nor will run. False when it may
  /// have run. Must not be called under a lock that a callback takes.
  bool DeregisterCallback(Token token);

  /// Runs all callbacks, in this thread. Later calls do nothing.
  void StartCancel();

  bool is_cancelled() const { return is_cancelled_.load(std::memory_order_acquire); }

 private:
  std::atomic<Token> next_token_ = 0;
  std::atomic<bool> is_cancelled_ = false;
  std::mutex mutex_;  // guards what follows
  std::condition_variable all_called_;
  bool is_calling_ = false;
  std::unordered_map<Token, Callback> callbacks_;
};

}  // namespace minitf
