// The list of families, and what they add to docs/ops.pbtxt.

#include "minitf/contrib/families.h"

#include <algorithm>
#include <fstream>

#include "gtest/gtest.h"
#include "minitf/framework/op.h"
#include "tests/test_ops.h"

namespace minitf {
namespace {

// The file is written with all families. That it has every op is tested with the ops.
TEST(Families, OpsTextHasNoOpThatIsNotThere) {
  std::ifstream file(MINITF_SOURCE_DIR "/docs/ops.pbtxt");
  size_t written = 0;
  for (std::string line; std::getline(file, line);) written += line == "op {";
  size_t registered = 0;
  for (const std::string& name : Ops().Keys()) {
    registered += !testing::BelongsToATest(name);
  }
  std::vector<std::string> families = BuiltFamilies();
  std::erase(families, "test_family");  // of the test below
  if (families.size() == MINITF_NUM_FAMILIES) {
    EXPECT_EQ(written, registered) << "docs/ops.pbtxt is out of date: run ./lab gen";
  } else {
    EXPECT_GT(written, registered);
  }
}

TEST(Families, AreListedInOrderAndOnce) {
  const FamilyRegistrar first("test_family");
  const FamilyRegistrar second("test_family");
  const std::vector<std::string> after = BuiltFamilies();
  EXPECT_TRUE(std::ranges::is_sorted(after));
  EXPECT_EQ(std::ranges::count(after, "test_family"), 1);
}

}  // namespace
}  // namespace minitf
