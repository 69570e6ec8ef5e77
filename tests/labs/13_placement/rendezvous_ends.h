// How a rendezvous ends: with callbacks that drop it, managers that go and come again at
// the same place, and what is left of tensors and callbacks.

#pragma once

#include <chrono>
#include <cstring>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "minitf/framework/cancellation.h"
#include "minitf/framework/rendezvous.h"
#include "tests/labs/13_placement/rendezvous_script.h"

namespace minitf {

using Codes = std::vector<std::vector<int>>;

// A callback that looks at the status alone.
template <typename Work>
Rendezvous::DoneCallback WithStatus(Work work) {
  return [work = std::move(work)](const Status& status, const Rendezvous::Args&,
                                  const Rendezvous::Args&, const Tensor&,
                                  bool) { work(status); };
}
inline void DoNothing(const Status& /*status*/) {}

// Writes over what was freed last, so that whoever still looks there sees it.
inline void WriteOverFreedMemory() {
  std::vector<std::unique_ptr<char[]>> blocks;
  for (size_t size = 16; size <= 1024; size += 16) {
    for (int i = 0; i < 8; ++i) {
      blocks.push_back(std::make_unique<char[]>(size));
      std::memset(blocks.back().get(), 0xff, size);
    }
  }
}

// Writes over a rendezvous that is gone, and whose memory `gone` keeps.
class Eraser {
 public:
  explicit Eraser(const std::shared_ptr<Rendezvous>& rendezvous)
      : gone_(rendezvous), memory_(reinterpret_cast<char*>(rendezvous.get())) {}

  void operator()() const {
    // Its virtual table stays, but no lock and no table of its own.
    constexpr size_t kBegin = sizeof(void*);
    constexpr size_t kEnd = kBegin + sizeof(gone_) + sizeof(std::mutex);
    if (gone_.expired()) std::memset(memory_ + kBegin, 0xff, kEnd - kBegin);
  }

 private:
  std::weak_ptr<Rendezvous> gone_;
  char* memory_;
};

// So many Recvs wait, the first of which sees the last reference to the rendezvous
// dropped by its own callback; what makes it come is `how`. The codes that each got, and
// how many of them came only when its manager was cancelled afterwards.
inline std::pair<Codes, int> LastReference(const std::string& how, int count) {
  NewRendezvous()->StartAbort(errors::Aborted("a try"));  // throws if it is not written
  CancellationManager manager;
  Codes codes(count);
  std::shared_ptr<Rendezvous> rendezvous = NewLocalRendezvous();
  const auto drop = [&](int i, const Status& status) {
    codes[i].push_back(static_cast<int>(status.code()));
    rendezvous.reset();
    WriteOverFreedMemory();
  };
  const auto receive = [&](int i) {
    rendezvous->RecvAsync(
        KeyOf(StrCat('k', i % 4)), {.cancellation = &manager},
        WithStatus([&drop, i](const Status& status) { drop(i, status); }));
  };
  Rendezvous* const plain = rendezvous.get();
  const int num_waiting = how == "receive" ? count - 1 : count;
  for (int i = 0; i < num_waiting; ++i) {
    receive(i);
    // Between the callbacks of two Recvs the manager calls this.
    static_cast<void>(manager.RegisterCallback(manager.NewToken(), Eraser(rendezvous)));
  }
  if (how == "abort") {
    plain->StartAbort(errors::OutOfRange("all is over"));
  } else if (how == "cancel") {
    manager.StartCancel();
  } else if (how == "send") {
    ThrowIfError(plain->Send(KeyOf("k0"), {}, Tensor::Scalar(1.0), false));
  } else if (how == "receive") {
    ThrowIfError(plain->Send(KeyOf("k9"), {}, Tensor::Scalar(1.0), false));
    plain->RecvAsync(KeyOf("k9"), {},
                     WithStatus([&](const Status& status) { drop(count - 1, status); }));
  } else {
    rendezvous.reset();
  }
  const auto num_codes = [&codes] {
    size_t sum = 0;
    for (const auto& of_one : codes) sum += of_one.size();
    return static_cast<int>(sum);
  };
  const int before = num_codes();
  manager.StartCancel();
  return {codes, num_codes() - before};
}

// So many Recvs of one manager wait, each under a key of its own, and are cancelled. The
// first that is sends two tensors to each of the others, by the same manager. What comes
// under each key: to the Recv that waits there, and to those who ask for it later.
inline std::vector<std::vector<double>> SentWhileCancelled(int count) {
  const auto rendezvous = NewRendezvous();
  CancellationManager manager;
  std::vector<std::vector<double>> received(count);
  const auto key_of = [](int i) { return KeyOf(StrCat('k', i)); };
  const auto receive = [&](int i, const Rendezvous::Args& args, const auto& work) {
    const auto done = [&received, i, work](const Status& status, const Rendezvous::Args&,
                                           const Rendezvous::Args&, const Tensor& value,
                                           bool) {
      RequireWritten(status);
      if (status.ok()) received[i].push_back(value.scalar<double>());
      work();
    };
    rendezvous->RecvAsync(key_of(i), args, done);
  };
  bool is_first = true;
  for (int i = 0; i < count; ++i) {
    receive(i, {.cancellation = &manager}, [&, i] {
      if (!std::exchange(is_first, false)) return;
      for (int other = 0; other < count; ++other) {
        for (int n = 1; n <= 2 && other != i; ++n) {
          ThrowIfError(rendezvous->Send(key_of(other), {.cancellation = &manager},
                                        Tensor::Scalar(double{1} * n), false));
        }
      }
    });
  }
  manager.StartCancel();
  for (int i = 0; i < 2 * count; ++i) receive(i % count, {}, [] {});
  rendezvous->StartAbort(errors::Aborted("that was all"));
  return received;
}

// A Recv is ended by `how`. Its callback ends the manager and makes another one at the
// same place, for a Recv of another step; then that is cancelled. The codes of both.
inline Codes NextManager(const std::string& how) {
  const auto first = NewRendezvous();
  const auto second = NewRendezvous();
  std::optional<CancellationManager> manager(std::in_place);
  Codes codes(2);
  const auto note = [&codes](int i, const Status& status) {
    codes[i].push_back(static_cast<int>(status.code()));
  };
  first->RecvAsync(
      KeyOf("a"), {.cancellation = &*manager}, WithStatus([&](const Status& status) {
        note(0, status);
        manager.emplace();
        second->RecvAsync(KeyOf("b"), {.cancellation = &*manager},
                          WithStatus([note](const Status& other) { note(1, other); }));
      }));
  if (how == "abort") {
    first->StartAbort(errors::OutOfRange("all is over"));
  } else {
    ThrowIfError(first->Send(KeyOf("a"), {}, Tensor::Scalar(1.0), false));
  }
  manager->StartCancel();
  second->StartAbort(errors::Aborted("it was not cancelled"));
  return codes;
}

// A manager whose lock can be held: a callback that is destroyed under it holds it.
class BusyManager {
 public:
  ~BusyManager() { LetGo(); }

