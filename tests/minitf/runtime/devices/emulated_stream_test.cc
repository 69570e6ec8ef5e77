// Tests of streams: order within one, order between two by events, errors that stick.
//
// A closed gate in a stream shows what the stream has not done yet.

#include "minitf/runtime/devices/emulated_stream.h"

#include <atomic>
#include <future>
#include <memory>
#include <new>
#include <random>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace minitf {
namespace {

// Work that is not done before somebody opens it.
class StreamGate {
 public:
  void Close(Stream* stream) {
    stream->Enqueue([opened = opened_] {
      opened.wait();
      return Status();
    });
  }
  void Open() { open_.set_value(); }

 private:
  std::promise<void> open_;
  std::shared_future<void> opened_ = open_.get_future().share();
};

void BreakStream(Stream* stream, const char* message) {
  stream->Enqueue([message] { return errors::Internal(message); });
}

TEST(Stream, ACopyIsDoneLater) {
  EmulatedStream stream;
  StreamGate gate;
  gate.Close(&stream);
  const std::vector<int> from = {1, 2, 3};
  std::vector<int> to(3);
  stream.Copy(to.data(), from.data(), 3 * sizeof(int));
  stream.Copy(nullptr, nullptr, 0);
  const auto event = stream.Record();
  EXPECT_FALSE(event->is_done());
  EXPECT_EQ(to, std::vector<int>(3));
  gate.Open();
  EXPECT_TRUE(stream.Synchronize().ok());
  EXPECT_TRUE(event->is_done());
  EXPECT_EQ(to, from);
}

TEST(Stream, WorkIsDoneInOrder) {
  EmulatedStream stream;
  std::vector<int> done;
  std::vector<int> expected;
  for (int i = 0; i < 1000; ++i) {
    expected.push_back(i);
    if (i % 2 == 0) {
      stream.OnDone([&done, i](const Status&) { done.push_back(i); });
    } else {
      stream.Enqueue([&done, i] {
        done.push_back(i);
        return Status();
      });
    }
  }
  EXPECT_TRUE(stream.Synchronize().ok());
  EXPECT_EQ(done, expected);
}

TEST(Stream, AnEventStandsForWhatCameBeforeIt) {
  EmulatedStream stream;
  int first = 0;
  stream.Enqueue([&first] {
    first = 1;
    return Status();
  });
  const auto event = stream.Record();
  StreamGate gate;
  gate.Close(&stream);
  const auto behind = stream.Record();
  EXPECT_TRUE(event->Synchronize().ok());
  EXPECT_EQ(first, 1);
  EXPECT_FALSE(behind->is_done());
  gate.Open();
  EXPECT_TRUE(behind->Synchronize().ok());
}

TEST(Stream, TwoStreamsDoNotWaitForEachOther) {
  EmulatedStream a, b;
  StreamGate gate;
  gate.Close(&a);
  const int from = 5;
  int to = 0;
  b.Copy(&to, &from, sizeof(int));
  EXPECT_TRUE(b.Synchronize().ok());
  EXPECT_EQ(to, 5);
  gate.Open();
}

TEST(Stream, UnlessOneWaitsForAnEventOfTheOther) {
  EmulatedStream a, b;
  StreamGate gate;
  gate.Close(&a);
  const int from = 5;
  int between = 0;
  int to = 0;
  a.Copy(&between, &from, sizeof(int));
  b.WaitFor(a.Record());
  b.Copy(&to, &between, sizeof(int));
  const auto end = b.Record();
  EXPECT_FALSE(end->is_done()) << "the host does not wait, the stream does";
  gate.Open();
  EXPECT_TRUE(end->Synchronize().ok());
  EXPECT_EQ(to, 5);
}

// Of many pieces of work, on three streams, each waits for some that came before it.
TEST(Stream, EventsKeepAnyOrder) {
  std::mt19937 random(1);
  EmulatedStream streams[3];
  struct Piece {
    std::atomic<bool> is_done = false;
    std::vector<Piece*> before;
    std::shared_ptr<Event> event;
  };
  std::vector<std::unique_ptr<Piece>> pieces;
  std::atomic<int> num_too_early = 0;
  for (int i = 0; i < 2000; ++i) {
    auto piece = std::make_unique<Piece>();
    Stream& stream = streams[random() % 3];
    for (unsigned k = random() % 3; k > 0 && i > 0; --k) {
      Piece* before = pieces[random() % i].get();
      piece->before.push_back(before);
      stream.WaitFor(before->event);
    }
    stream.Enqueue([piece = piece.get(), &num_too_early] {
      for (const Piece* before : piece->before) num_too_early += !before->is_done;
      piece->is_done = true;
      return Status();
    });
    piece->event = stream.Record();
    pieces.push_back(std::move(piece));
  }
  for (EmulatedStream& stream : streams) EXPECT_TRUE(stream.Synchronize().ok());
  EXPECT_EQ(num_too_early, 0);
  for (const auto& piece : pieces) EXPECT_TRUE(piece->is_done);
}

TEST(Stream, TheFirstErrorSticks) {
  EmulatedStream stream;
  const auto before = stream.Record();
  BreakStream(&stream, "first");
  const int from = 5;
  int to = 0;
  stream.Copy(&to, &from, sizeof(int));
  BreakStream(&stream, "second");
  Status seen;
  stream.OnDone([&seen](const Status& status) { seen = status; });
  const auto behind = stream.Record();
  EXPECT_EQ(stream.Synchronize().message(), "first");
  EXPECT_EQ(stream.Synchronize().message(), "first") << "it stays";
  EXPECT_EQ(stream.status().message(), "first");
  EXPECT_EQ(to, 0) << "what is behind the error is dropped";
  EXPECT_EQ(seen.message(), "first") << "callbacks are called all the same";
  EXPECT_TRUE(before->Synchronize().ok());
  EXPECT_TRUE(behind->is_done());
  EXPECT_EQ(behind->Synchronize().message(), "first");
}

TEST(Stream, WhoeverWaitsForAnErrorHasIt) {
  EmulatedStream a, b, c;
  const auto before = a.Record();
  BreakStream(&a, "broken");
  b.WaitFor(a.Record());
  c.WaitFor(before);
  EXPECT_EQ(b.Synchronize().message(), "broken");
  EXPECT_TRUE(c.Synchronize().ok()) << "its event came before the error";
}

TEST(Stream, WhatWorkThrowsIsAnError) {
  EmulatedStream a, b;
  a.Enqueue([]() -> Status { throw Error(errors::OutOfRange("7")); });
  EXPECT_EQ(a.Synchronize().code(), Code::kOutOfRange);
  b.Enqueue([]() -> Status { throw std::bad_alloc(); });
  EXPECT_EQ(b.Synchronize().code(), Code::kResourceExhausted);
}

TEST(Stream, NoEventIsRefused) {
  EmulatedStream stream;
  EXPECT_THROW(stream.WaitFor(nullptr), Error);
  EXPECT_TRUE(stream.Synchronize().ok());
}

TEST(Stream, ItEndsWhenAllIsDone) {
  std::atomic<int> num_done = 0;
  std::shared_ptr<Event> event;
  {
    EmulatedStream stream;
    for (int i = 0; i < 100; ++i) {
      stream.Enqueue([&num_done] {
        ++num_done;
        return Status();
      });
    }
    event = stream.Record();
  }
  EXPECT_EQ(num_done, 100);
  EXPECT_TRUE(event->is_done()) << "it outlives its stream";
}

TEST(Stream, WorkThatWaitsForItsOwnStreamIsAnError) {
  EmulatedStream stream;
  stream.Enqueue([&] { return stream.Synchronize(); });
  EXPECT_EQ(stream.Synchronize().message(),
            "work of a stream must not wait for the stream");
}

TEST(Stream, ManyThreadsMayHandInWork) {
  EmulatedStream stream;
  int num_done = 0;  // the stream's thread alone touches it
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        stream.OnDone([&num_done](const Status&) { ++num_done; });
      }
      EXPECT_TRUE(stream.Synchronize().ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_done, 8000);
}

}  // namespace
}  // namespace minitf
