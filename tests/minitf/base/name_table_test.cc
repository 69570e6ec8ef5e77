// A table of names: second entries, replaced ones, and what is not there.

#include "minitf/base/name_table.h"

#include "gtest/gtest.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::MessageOf;

NameTable::Entry Hold(int number) { return std::make_shared<const int>(number); }
int NumberOf(const void* entry) { return *static_cast<const int*>(entry); }

TEST(NameTable, KeepsTheFirstOfTwo) {
  NameTable table("op");
  table.Add("Sin", Hold(1));
  EXPECT_EQ(MessageOf([&] { table.Add("Sin", Hold(2)); }),
            "op 'Sin' is registered twice");
  EXPECT_EQ(NumberOf(table.Get("Sin")), 1);
}

TEST(NameTable, KeepsWhatIsReplacedAlive) {
  NameTable table("gradient");
  const NameTable::Entry entry = Hold(1);
  table.Replace("Sin", entry);
  const void* former = table.Find("Sin");
  table.Replace("Sin", Hold(2));
  EXPECT_EQ(NumberOf(table.Find("Sin")), 2);
  EXPECT_EQ(former, entry.get());
  EXPECT_EQ(entry.use_count(), 2);
}

TEST(NameTable, NamesTheNearestKey) {
  NameTable table("op");
  table.Add("MatMul", Hold(1));
  table.Add("Add", Hold(2));
  EXPECT_EQ(table.Find("MatMull"), nullptr);
  EXPECT_EQ(MessageOf([&] { table.Get("MatMull"); }),
            "no op is registered for 'MatMull'; did you mean 'MatMul'?");
  EXPECT_EQ(table.Keys(), (std::vector<std::string>{"Add", "MatMul"}));
}

}  // namespace
}  // namespace minitf
