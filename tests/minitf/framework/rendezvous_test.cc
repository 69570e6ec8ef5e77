// The local rendezvous: who comes first, who gives up, and in which order things arrive.
// Also the keys. A test that waits does so for events, and fails after a generous time.

#include "minitf/framework/rendezvous.h"

#include <atomic>
#include <chrono>
#include <future>
#include <latch>
#include <random>
#include <thread>

#include "gtest/gtest.h"
#include "minitf/base/thread_pool.h"
#include "minitf/framework/cancellation.h"
#include "minitf/runtime/rendezvous_watchdog.h"

namespace minitf {
namespace {

using Key = Rendezvous::ParsedKey;

constexpr int64_t kLongMs = 60'000;

Key KeyOf(const std::string& edge) {
  Key key;
  ThrowIfError(Rendezvous::ParseKey(
      Rendezvous::CreateKey("/job:mnist/replica:1/task:2/CPU:0", 7890,
                            "/job:mnist/replica:1/task:2/device:GPU:0", edge, {}),
      &key));
  return key;
}

Tensor Text(const std::string& text) { return Tensor::Scalar(text); }
std::string TextOf(const Tensor& tensor) { return tensor.scalar<std::string>(); }

// What a Recv has got.
struct Received {
  Status status;
  Tensor value;
  bool is_dead = false;
};

class LocalRendezvousTest : public ::testing::Test {
 protected:
  Status Send(const Key& key, const std::string& text, bool is_dead = false) {
    return rendezvous_->Send(key, {}, Text(text), is_dead);
  }

  std::future<Received> RecvLater(const Key& key, const Rendezvous::Args& args = {}) {
    auto promise = std::make_shared<std::promise<Received>>();
    rendezvous_->RecvAsync(
        key, args,
        [promise](const Status& status, const Rendezvous::Args&, const Rendezvous::Args&,
                  const Tensor& value, bool is_dead) {
          promise->set_value({status, value, is_dead});
        });
    return promise->get_future();
  }

  std::string Recv(const Key& key) {
    Tensor value;
    bool is_dead = false;
    ThrowIfError(rendezvous_->Recv(key, {}, &value, &is_dead, kLongMs));
    return TextOf(value);
  }

