// RendezvousWatchdog: says what is waited for when a step does not come to its end.
//
// If two parts of a graph each wait for a tensor of the other, or a Recv waits under a
// key to which nothing is sent, no error comes up; the step never ends. A watchdog looks
// at every rendezvous from time to time. Where Recvs wait, and nothing has come or gone
// since it looked last, it reports the keys under which they wait, once a standstill.
//
// It only reports, since a kernel that computes for long is not at fault.
//
// Read next  minitf/runtime/executor/executor_plan.h

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "minitf/framework/rendezvous.h"

namespace minitf {

class RendezvousWatchdog {
 public:
  using Report = std::function<void(const std::vector<std::string>& waiting_keys)>;

  /// Looks every `patience`, so it reports a standstill after one to two of them.
  /// `report` is called from a thread of its own, and must not call Watch.
  RendezvousWatchdog(std::chrono::milliseconds patience, Report report);
  ~RendezvousWatchdog();

  RendezvousWatchdog(const RendezvousWatchdog&) = delete;
  RendezvousWatchdog& operator=(const RendezvousWatchdog&) = delete;

  /// Looks after `rendezvous` as long as it lives. From any thread.
  void Watch(std::weak_ptr<const Rendezvous> rendezvous);

 private:
  struct Watched {
    std::weak_ptr<const Rendezvous> rendezvous;
    int64_t num_events = -1;  // when it was looked at last
    bool is_reported = false;
  };

  void Work();
  void LookAt(Watched* watched);

  const std::chrono::milliseconds patience_;
  const Report report_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable stop_;
  bool is_stopping_ = false;
  std::vector<Watched> watched_;
  std::thread thread_;
};

}  // namespace minitf
