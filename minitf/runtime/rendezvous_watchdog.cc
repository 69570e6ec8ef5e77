// RendezvousWatchdog: looking, waiting, looking again.

#include "minitf/runtime/rendezvous_watchdog.h"

#include <utility>

namespace minitf {

RendezvousWatchdog::RendezvousWatchdog(std::chrono::milliseconds patience, Report report)
    : patience_(patience), report_(std::move(report)), thread_([this] { Work(); }) {}

RendezvousWatchdog::~RendezvousWatchdog() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  stop_.notify_all();
  thread_.join();
}

void RendezvousWatchdog::Watch(std::weak_ptr<const Rendezvous> rendezvous) {
  const std::lock_guard lock(mutex_);
  watched_.push_back({std::move(rendezvous)});
}

void RendezvousWatchdog::Work() {
  std::unique_lock lock(mutex_);
  while (!stop_.wait_for(lock, patience_, [this] { return is_stopping_; })) {
    std::erase_if(watched_, [](const Watched& w) { return w.rendezvous.expired(); });
    for (Watched& watched : watched_) LookAt(&watched);
  }
}

void RendezvousWatchdog::LookAt(Watched* watched) {
  const auto rendezvous = watched->rendezvous.lock();
  if (rendezvous == nullptr) return;
  const auto activity = rendezvous->activity();
  const bool stands_still = activity.num_events == watched->num_events;
  if (!stands_still || activity.waiting_keys.empty()) {
    watched->num_events = activity.num_events;
    watched->is_reported = false;
  } else if (!std::exchange(watched->is_reported, true)) {
    report_(activity.waiting_keys);
  }
}

}  // namespace minitf
