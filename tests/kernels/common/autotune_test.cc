// Autotune: what is tried, how often, and what is remembered.

#include "kernels/cpu/common/autotune.h"

#include <chrono>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace minitf {
namespace {

constexpr std::string_view kNames[] = {"slow", "quick", "slowest"};
constexpr int kMilliseconds[] = {20, 1, 200};

class Ways {
 public:
  int Quickest(Autotune* autotune, const std::string& key) {
    return autotune->Quickest(key, kNames, [this](int way) {
      ++runs[way];
      std::this_thread::sleep_for(std::chrono::milliseconds(kMilliseconds[way]));
    });
  }

  std::vector<int> runs = {0, 0, 0};
};

TEST(Autotune, FindsTheQuickestWayAndGivesUpOneThatIsHopeless) {
  Autotune autotune;
  Ways ways;
  EXPECT_EQ(ways.Quickest(&autotune, "a"), 1);
  EXPECT_EQ(ways.runs, (std::vector<int>{3, 3, 1}));
}

TEST(Autotune, TriesEachKindOnce) {
  Autotune autotune;
  Ways ways;
  ways.Quickest(&autotune, "a");
  EXPECT_EQ(ways.Quickest(&autotune, "a"), 1);
  EXPECT_EQ(ways.runs, (std::vector<int>{3, 3, 1}));
  ways.Quickest(&autotune, "b");
  EXPECT_EQ(ways.runs, (std::vector<int>{6, 6, 2}));
}

TEST(Autotune, RemembersNothingOfATrialThatThrows) {
  Autotune autotune;
  EXPECT_THROW(autotune.Quickest("a", kNames, [](int) { throw std::runtime_error("x"); }),
               std::runtime_error);
  Ways ways;
  EXPECT_EQ(ways.Quickest(&autotune, "a"), 1);
  EXPECT_EQ(ways.runs, (std::vector<int>{3, 3, 1}));
}

}  // namespace
}  // namespace minitf