  std::shared_ptr<Rendezvous> rendezvous_ = NewLocalRendezvous();
};

Received Get(std::future<Received>* future) {
  const auto limit = std::chrono::milliseconds(kLongMs);
  if (future->wait_for(limit) != std::future_status::ready) {
    return {errors::DeadlineExceeded("the test waited in vain"), {}, false};
  }
  return future->get();
}

TEST_F(LocalRendezvousTest, SendRecv) {
  ThrowIfError(Send(KeyOf("foo"), "hello"));
  EXPECT_EQ(Recv(KeyOf("foo")), "hello");
}

TEST_F(LocalRendezvousTest, RecvSend) {
  std::thread sender([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ThrowIfError(Send(KeyOf("foo"), "hello"));
  });
  EXPECT_EQ(Recv(KeyOf("foo")), "hello");
  sender.join();
}

TEST_F(LocalRendezvousTest, PingPong) {
  std::thread other([&] {
    for (int i = 0; i < 100; ++i) {
      ThrowIfError(Send(KeyOf("pong"), Recv(KeyOf("ping")) + "!"));
    }
  });
  for (int i = 0; i < 100; ++i) {
    ThrowIfError(Send(KeyOf("ping"), std::to_string(i)));
    EXPECT_EQ(Recv(KeyOf("pong")), std::to_string(i) + "!");
  }
  other.join();
}

// Ends when both sides have come to each of many keys, in random orders.
TEST_F(LocalRendezvousTest, RandomSendRecv) {
  constexpr int kNumKeys = 300;
  ThreadPool threads(4);
  std::atomic<int> num_right = 0;
  std::latch all_done(2 * kNumKeys);
  std::vector<std::function<void()>> work;
  for (int i = 0; i < kNumKeys; ++i) {
    const Key key = KeyOf(std::to_string(i));
    const std::string text = std::to_string(i * i);
    work.emplace_back([this, key, text, &all_done] {
      ThrowIfError(Send(key, text));
      all_done.count_down();
    });
    work.emplace_back([this, key, text, &all_done, &num_right] {
      rendezvous_->RecvAsync(key, {},
                             [&all_done, &num_right, text](
                                 const Status& status, const Rendezvous::Args&,
                                 const Rendezvous::Args&, const Tensor& value, bool) {
                               if (status.ok() && TextOf(value) == text) ++num_right;
                               all_done.count_down();
                             });
    });
  }
  std::ranges::shuffle(work, std::mt19937(1));
  for (auto& item : work) threads.Schedule(std::move(item));
  all_done.wait();
  EXPECT_EQ(num_right, kNumKeys);
}

TEST_F(LocalRendezvousTest, MultiSends) {
  constexpr int kNumSends = 100;
  std::thread sender([&] {
    for (int i = 0; i < kNumSends; ++i) {
      ThrowIfError(Send(KeyOf("foo"), std::to_string(i)));
    }
  });
  for (int i = 0; i < kNumSends; ++i) EXPECT_EQ(Recv(KeyOf("foo")), std::to_string(i));
  sender.join();
}

TEST_F(LocalRendezvousTest, ReceiversOfOneKeyAreServedInTheirOrder) {
  std::vector<std::future<Received>> waiting;
  for (int i = 0; i < 100; ++i) waiting.push_back(RecvLater(KeyOf("foo")));
  for (int i = 0; i < 100; ++i) ThrowIfError(Send(KeyOf("foo"), std::to_string(i)));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(TextOf(Get(&waiting[i]).value), StrCat(i));
}

// In one thread: were any of them to wait, the test would never end.
TEST_F(LocalRendezvousTest, AThousandSendsWithoutAReceiverReturnAtOnce) {
  for (int i = 0; i < 1000; ++i) {
    ThrowIfError(Send(KeyOf(std::to_string(i)), std::to_string(i)));
  }
  EXPECT_EQ(Recv(KeyOf("999")), "999");
  EXPECT_EQ(rendezvous_->activity().num_events, 1001);
}

// A wait is a callback in a table, and takes no thread: all in one thread, so.
TEST_F(LocalRendezvousTest, AThousandReceiversHoldNoThread) {
  std::vector<std::future<Received>> waiting;
  for (int i = 0; i < 1000; ++i) waiting.push_back(RecvLater(KeyOf(std::to_string(i))));
  EXPECT_EQ(rendezvous_->activity().waiting_keys.size(), 1000);
  for (int i = 0; i < 1000; ++i) ThrowIfError(Send(KeyOf(std::to_string(i)), StrCat(i)));
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(TextOf(Get(&waiting[i]).value), StrCat(i));
  EXPECT_TRUE(rendezvous_->activity().waiting_keys.empty());
}

TEST_F(LocalRendezvousTest, ADeadTensorArrivesDead) {
  ThrowIfError(Send(KeyOf("foo"), "no value", /*is_dead=*/true));
  auto received = RecvLater(KeyOf("foo"));
  EXPECT_TRUE(Get(&received).is_dead);
}

TEST_F(LocalRendezvousTest, DifferentEdgesFramesAndIncarnationsNeverMeet) {
  const auto key_of = [](uint64_t incarnation, FrameAndIter frame_iter) {
    Key key;
    ThrowIfError(Rendezvous::ParseKey(
        Rendezvous::CreateKey("/job:a/replica:0/task:0/cpu:0", incarnation,
                              "/job:a/replica:0/task:0/cpu:1", "e", frame_iter),
        &key));
    return key;
  };
  ThrowIfError(Send(key_of(1, {}), "one"));
  ThrowIfError(Send(key_of(2, {}), "two"));
  ThrowIfError(Send(key_of(1, {0, 1}), "next round"));
  ThrowIfError(Send(key_of(1, {1, 0}), "other loop"));
  EXPECT_EQ(Recv(key_of(1, {1, 0})), "other loop");
  EXPECT_EQ(Recv(key_of(1, {0, 1})), "next round");
  EXPECT_EQ(Recv(key_of(2, {})), "two");
  EXPECT_EQ(Recv(key_of(1, {})), "one");
}

// ---- Giving up ------------------------------------------------------------------------

TEST_F(LocalRendezvousTest, RecvAbort) {
  std::vector<std::future<Received>> waiting;
  for (int i = 0; i < 10; ++i) waiting.push_back(RecvLater(KeyOf(std::to_string(i % 3))));
  rendezvous_->StartAbort(errors::Aborted("the other side failed"));
  for (auto& future : waiting) {
    const Received received = Get(&future);
    EXPECT_EQ(received.status.code(), Code::kAborted);
    EXPECT_EQ(received.status.message(), "the other side failed");
  }
}

TEST_F(LocalRendezvousTest, RecvSleepAbort) {
  std::thread aborter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    rendezvous_->StartAbort(errors::Aborted("too late"));
  });
  Tensor value;
  bool is_dead = false;
  const Status status = rendezvous_->Recv(KeyOf("foo"), {}, &value, &is_dead, kLongMs);
  EXPECT_EQ(status.message(), "too late");
  aborter.join();
}

