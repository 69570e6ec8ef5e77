// LocalRendezvous: a table of the tensors that were sent, and of the Recvs that wait.
//
// Under each key stands a queue. It holds either tensors that no Recv has taken yet, or
// callbacks for which nothing has been sent yet, never both; so a Send or a Recv either
// finds a partner at the front of the queue, or takes a place at its end.
//
//   Send  ->  key  [recv recv recv]      the first recv gets the tensor
//   Recv  ->  key  [send send]           takes the first tensor
//
// No callback is ever called under the lock: it may run the rest of the step, call the
// rendezvous again, or even destroy it.
//
// Exercise   exercises/13_placement
// Compare    tensorflow/core/framework/rendezvous.cc

#include <algorithm>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "minitf/base/logging.h"
#include "minitf/base/text.h"
#include "minitf/framework/cancellation.h"
#include "minitf/framework/rendezvous.h"
#include "minitf/runtime/rendezvous_watchdog.h"

namespace minitf {
namespace {

class LocalRendezvous final : public Rendezvous,
                              public std::enable_shared_from_this<LocalRendezvous> {
 public:
  ~LocalRendezvous() override {
    StartAbort(errors::Cancelled("the rendezvous is gone: its step has ended"));
  }

  Status Send(const ParsedKey& key, const Args& args, const Tensor& value,
              bool is_dead) override;
  void RecvAsync(const ParsedKey& key, const Args& args, DoneCallback done) override;
  void StartAbort(const Status& status) override;
  Activity activity() const override;

 private:
  // What waits: a tensor if `done` is empty, else a Recv.
  struct Item {
    Args args;
    Tensor value;
    bool is_dead = false;
    DoneCallback done;
    CancellationManager::Token token = 0;

    bool is_recv() const { return done != nullptr; }
  };
  using Queue = std::list<Item>;
  using Table = std::unordered_map<std::string, Queue>;

  // Takes out the front of `queue` if it is a Recv (or else a tensor); an empty list if
  // it is not. Requires: the lock is held.
  Queue TakeFront(Table::iterator queue, bool recv);
  // Puts a Recv at the end of its queue. False, and nothing is done, if it has been
  // cancelled already. Requires: the lock is held; nothing that was sent is in the queue.
  bool Wait(const ParsedKey& key, const Args& args, DoneCallback* done);
  void CancelRecv(const std::string& key, const CancellationManager* manager,
                  CancellationManager::Token token);
  static void ForgetCancellation(const Item& recv);

  mutable std::mutex mutex_;  // guards what follows
  Table table_;
  Status aborted_;
  int64_t num_events_ = 0;
};

LocalRendezvous::Queue LocalRendezvous::TakeFront(Table::iterator queue, bool recv) {
  Queue front;
  // LAB(13.9) begin: move the first item of the queue to `front`, if it is such a one
  if (queue == table_.end() || queue->second.front().is_recv() != recv) return front;
  front.splice(front.begin(), queue->second, queue->second.begin());
  if (queue->second.empty()) table_.erase(queue);
  // LAB(13.9) end
  return front;
}

// After this the callback that CancelRecv would come from does not run any more, or does
// nothing. It may run just now, in the thread that called this: then there is no waiting.
void LocalRendezvous::ForgetCancellation(const Item& recv) {
  // LAB(13.10) begin: deregister the callback, unless the manager is cancelled already
  CancellationManager* cancellation = recv.args.cancellation;
  if (cancellation == nullptr || cancellation->is_cancelled()) return;
  cancellation->DeregisterCallback(recv.token);
  // LAB(13.10) end
}

Status LocalRendezvous::Send(const ParsedKey& key, const Args& args, const Tensor& value,
                             bool is_dead) {
  // LAB(13.9) begin: hand the value to the first Recv that waits, or leave it here
  Queue waiting;
  {
    const std::lock_guard lock(mutex_);
    if (!aborted_.ok()) return aborted_;
    ++num_events_;
    waiting = TakeFront(table_.find(key.full_key), /*recv=*/true);
    if (waiting.empty()) {
      table_[key.full_key].push_back({args, value, is_dead, nullptr, 0});
      return {};
    }
  }
  const Item& recv = waiting.front();
  ForgetCancellation(recv);
  recv.done({}, args, recv.args, value, is_dead);
  return {};
  // LAB(13.9) end
}

bool LocalRendezvous::Wait(const ParsedKey& key, const Args& args, DoneCallback* done) {
  CancellationManager::Token token = 0;
  // LAB(13.10) begin: with a manager, have it call CancelRecv; false if it is cancelled
  if (args.cancellation != nullptr) {
    token = args.cancellation->NewToken();
    const auto cancel = [self = weak_from_this(), key = key.full_key,
                         manager = args.cancellation, token] {
      if (const auto alive = self.lock()) alive->CancelRecv(key, manager, token);
    };
    if (!args.cancellation->RegisterCallback(token, cancel)) return false;
  }
  // LAB(13.10) end
  table_[key.full_key].push_back({args, {}, false, std::move(*done), token});
  return true;
}

void LocalRendezvous::RecvAsync(const ParsedKey& key, const Args& args,
                                DoneCallback done) {
  // LAB(13.9) begin: give `done` what was sent first, or the reason; or Wait
  Queue sent;
  Status failure;
  {
    const std::lock_guard lock(mutex_);
    failure = aborted_;
    if (failure.ok()) {
      ++num_events_;
      sent = TakeFront(table_.find(key.full_key), /*recv=*/false);
    }
    if (failure.ok() && sent.empty()) {
      if (Wait(key, args, &done)) return;
      failure = errors::Cancelled("the step was cancelled before a Recv could wait for ",
                                  key.edge_name);
    }
  }
  if (!failure.ok()) {
    done(failure, {}, args, {}, false);
  } else {
    Item& item = sent.front();
    done({}, item.args, args, std::move(item.value), item.is_dead);
  }
  // LAB(13.9) end
}

// Tokens are numbers of their manager: two Recvs of different managers may have one.
void LocalRendezvous::CancelRecv(const std::string& key,
                                 const CancellationManager* manager,
                                 CancellationManager::Token token) {
  // LAB(13.10) begin: take the Recv out of its queue, if it is still there, and end it
  Queue cancelled;
  {
    const std::lock_guard lock(mutex_);
    const auto queue = table_.find(key);
    if (queue == table_.end()) return;
    const auto recv = std::ranges::find_if(queue->second, [&](const Item& item) {
      return item.is_recv() && item.args.cancellation == manager && item.token == token;
    });
    if (recv == queue->second.end()) return;
    cancelled.splice(cancelled.begin(), queue->second, recv);
    if (queue->second.empty()) table_.erase(queue);
  }
  const Item& recv = cancelled.front();
  recv.done(errors::Cancelled("a Recv was cancelled while it waited under the key ", key),
            {}, recv.args, {}, false);
  // LAB(13.10) end
}

void LocalRendezvous::StartAbort(const Status& status) {
  const Status reason =
      status.ok() ? errors::Internal("aborted without a reason") : status;
  // LAB(13.10) begin: note the reason, empty the table, and end every Recv in it
  Table table;
  {
    const std::lock_guard lock(mutex_);
    if (!aborted_.ok()) return;
    aborted_ = reason;
    std::swap(table, table_);
  }
  for (const auto& [key, queue] : table) {
    for (const Item& item : queue) {
      if (!item.is_recv()) continue;
      ForgetCancellation(item);
      item.done(reason, {}, item.args, {}, false);
    }
  }
  // LAB(13.10) end
}

Rendezvous::Activity LocalRendezvous::activity() const {
  const std::lock_guard lock(mutex_);
  Activity activity;
  activity.num_events = num_events_;
  for (const auto& [key, queue] : table_) {
    if (queue.front().is_recv()) activity.waiting_keys.push_back(key);
  }
  std::ranges::sort(activity.waiting_keys);
  return activity;
}

#ifndef NDEBUG
// Reports what has waited for 10 s while nothing came or went.
RendezvousWatchdog& ProcessWatchdog() {
  static auto* watchdog = new RendezvousWatchdog(
      std::chrono::seconds(10), [](const std::vector<std::string>& keys) {
        LogLine(__FILE__, __LINE__).stream()
            << "nothing has been sent or received for 10 s; these wait to receive:\n  "
            << Join(keys, "\n  ");
      });
  return *watchdog;
}
#endif

}  // namespace

std::shared_ptr<Rendezvous> NewLocalRendezvous() {
  auto rendezvous = std::make_shared<LocalRendezvous>();
#ifndef NDEBUG
  ProcessWatchdog().Watch(rendezvous);
#endif
  return rendezvous;
}

}  // namespace minitf
