// Work that is given up: who asks whom, and what becomes of the pieces.

#include "minitf/base/stop.h"

#include <atomic>
#include <pthread.h>
#include <unistd.h>

#include "gtest/gtest.h"
#include "minitf/base/status.h"
#include "minitf/base/thread_pool.h"

namespace minitf {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

TEST(StopIfAsked, AsksTheInnermostScopeOfTheThread) {
  EXPECT_NO_THROW(StopIfAsked());
  const StopQuestion yes = [] { return true; };
  const StopQuestion no = [] { return false; };
  const StopQuestion none;
  const StopScope outer(&yes);
  {
    const StopScope inner(&no);
    EXPECT_NO_THROW(StopIfAsked());
  }
  {
    const StopScope inner(&none);
    EXPECT_EQ(StopScope::Current(), nullptr);
    EXPECT_NO_THROW(StopIfAsked());
  }
  EXPECT_THROW(StopIfAsked(), Error);
}

TEST(ParallelFor, AsksBetweenPiecesThatTakeLong) {
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    std::atomic<int> done{0};
    const StopQuestion after_five = [&] { return done >= 5; };
    const StopScope scope(&after_five);
    const auto work = [&](int64_t begin, int64_t end) {
      EXPECT_EQ(end, begin + 1);  // a unit takes longer than a thread may go on unasked
      ++done;
    };
    EXPECT_THROW(pool.ParallelFor(1000, kSecond, work), Error);
    EXPECT_LE(done, 5 + threads);
  }
}

TEST(ParallelFor, CutsLongPiecesAtWholeVectors) {
  ThreadPool pool(1);
  int64_t next = 0;
  pool.ParallelFor(1000, kSecond / 1000, [&](int64_t begin, int64_t end) {
    EXPECT_EQ(begin, next);
    EXPECT_TRUE(begin % 64 == 0);
    next = end;
  });
  EXPECT_EQ(next, 1000);
}

TEST(ParallelPieces, CallsTheWorkOnceInEachThread) {
  ThreadPool pool(3);
  std::atomic<int> calls{0};
  pool.ParallelPieces(1000, kSecond, [&](int64_t, int64_t) { ++calls; });
  EXPECT_EQ(calls, 3);
}

TEST(ParallelFor, OnePieceThatFailsStopsTheOthers) {
  ThreadPool pool(2);
  std::atomic<int> done{0};
  const auto work = [&](int64_t begin, int64_t) {
    if (begin == 0) throw Error(errors::Internal("no"));
    ++done;
    usleep(1000);
  };
  EXPECT_THROW(pool.ParallelFor(1'000'000, kSecond, work), Error);
  EXPECT_LT(done, 1000);
}

TEST(ThreadPool, ThatCannotBeCompletedIsAnError) {
  pthread_attr_t usual;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  pthread_attr_t large = usual;
  ASSERT_EQ(pthread_attr_setstacksize(&large, size_t{1} << 45), 0);
  ASSERT_EQ(pthread_setattr_default_np(&large), 0);
  Code code = Code::kOk;
  try {
    const ThreadPool pool(1000);  // of whose stacks a machine has room for few
  } catch (const Error& error) {
    code = error.status().code();
  }
  ASSERT_EQ(pthread_setattr_default_np(&usual), 0);
  EXPECT_EQ(code, Code::kResourceExhausted);
}

}  // namespace
}  // namespace minitf