TEST_F(LocalRendezvousTest, AbortThenRecvOrSend) {
  ThrowIfError(Send(KeyOf("foo"), "sent before"));
  rendezvous_->StartAbort(errors::Aborted("first"));
  rendezvous_->StartAbort(errors::Aborted("second"));
  EXPECT_EQ(Send(KeyOf("foo"), "hello").message(), "first");
  auto received = RecvLater(KeyOf("foo"));
  EXPECT_EQ(Get(&received).status.message(), "first");
}

TEST_F(LocalRendezvousTest, TheEndOfARendezvousWakesWhoWaits) {
  auto received = RecvLater(KeyOf("foo"));
  rendezvous_.reset();
  EXPECT_EQ(Get(&received).status.code(), Code::kCancelled);
}

TEST_F(LocalRendezvousTest, CancelBeforeRecv) {
  CancellationManager manager;
  manager.StartCancel();
  auto received = RecvLater(KeyOf("foo"), {nullptr, &manager});
  EXPECT_EQ(Get(&received).status.code(), Code::kCancelled);
}

// What is there already is handed out even then: there is nothing to wait for.
TEST_F(LocalRendezvousTest, CancelAfterSendStillReceives) {
  CancellationManager manager;
  ThrowIfError(Send(KeyOf("foo"), "hello"));
  manager.StartCancel();
  auto received = RecvLater(KeyOf("foo"), {nullptr, &manager});
  EXPECT_EQ(TextOf(Get(&received).value), "hello");
}

TEST_F(LocalRendezvousTest, CancelWhileWaitingTouchesNobodyElse) {
  CancellationManager manager;
  auto stays = RecvLater(KeyOf("foo"));
  auto goes = RecvLater(KeyOf("foo"), {nullptr, &manager});
  auto stays_too = RecvLater(KeyOf("foo"));
  manager.StartCancel();
  EXPECT_EQ(Get(&goes).status.code(), Code::kCancelled);
  ThrowIfError(Send(KeyOf("foo"), "1"));
  ThrowIfError(Send(KeyOf("foo"), "2"));
  EXPECT_EQ(TextOf(Get(&stays).value), "1");
  EXPECT_EQ(TextOf(Get(&stays_too).value), "2");
}

TEST_F(LocalRendezvousTest, CancelAfterRecvDoesNothing) {
  CancellationManager manager;
  auto received = RecvLater(KeyOf("foo"), {nullptr, &manager});
  ThrowIfError(Send(KeyOf("foo"), "hello"));
  manager.StartCancel();
  EXPECT_EQ(TextOf(Get(&received).value), "hello");
}

TEST_F(LocalRendezvousTest, CancelAndSendAtOnceGiveOneAnswer) {
  for (int i = 0; i < 200; ++i) {
    CancellationManager manager;
    auto received = RecvLater(KeyOf("foo"), {nullptr, &manager});
    std::thread canceller([&] { manager.StartCancel(); });
    ThrowIfError(Send(KeyOf("foo"), "hello"));
    canceller.join();
    const Received got = Get(&received);
    // Whichever came first. If it was the cancellation, the tensor is still there.
    if (got.status.ok()) {
      EXPECT_EQ(TextOf(got.value), "hello");
    } else {
      EXPECT_EQ(got.status.code(), Code::kCancelled);
      EXPECT_EQ(Recv(KeyOf("foo")), "hello");
    }
  }
}

TEST_F(LocalRendezvousTest, ABlockingRecvEndsWhenItsStepIsCancelled) {
  for (const int64_t timeout_ms : {int64_t{-1}, kLongMs}) {
    CancellationManager manager;
    std::thread canceller([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      manager.StartCancel();
    });
    Tensor value;
    bool is_dead = false;
    const Rendezvous::Args args{nullptr, &manager};
    const Status status =
        rendezvous_->Recv(KeyOf("foo"), args, &value, &is_dead, timeout_ms);
    EXPECT_EQ(status.code(), Code::kCancelled);
    canceller.join();
  }
}

