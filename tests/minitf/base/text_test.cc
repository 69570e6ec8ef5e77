// The nearest name, and errors that carry it.

#include "minitf/base/text.h"

#include "gtest/gtest.h"
#include "minitf/base/status.h"

namespace minitf {
namespace {

TEST(NearestName, HasTheFewestEdits) {
  EXPECT_EQ(NearestName("MatMull", {"MatMul", "BatchMatMul", "Mul"}), "MatMul");
  EXPECT_EQ(NearestName("Tanhh", {"Tan", "Tanh", "Atanh"}), "Tanh");
}

TEST(NearestName, IsEmptyWhenNothingIsNear) {
  EXPECT_EQ(NearestName("Convolution", {"Add", "Sub"}), "");
  EXPECT_EQ(NearestName("x", {}), "");
}

TEST(DidYouMean, IsASentence) {
  EXPECT_EQ(DidYouMean("Sinn", {"Sin"}), "; did you mean 'Sin'?");
  EXPECT_EQ(DidYouMean("Convolution", {"Sin"}), "");
}

TEST(Join, PutsTheSeparatorBetween) {
  EXPECT_EQ(Join(std::vector<int>{1, 2, 3}, ", "), "1, 2, 3");
  EXPECT_EQ(Join(std::vector<int>{}, ", "), "");
}

TEST(Status, KeepsItsNodeUnderAPrefix) {
  const Status status = errors::NotFound("no file").AtNode("reader").WithPrefix("Read: ");
  EXPECT_EQ(status.message(), "Read: no file");
  EXPECT_EQ(status.node(), "reader");
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_TRUE(Status().WithPrefix("Read: ").ok());
}

}  // namespace
}  // namespace minitf
