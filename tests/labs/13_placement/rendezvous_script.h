// Rendezvous by scripts: one action after the other, and which callbacks each leads to.

#pragma once

#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <pybind11/pybind11.h>

#include "minitf/framework/cancellation.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/rendezvous.h"
#include "tests/labs/graph_script.h"

namespace minitf {

inline constexpr auto kProcess = "/job:localhost/replica:0/task:0/device:";

inline Rendezvous::ParsedKey KeyOf(const std::string& edge,
                                   const std::string& from = "CPU:0",
                                   const std::string& to = "CPU:1") {
  Rendezvous::ParsedKey key;
  ThrowIfError(Rendezvous::ParseKey(
      Rendezvous::CreateKey(kProcess + from, 1, kProcess + to, edge, {}), &key));
  return key;
}

// Kept for ever: when one goes, it ends what waits, and there must be no error then.
inline std::shared_ptr<Rendezvous> NewRendezvous() {
  static auto* const all = new std::vector<std::shared_ptr<Rendezvous>>;
  all->push_back(NewLocalRendezvous());
  return all->back();
}

inline void RequireWritten(const Status& status) {
  if (status.message().find("is not written yet") == std::string::npos) return;
  throw std::logic_error(status.message());
}

// Looks from another thread whether the lock of a rendezvous is free.
class LockProbe {
 public:
  ~LockProbe() {
    for (std::thread& thread : threads_) thread.join();
  }

  bool IsFree(const Rendezvous& rendezvous,
              std::chrono::milliseconds patience = std::chrono::seconds(1)) {
    auto looked = std::make_shared<std::promise<void>>();
    std::future<void> done = looked->get_future();
    threads_.emplace_back([&rendezvous, looked] {
      static_cast<void>(rendezvous.activity());
      looked->set_value();
    });
    return done.wait_for(patience) == std::future_status::ready;
  }

 private:
  std::vector<std::thread> threads_;
};

// Does one thing after the other with rendezvous, and notes what comes of it.
class Script {
 public:
  pybind11::list Run(const pybind11::list& actions) {
    pybind11::list results;
    for (const pybind11::handle handle : actions) {
      events_.clear();
      Do(handle.cast<pybind11::dict>());
      pybind11::list events;
      for (const auto& [tag, code, message, value, is_dead, sender, receiver] : events_) {
        events.append(
            pybind11::make_tuple(tag, code, message, value, is_dead, sender, receiver));
      }
      results.append(events);
    }
    return results;
  }

 private:
  struct Event {
    std::string tag;
    int code = 0;
    std::string message;
    std::optional<double> value;
    bool is_dead = false;
    int sender = 0;
    int receiver = 0;
  };

  // The arguments of a Send or a Recv, told apart by a number; 0 is that of none.
  Rendezvous::Args ArgsOf(const pybind11::dict& action) {
    Rendezvous::Args args;
    if (const auto manager = MemberOf<std::string>(action, "manager"); !manager.empty()) {
      args.cancellation = &managers_[manager];
    }
    const int number = MemberOf<int>(action, "number");
    if (number != 0) args.device = &contexts_[number];
    return args;
  }
  int NumberOf(const Rendezvous::Args& args) const {
    for (const auto& [number, context] : contexts_) {
      if (args.device == &context) return number;
    }
    return args.device == nullptr ? 0 : -1;
  }

  void Note(const std::string& tag, const Status& status, const Tensor& value,
            bool is_dead) {
    RequireWritten(status);
    std::optional<double> number;
    if (value.has_value()) number = value.scalar<double>();
    events_.push_back(
        {tag, static_cast<int>(status.code()), status.message(), number, is_dead});
  }

  Rendezvous& StepAt(int number) {
    auto& step = steps_[number];
    if (step == nullptr) step = NewRendezvous();
    return *step;
  }

  void Send(const pybind11::dict& action) {
    const bool is_dead = MemberOf<bool>(action, "dead");
    const auto number = MemberOf<std::optional<double>>(action, "value");
    const Tensor value = is_dead || !number ? Tensor() : Tensor::Scalar(*number);
    const auto key = MemberOf<std::string>(action, "key");
    const Status status = StepAt(MemberOf<int>(action, "step"))
                              .Send(KeyOf(key), ArgsOf(action), value, is_dead);
    Note("send", status, {}, false);
  }

  // What came is sent on by the callback, under the key `then`; and the actions `inside`
  // are done there. No lock may be held then.
  void Receive(const pybind11::dict& action) {
    Rendezvous* step = &StepAt(MemberOf<int>(action, "step"));
    const auto done = [this, step, tag = MemberOf<std::string>(action, "tag"),
                       then = MemberOf<std::string>(action, "then"),
                       inside = MemberOf<pybind11::list>(action, "inside")](
                          const Status& status, const Rendezvous::Args& send_args,
                          const Rendezvous::Args& recv_args, const Tensor& value,
                          bool is_dead) {
      Note(tag, status, value, is_dead);
      events_.back().sender = NumberOf(send_args);
      events_.back().receiver = NumberOf(recv_args);
      if (then.empty() && inside.empty()) return;
      if (!probe_.IsFree(*step)) {
        events_.push_back({"the lock is held while the callback runs", 1, "", {}, false});
        return;
      }
      if (!then.empty() && status.ok()) {
        Note("send", step->Send(KeyOf(then), {}, value, is_dead), {}, false);
      }
      for (const pybind11::handle next : inside) Do(next.cast<pybind11::dict>());
    };
    step->RecvAsync(KeyOf(MemberOf<std::string>(action, "key")), ArgsOf(action), done);
  }

  void Do(const pybind11::dict& action) {
    const auto what = MemberOf<std::string>(action, "do");
    const int step = MemberOf<int>(action, "step");
    if (what == "send") return Send(action);
    if (what == "recv") return Receive(action);
    if (what == "cancel") {
      return managers_[MemberOf<std::string>(action, "manager")].StartCancel();
    }
    if (what == "abort") {
      return StepAt(step).StartAbort(
          Status(static_cast<Code>(MemberOf<int>(action, "code")),
                 MemberOf<std::string>(action, "message")));
    }
    const Rendezvous::Activity activity = StepAt(step).activity();
    for (const std::string& key : activity.waiting_keys) {
      Rendezvous::ParsedKey parsed;
      ThrowIfError(Rendezvous::ParseKey(key, &parsed));
      events_.push_back({std::string(parsed.edge_name), 0, "", {}, false});
    }
    events_.push_back({"events", static_cast<int>(activity.num_events), "", {}, false});
  }

  std::map<std::string, CancellationManager> managers_;
  std::map<int, DeviceContext> contexts_;  // never looked into, but for their addresses
  std::map<int, std::shared_ptr<Rendezvous>> steps_;
  std::vector<Event> events_;
  LockProbe probe_;
};

}  // namespace minitf
