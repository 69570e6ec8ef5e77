// Stacks: what goes in last comes out first, and each run of StackV2 makes a new one.

#include <vector>

#include "tests/kernels/kernel_testing.h"

namespace minitf::testing {
namespace {

Tensor NewStack(int32_t max_size = -1, DType dtype = DType::kFloat32) {
  return OutputOf("StackV2", {Tensor::Scalar(max_size)}, {{"elem_type", dtype}});
}

float Pop(const Tensor& stack) {
  return OutputOf("StackPopV2", {stack}, {{"elem_type", DType::kFloat32}})
      .scalar<float>();
}

void Push(const Tensor& stack, float value) {
  RunOp("StackPushV2", {stack, Tensor::Scalar(value)});
}

TEST(Stack, TheLastInIsTheFirstOut) {
  const Tensor stack = NewStack();
  for (const float value : {1.0F, 2.0F, 3.0F}) Push(stack, value);
  EXPECT_EQ(Pop(stack), 3);
  Push(stack, 4);
  EXPECT_EQ(Pop(stack), 4);
  EXPECT_EQ(Pop(stack), 2);
  EXPECT_EQ(Pop(stack), 1);
}

TEST(Stack, PushGivesItsElementBackAndCopiesNothing) {
  const Tensor stack = NewStack();
  const Tensor x = Tensor::Of({2}, std::vector<float>{5, 7});
  const Tensor y = OutputOf("StackPushV2", {stack, x});
  EXPECT_EQ(y.flat<float>().data(), x.flat<float>().data());
  const Tensor popped = OutputOf("StackPopV2", {stack}, {{"elem_type", DType::kFloat32}});
  EXPECT_EQ(popped.flat<float>().data(), x.flat<float>().data());
}

TEST(Stack, EachRunMakesANewOne) {
  const Tensor a = NewStack();
  const Tensor b = NewStack();
  Push(a, 1);
  Push(b, 2);
  EXPECT_EQ(Pop(a), 1);
}

TEST(Stack, SaysWhatIsWrong) {
  const Tensor stack = NewStack(1);
  const Attrs of_floats{{"elem_type", DType::kFloat32}};
  EXPECT_TRUE(Says(ErrorOf("StackPopV2", {stack}, of_floats), "is empty when calling"));
  EXPECT_TRUE(Says(ErrorOf("StackPushV2", {stack, Tensor::Scalar(1)}),
                   "Must have type float32 but got int32"));
  Push(stack, 1);
  EXPECT_TRUE(Says(ErrorOf("StackPushV2", {stack, Tensor::Scalar(1.0F)}),
                   "overflowed its max_size (1)"));
  EXPECT_TRUE(Says(ErrorOf("StackPopV2", {stack}, {{"elem_type", DType::kInt32}}),
                   "Must have type float32 but got int32"));
  RunOp("StackCloseV2", {stack});
  EXPECT_TRUE(Says(ErrorOf("StackPopV2", {stack}, of_floats), "already been closed"));
  EXPECT_TRUE(
      Says(ErrorOf("StackPopV2", {NewVariable(Counting({1}))}, of_floats), "stack"));
  EXPECT_TRUE(Says(ErrorOf("StackV2", {Ints({1, 2})}, of_floats), "scalar"));
}

}  // namespace
}  // namespace minitf::testing