  CancellationManager* get() { return &manager_; }

  void Hold() {
    auto holder = std::make_shared<Holder>();
    std::future<void> held = holder->held.get_future();
    released_ = &holder->released;
    const auto token = manager_.NewToken();
    static_cast<void>(manager_.RegisterCallback(token, [h = std::move(holder)] {}));
    thread_ = std::thread([this, token] { manager_.DeregisterCallback(token); });
    held.wait();
  }
  void LetGo() {
    if (!thread_.joinable()) return;
    released_->set_value();
    thread_.join();
  }

 private:
  struct Holder {
    std::promise<void> held;
    std::promise<void> released;
    ~Holder() {
      held.set_value();
      released.get_future().wait();
    }
  };

  CancellationManager manager_;
  std::promise<void>* released_ = nullptr;
  std::thread thread_;
};

// So many Recvs wait, whose callbacks hold the rendezvous, and nobody else does: the last
// one that goes takes it along. What ends them is `how`: a cancellation, an abort, or a
// Send for each. The codes that each got, and whether the rendezvous is gone.
inline std::pair<Codes, bool> HeldByCallbacks(const std::string& how, int count) {
  NewRendezvous()->StartAbort(errors::Aborted("a try"));  // throws if it is not written
  CancellationManager manager;
  Codes codes(count);
  std::shared_ptr<Rendezvous> rendezvous = NewLocalRendezvous();
  Rendezvous* const plain = rendezvous.get();
  const std::weak_ptr<Rendezvous> gone = rendezvous;
  for (int i = 0; i < count; ++i) {
    plain->RecvAsync(KeyOf("k"), {.cancellation = &manager},
                     WithStatus([&codes, i, rendezvous](const Status& status) {
                       codes[i].push_back(static_cast<int>(status.code()));
                     }));
  }
  rendezvous.reset();
  if (how == "send") {
    for (int i = 0; i < count; ++i) {
      ThrowIfError(plain->Send(KeyOf("k"), {}, Tensor::Scalar(1.0), false));
    }
  } else if (how == "abort") {
    plain->StartAbort(errors::OutOfRange("all is over"));
  } else {
    manager.StartCancel();
  }
  return {codes, gone.expired()};
}

// Sends, receives, or ends what waits under the key k.
inline void DoOne(const std::string& how, Rendezvous* rendezvous,
                  CancellationManager* manager) {
  if (how == "abort") {
    rendezvous->StartAbort(errors::OutOfRange("all is over"));
  } else if (how == "cancel") {
    manager->StartCancel();
  } else if (how == "receive") {
    rendezvous->RecvAsync(KeyOf("r"), {}, WithStatus(DoNothing));
  } else {
    ThrowIfError(rendezvous->Send(KeyOf("k"), {}, Tensor::Scalar(1.0), false));
  }
}

// A thread sends, or aborts, while another one holds the lock of the manager for as long
// as this takes: whether the rendezvous can be used meanwhile.
inline bool IsFreeWhileItForgets(const std::string& how) {
  const auto rendezvous = NewRendezvous();
  BusyManager manager;
  rendezvous->RecvAsync(KeyOf("k"), {.cancellation = manager.get()},
                        WithStatus(DoNothing));
  manager.Hold();
  std::future<void> ended = std::async(
      std::launch::async, [&] { DoOne(how, rendezvous.get(), manager.get()); });
  LockProbe probe;
  bool is_free = true;
  const auto is_taken_out = [&] { return rendezvous->activity().waiting_keys.empty(); };
  for (int i = 0; is_free && i < 200; ++i) {
    is_free = probe.IsFree(*rendezvous);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (is_free && is_taken_out()) break;
  }
  if (is_free) is_free = probe.IsFree(*rendezvous);
  manager.LetGo();
  ended.get();
  return is_free;
}

// One thread registers its Recv with a manager that lets it wait, and holds the lock of
// the rendezvous meanwhile; another one sends, receives, cancels or aborts: whether the
// lock is held, and whether that waits for it.
inline std::pair<bool, bool> WaitsForTheLock(const std::string& how) {
  const auto rendezvous = NewRendezvous();
  CancellationManager manager;
  BusyManager busy;
  rendezvous->RecvAsync(KeyOf("k"), {.cancellation = &manager}, WithStatus(DoNothing));
  busy.Hold();
  std::future<void> waits = std::async(std::launch::async, [&] {
    rendezvous->RecvAsync(KeyOf("w"), {.cancellation = busy.get()},
                          WithStatus(DoNothing));
  });
  LockProbe probe;
  const auto is_held = [&] {
    for (int i = 0; i < 3; ++i) {
      if (probe.IsFree(*rendezvous, std::chrono::milliseconds(60))) return false;
    }
    return true;
  };
  bool was_held = false;
  for (int i = 0; !was_held && i < 1000; ++i) {
    was_held = is_held();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::future<void> done =
      std::async(std::launch::async, [&] { DoOne(how, rendezvous.get(), &manager); });
  const auto a_while = std::chrono::milliseconds(60);
  const bool is_early = done.wait_for(a_while) == std::future_status::ready;
  const bool has_passed = is_early && is_held();
  busy.LetGo();
  waits.get();
  done.get();
  rendezvous->StartAbort(errors::Aborted("that was all"));
  return {was_held, !has_passed};
}

// Whether a tensor that was sent is the sender's alone again: after `how`.
inline bool IsLetGo(const std::string& how) {
  const auto rendezvous = NewRendezvous();
  const Tensor value = Tensor::Scalar(1.0);
  const auto receive = [&](const std::string& key) {
    rendezvous->RecvAsync(KeyOf(key), {}, WithStatus(DoNothing));
  };
  if (how == "received later") receive("a");
  ThrowIfError(rendezvous->Send(KeyOf("a"), {}, value, false));
  if (how == "received") receive("a");
  if (how != "aborted") return value.OwnsBuffer();
  ThrowIfError(rendezvous->Send(KeyOf("a"), {}, value, false));
  ThrowIfError(rendezvous->Send(KeyOf("b"), {}, value, false));
  receive("c");
  rendezvous->StartAbort(errors::OutOfRange("all is over"));
  return value.OwnsBuffer();
}

// Bytes of the process that are in use.
inline double BytesInUse() {
#if defined(__GLIBC__)
  return static_cast<double>(mallinfo2().uordblks);
#else
  return 0;
#endif
}

// How many bytes stay in use for each Recv of a long step, which all end by `how`.
inline double BytesLeft(const std::string& how, int count) {
  NewRendezvous()->StartAbort(errors::Aborted("a try"));  // throws if it is not written
  CancellationManager manager;
  const auto step = NewRendezvous();
  const auto once = [&] {
    const auto send = [&] {
      ThrowIfError(step->Send(KeyOf("k"), {}, Tensor::Scalar(1.0), false));
    };
    if (how == "sent before") send();
    step->RecvAsync(KeyOf("k"), {.cancellation = &manager}, WithStatus(DoNothing));
    if (how == "sent later") send();
  };
  if (how != "abort") once();
  const double before = BytesInUse();
  for (int i = 0; i < count; ++i) once();
  if (how == "abort") step->StartAbort(errors::OutOfRange("all is over"));
  return (BytesInUse() - before) / count;
}

}  // namespace minitf
