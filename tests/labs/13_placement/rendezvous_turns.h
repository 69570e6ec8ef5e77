// Two calls of a rendezvous that wait for one lock, of which the second goes on at once
// when the first gives the lock up, be it only for a moment.

#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#if defined(__linux__)
#include <sched.h>
#include <unistd.h>
#endif

#include "minitf/framework/cancellation.h"
#include "minitf/framework/rendezvous.h"
#include "tests/labs/13_placement/rendezvous_ends.h"

namespace minitf {

// The core on which this thread runs, and the number of the thread; -1 where that is not
// known. Then turns are left to chance.
inline std::pair<int, int> CoreAndThread() {
#if defined(__linux__)
  return {sched_getcpu(), gettid()};
#else
  return {-1, -1};
#endif
}

// Keeps this thread on a core. If it `gives_way`, any other that wants to run there goes
// first.
inline void StayOn(int core, bool gives_way) {
#if defined(__linux__)
  if (core < 0) return;
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  sched_setaffinity(0, sizeof(cores), &cores);
  const sched_param none = {};
  if (gives_way) sched_setscheduler(0, SCHED_IDLE, &none);
#else
  static_cast<void>(core);
  static_cast<void>(gives_way);
#endif
}

// Lets a thread run like any other again, on any core.
inline void RunFreely(int thread) {
#if defined(__linux__)
  if (thread < 0) return;
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (int core = 0; core < CPU_SETSIZE; ++core) CPU_SET(core, &cores);
  sched_setaffinity(thread, sizeof(cores), &cores);
  const sched_param none = {};
  sched_setscheduler(thread, SCHED_OTHER, &none);
#else
  static_cast<void>(thread);
#endif
}

// A thread that does something, and where it says when that is over.
struct Waiting {
  std::future<void> over;
  int thread = -1;

  // Throws what it has thrown. One that gives way might have to wait for long where all
  // cores are busy, so after a moment it need not.
  void Join() {
    const auto a_moment = std::chrono::milliseconds(20);
    if (over.wait_for(a_moment) != std::future_status::ready) RunFreely(thread);
    over.get();
  }
};

// `work` in a thread of its own, on this core. Returns when that has begun, and, as far
// as can be told, waits for a lock that somebody holds.
template <typename Work>
Waiting BeginsToWait(int core, bool gives_way, Work work) {
  auto begins = std::make_shared<std::promise<int>>();
  std::future<int> thread = begins->get_future();
  Waiting waiting;
  waiting.over = std::async(std::launch::async, [=, work = std::move(work)] {
    begins->set_value(CoreAndThread().second);
    StayOn(core, gives_way);
    work();
  });
  waiting.thread = thread.get();
  std::this_thread::sleep_for(std::chrono::milliseconds(4));
  return waiting;
}

// A rendezvous, its Recv or Send under one key, and what ends it.
class OneTurn {
 public:
  // Does the two while somebody holds the lock that they need, and then gives it up. Of a
  // cancellation this is the lock of its manager, of all else that of the rendezvous.
  // Whether the Recv ended once, and the tensor is held by nobody.
  bool Run(const std::string& first, const std::string& second) {
    if (first == "cancel a recv") Do("receive");
    const bool needs_manager = first == "cancel";
    BusyManager other;
    BusyManager& busy = needs_manager ? manager_ : other;
    busy.Hold();
    const int core = CoreAndThread().first;
    Waiting holds;
    if (!needs_manager) {
      holds = BeginsToWait(core, false, [&] {
        rendezvous_->RecvAsync(KeyOf("held"), {.cancellation = other.get()},
                               WithStatus(DoNothing));
      });
    }
    Waiting one = BeginsToWait(core, true, [&] { Do(first); });
    Waiting two = BeginsToWait(core, false, [&] { Do(second); });
    busy.LetGo();
    one.Join();
    two.Join();
    if (!needs_manager) holds.Join();
    const bool has_ended = num_calls_ == num_recvs_ && !IsHeldInVain();
    rendezvous_->StartAbort(errors::Aborted("that was all"));
    return has_ended;
  }

 private:
  void Do(const std::string& what) {
    if (what == "send") {
      // Once it has been aborted it takes no more, and says so.
      static_cast<void>(rendezvous_->Send(KeyOf("k"), {}, value_, false));
    } else if (what == "receive") {
      ++num_recvs_;
      rendezvous_->RecvAsync(KeyOf("k"), {.cancellation = manager_.get()},
                             WithStatus([this](const Status&) { ++num_calls_; }));
    } else if (what == "abort") {
      is_aborted_ = true;
      rendezvous_->StartAbort(errors::Aborted("all is over"));
    } else {
      manager_.get()->StartCancel();
    }
  }
  bool IsHeldInVain() const { return is_aborted_ && !value_.OwnsBuffer(); }

  const std::shared_ptr<Rendezvous> rendezvous_ = NewRendezvous();
  const Tensor value_ = Tensor::Scalar(1.0);
  BusyManager manager_;
  std::atomic<int> num_recvs_ = 0;
  std::atomic<int> num_calls_ = 0;
  std::atomic<bool> is_aborted_ = false;
};

// How often a Recv did not end once, or a tensor stayed, where the second of two calls
// comes as soon as the first gives up the lock that both need; of so many times, or fewer
// on a busy machine.
inline int NumLost(const std::string& first, const std::string& second, int count) {
  NewRendezvous()->StartAbort(errors::Aborted("a try"));  // throws if it is not written
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(150);
  int lost = 0;
  for (int i = 0; i < count && std::chrono::steady_clock::now() < end; ++i) {
    lost += OneTurn().Run(first, second) ? 0 : 1;
  }
  return lost;
}

}  // namespace minitf