TEST_F(LocalRendezvousTest, ARecvGivesUpAfterItsTime) {
  Tensor value;
  bool is_dead = false;
  const Status status = rendezvous_->Recv(KeyOf("foo"), {}, &value, &is_dead, 20);
  EXPECT_EQ(status.code(), Code::kDeadlineExceeded);
  // It waits no more, so the next tensor is for the next Recv.
  ThrowIfError(Send(KeyOf("foo"), "hello"));
  EXPECT_EQ(Recv(KeyOf("foo")), "hello");
}

// ---- Keys -----------------------------------------------------------------------------

constexpr auto kKey =
    "/job:mnist/replica:1/task:2/CPU:0;0000000000001ed2;"
    "/job:mnist/replica:1/task:2/device:GPU:0;var0;0:0";

TEST(RendezvousKey, IsWrittenAsTensorFlowWritesIt) {
  EXPECT_EQ(KeyOf("var0").full_key, kKey);
}

TEST(RendezvousKey, IsReadBack) {
  Key key;
  ThrowIfError(Rendezvous::ParseKey(kKey, &key));
  const Key copy = key;
  key = Key();
  EXPECT_EQ(copy.src_device, "/job:mnist/replica:1/task:2/CPU:0");
  EXPECT_EQ(copy.src_incarnation, 7890);
  EXPECT_EQ(copy.dst_device, "/job:mnist/replica:1/task:2/device:GPU:0");
  EXPECT_EQ(copy.edge_name, "var0");
  // The views look into the copy's own string.
  EXPECT_GE(copy.edge_name.data(), copy.full_key.data());
  EXPECT_LT(copy.edge_name.data(), copy.full_key.data() + copy.full_key.size());
}

TEST(RendezvousKey, WhatCannotBeOneIsRefused) {
  const std::string key = kKey;
  const std::string device = "/job:mnist/replica:1/task:2/CPU:0;";
  for (const std::string& text :
       {std::string(), std::string("foo;bar"), std::string("foo;bar;baz"),
        key + ";" + key, key + ";", key.substr(0, key.size() - 1),
        device + "1ed2;" + device + "var0;0:0",
        device + "000000000000xed2;" + device + "var0;0:0",
        device + "0000000000001ed2;/cpu:0;var0;0:0",
        device + "0000000000001ed2;" + device + ";0:0",
        device + "0000000000001ed2;" + device + "var0;0",
        device + "0000000000001ed2;" + device + "var0;0:-1", std::string(100, ';')}) {
    Key parsed;
    const Status status = Rendezvous::ParseKey(text, &parsed);
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << text;
    EXPECT_NE(status.message().find("Invalid rendezvous key: " + text),
              std::string::npos);
  }
}

// ---- The watchdog ---------------------------------------------------------------------

TEST(RendezvousWatchdog, NamesTheKeysOfAStandstill) {
  const auto rendezvous = NewLocalRendezvous();
  std::promise<std::vector<std::string>> reported;
  std::atomic<int> num_reports = 0;
  {
    RendezvousWatchdog watchdog(std::chrono::milliseconds(20),
                                [&](const std::vector<std::string>& keys) {
                                  if (++num_reports == 1) reported.set_value(keys);
                                });
    watchdog.Watch(rendezvous);
    for (const auto* edge : {"b", "a"}) {
      rendezvous->RecvAsync(KeyOf(edge), {}, [](const auto&...) {});
    }
    ThrowIfError(rendezvous->Send(KeyOf("nobody asks for this"), {}, Text(""), false));
    const std::vector<std::string> expected = {KeyOf("a").full_key, KeyOf("b").full_key};
    EXPECT_EQ(reported.get_future().get(), expected);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_EQ(num_reports, 1);
}

TEST(RendezvousWatchdog, LeavesWhatIsGoneAlone) {
  std::atomic<int> num_reports = 0;
  RendezvousWatchdog watchdog(std::chrono::milliseconds(5),
                              [&](const auto&) { ++num_reports; });
  watchdog.Watch(NewLocalRendezvous());
  const auto idle = NewLocalRendezvous();
  watchdog.Watch(idle);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(num_reports, 0);
}

}  // namespace
}  // namespace minitf
