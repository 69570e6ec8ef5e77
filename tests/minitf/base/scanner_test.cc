// Words, quotes and lists, and where the reading stops.

#include "minitf/base/scanner.h"

#include <vector>

#include "gtest/gtest.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::MessageOf;

TEST(Scanner, ReadsWordAfterWord) {
  Scanner in(" x1_y :T2*'a b'\"it's\" ");
  EXPECT_EQ(in.Word(), "x1_y");
  EXPECT_FALSE(in.Consume("::"));
  in.Expect(":");
  EXPECT_TRUE(in.IsNext({"T2", "*"}));
  EXPECT_EQ(in.Word(), "T2");
  EXPECT_TRUE(in.Consume("*"));
  EXPECT_EQ(in.Quoted(), "a b");
  EXPECT_EQ(in.Quoted(), "it's");
  EXPECT_TRUE(in.AtEnd());
}

TEST(Scanner, ReadsLists) {
  Scanner in("[1, -2 ,3] []");
  std::vector<int64_t> numbers;
  in.List("[", "]", [&] { numbers.push_back(in.Integer()); });
  EXPECT_EQ(numbers, (std::vector<int64_t>{1, -2, 3}));
  in.List("[", "]", [&] { numbers.push_back(in.Integer()); });
  EXPECT_EQ(numbers.size(), 3U);
}

TEST(Scanner, SaysWhereItStopped) {
  EXPECT_EQ(MessageOf([] { Scanner("a = *").Expect("b"); }),
            "in \"a = *\": 'b' expected at \"a = *\"");
  EXPECT_EQ(MessageOf([] { Scanner("'a").Quoted(); }),
            "in \"'a\": a closing quote expected at \"a\"");
  EXPECT_EQ(MessageOf([] { Scanner("99999999999999999999").Integer(); }),
            "in \"99999999999999999999\": a number expected at \"99999999999999999999\"");
}

}  // namespace
}  // namespace minitf
