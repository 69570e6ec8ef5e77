// Tape: what it records, when it forgets, and gradients of values and of gradients.

#include "minitf/eager/tape.h"

#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

EagerTensor Eager(double value) { return MakeEagerTensor(Tensor::Scalar(value)); }

EagerTensor Call(std::string_view op, const std::vector<EagerTensor>& inputs) {
  return Dispatch(op, inputs)[0];
}

// dy/dx by `tape`, which must depend on it.
EagerTensor Gradient(Tape* tape, const EagerTensor& y, const EagerTensor& x) {
  return tape->Gradient({y}, {x}, {EagerTensor()})[0].at(0);
}

double ValueOf(const EagerTensor& tensor) { return tensor.tensor.scalar<double>(); }

TEST(Tape, RecordsOnlyWhatDependsOnAWatchedTensor) {
  const EagerTensor x = Eager(3);
  const EagerTensor other = Eager(5);
  Tape tape(false);
  tape.Start();
  Call("Square", {other});
  EXPECT_EQ(tape.num_records(), 0u);
  tape.Watch(x);
  const EagerTensor y = Call("Mul", {x, other});
  Call("Square", {other});
  Call("Square", {y});
  EXPECT_EQ(tape.num_records(), 2u);
  tape.Stop();
  Call("Square", {x});
  EXPECT_EQ(tape.num_records(), 2u);
  EXPECT_EQ(ValueOf(Gradient(&tape, y, x)), 5);
  EXPECT_EQ(tape.num_records(), 0u) << "it keeps tensors alive";
}

TEST(Tape, IsAskedOnceUnlessPersistent) {
  const EagerTensor x = Eager(3);
  for (const bool persistent : {false, true}) {
    Tape tape(persistent);
    tape.Start();
    tape.Watch(x);
    const EagerTensor y = Call("Square", {x});
    tape.Stop();
    EXPECT_EQ(ValueOf(Gradient(&tape, y, x)), 6);
    if (persistent) {
      EXPECT_EQ(ValueOf(Gradient(&tape, y, x)), 6);
    } else {
      EXPECT_THROW(Gradient(&tape, y, x), Error);
    }
  }
}

TEST(Tape, AnOuterTapeRecordsTheGradientOfAnInnerOne) {
  const EagerTensor x = Eager(3);
  Tape outer(false);
  outer.Start();
  outer.Watch(x);
  EagerTensor dy;
  {
    Tape inner(false);
    inner.Start();
    inner.Watch(x);
    const EagerTensor y = Call("Mul", {x, Call("Square", {x})});  // x^3
    inner.Stop();
    dy = Gradient(&inner, y, x);
  }
  outer.Stop();
  EXPECT_EQ(ValueOf(dy), 27);
  EXPECT_EQ(ValueOf(Gradient(&outer, dy, x)), 18);
}

TEST(Tape, WhatDoesNotDependHasNoGradient) {
  const EagerTensor x = Eager(3);
  const EagerTensor other = Eager(5);
  Tape tape(false);
  tape.Start();
  tape.Watch(x);
  tape.Watch(other);
  const EagerTensor y = Call("Square", {x});
  tape.Stop();
  const auto gradients = tape.Gradient({y}, {x, other}, {Eager(10)});
  EXPECT_EQ(ValueOf(gradients[0].at(0)), 60);
  EXPECT_TRUE(gradients[1].empty());
}

TEST(Tape, IsUsedUpAlsoIfAnOpHasNoGradient) {
  const EagerTensor x = MakeEagerTensor(Tensor::Of<double>({2}, {2, 3}));
  Tape tape(false);
  tape.Start();
  tape.Watch(x);
  const EagerTensor y = Call("Unique", {x});
  EXPECT_THROW(Gradient(&tape, y, x), Error);
  EXPECT_EQ(tape.num_records(), 0u);
  EXPECT_FALSE(tape.IsWatched(x.id));
  EXPECT_THROW(Gradient(&tape, y, x), Error);
}

TEST(Tape, StartedAgainWithinAStopIgnoresNoMoreThanBefore) {
  const EagerTensor x = Eager(3);
  Tape tape(false);
  tape.Start();
  tape.Watch(x);
  {
    const StopRecording stop;
    tape.Stop();
    tape.Start();
    tape.IgnoreStops(0);
    Call("Square", {x});
    EXPECT_EQ(tape.num_records(), 0u);
  }
  Call("Square", {x});
  EXPECT_EQ(tape.num_records(), 1u);
}

TEST(Tape, PausesWhileStopRecordingLives) {
  const EagerTensor x = Eager(3);
  Tape tape(false);
  tape.Start();
  tape.Watch(x);
  {
    const StopRecording stop;
    const StopRecording stop_twice;
    Call("Square", {x});
  }
  EXPECT_EQ(tape.num_records(), 0u);
  Call("Square", {x});
  EXPECT_EQ(tape.num_records(), 1u);
}

TEST(Tape, RecordsWithinAStopIfItWasStartedThere) {
  const EagerTensor x = Eager(3);
  Tape outer(false);
  outer.Start();
  outer.Watch(x);
  Tape inner(false);
  {
    const StopRecording stop;
    inner.Start();
    inner.Watch(x);
    Call("Square", {x});
  }
  EXPECT_EQ(outer.num_records(), 0u);
  EXPECT_EQ(inner.num_records(), 1u);
  const StopRecording stop;
  Call("Square", {x});
  EXPECT_EQ(inner.num_records(), 1u);
}

TEST(Tape, BelongsToTheThreadThatStartedIt) {
  const EagerTensor x = Eager(3);
  Tape tape(false);
  tape.Start();
  tape.Watch(x);
  std::thread([&] { Call("Square", {x}); }).join();
  EXPECT_EQ(tape.num_records(), 0u);
}

TEST(Tape, MayBeStoppedAndDestroyedByAnotherThread) {
  const EagerTensor x = Eager(3);
  auto tape = std::make_unique<Tape>(false);
  tape->Start();
  tape->Watch(x);
  std::thread([&] { tape.reset(); }).join();
  EXPECT_EQ(ValueOf(Call("Square", {x})), 9);
}

TEST(Tape, ALongChainNeedsNoStack) {
  const EagerTensor x = Eager(1);
  Tape tape(false);
  tape.Start();
  tape.Watch(x);
  EagerTensor y = x;
  for (int i = 0; i < 100'000; ++i) y = Call("Neg", {y});
  tape.Stop();
  EXPECT_EQ(ValueOf(Gradient(&tape, y, x)), 1);
}

}  // namespace
}  // namespace minitf::testing
