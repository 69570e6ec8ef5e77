// What the standard library throws has a code and a text that says what it means.

#include "minitf/base/caught.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace minitf {
namespace {

template <typename Work>
Status StatusOf(Work work) {
  try {
    work();
  } catch (...) {
    return CaughtStatus();
  }
  return {};
}

TEST(CaughtStatus, KeepsAnError) {
  const Status status = StatusOf([] { throw Error(errors::OutOfRange("the end")); });
  EXPECT_EQ(status.code(), Code::kOutOfRange);
  EXPECT_EQ(status.message(), "the end");
}

TEST(CaughtStatus, TooMuchMemoryIsResourceExhausted) {
  const auto too_long = [] { std::vector<double>().reserve(size_t{1} << 62); };
  const auto refused = [] { throw std::bad_alloc(); };
  EXPECT_EQ(StatusOf(too_long).message(), "no memory holds so many elements");
  EXPECT_EQ(StatusOf(too_long).code(), Code::kResourceExhausted);
  EXPECT_EQ(StatusOf(refused).code(), Code::kResourceExhausted);
}

TEST(CaughtStatus, AMistakeOfOursSaysSo) {
  const Status status = StatusOf([] { std::string("abc").at(7); });
  EXPECT_EQ(status.code(), Code::kInternal);
  EXPECT_TRUE(status.message().starts_with("a mistake in minitf: "));
}

TEST(CaughtStatus, KnowsEvenWhatIsNoException) {
  EXPECT_EQ(StatusOf([] { throw 3; }).code(), Code::kUnknown);
}

}  // namespace
}  // namespace minitf
