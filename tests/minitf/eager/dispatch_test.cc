// Eager dispatch: the cache of kernels, and what is wrong with a call.

#include "minitf/eager/dispatch.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/kernels/kernel_testing.h"
#include "tests/testing.h"

namespace minitf::testing {
namespace {

TEST(Dispatch, EveryTensorHasAnIdentityOfItsOwn) {
  const EagerTensor x = MakeEagerTensor(Tensor::Scalar(1.0));
  const EagerTensor y = MakeEagerTensor(x.tensor);
  EXPECT_NE(x.id, y.id);
  EXPECT_TRUE(y.tensor.SharesBufferWith(x.tensor));
  EXPECT_NE(minitf::Dispatch("Identity", {x})[0].id, x.id);
}

TEST(Dispatch, AttributesTellKernelsApart) {
  const Tensor x = Counting({2, 3});
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(OutputOf("Sum", {x, Ints({0})}).shape(), (Shape{3}));
    EXPECT_EQ(OutputOf("Sum", {x, Ints({0})}, {{"keep_dims", true}}).shape(),
              (Shape{1, 3}));
  }
}

TEST(Dispatch, InputsAreNotWrittenOver) {
  const Tensor x = Numbers({2}, {1, 2});
  EXPECT_TRUE(AllClose(OutputOf("Neg", {x}), Numbers({2}, {-1, -2})));
  EXPECT_TRUE(AllClose(x, Numbers({2}, {1, 2})));
}

TEST(Dispatch, SaysWhatIsWrongWithACall) {
  const Tensor x = Numbers({2}, {1, 2});
  EXPECT_TRUE(Says(ErrorOf("MatMull", {x, x}), "did you mean 'MatMul'?"));
  EXPECT_TRUE(Says(ErrorOf("Add", {x}), "Add"));
  EXPECT_TRUE(Says(ErrorOf("Add", {x, Numbers({3}, {1, 2, 3})}), "Add: "));
  EXPECT_TRUE(Says(ErrorOf("Sin", {Tensor::Scalar(true)}), "bool"));
  EXPECT_TRUE(
      Says(ErrorOf("Sum", {x, Ints({0})}, {{"keep_dims", int64_t{1}}}), "keep_dims"));
  EXPECT_TRUE(Says(ErrorOf("Sin", {x}, {{"no_such", true}}), "no_such"));
}

}  // namespace
}  // namespace minitf::testing
