// Variables: handles, reading, assigning, rows.

#include <atomic>
#include <thread>

#include "tests/kernels/kernel_testing.h"

namespace minitf::testing {
namespace {

Tensor Handle(const Shape& shape, const std::string& name = "",
              DType dtype = DType::kFloat64) {
  return OutputOf(
      "VarHandleOp", {},
      {{"dtype", dtype}, {"shape", PartialShape(shape)}, {"shared_name", name}});
}

TEST(Variable, KeepsWhatIsAssigned) {
  const Tensor handle = NewVariable(Numbers({2}, {1, 2}));
  EXPECT_TRUE(AllClose(Read(handle), Numbers({2}, {1, 2})));
  RunOp("AssignAddVariableOp", {handle, Numbers({2}, {10, 20})});
  EXPECT_TRUE(AllClose(Read(handle), Numbers({2}, {11, 22})));
  RunOp("AssignSubVariableOp", {handle, Numbers({2}, {1, 2})});
  EXPECT_TRUE(AllClose(Read(handle), Numbers({2}, {10, 20})));
}

TEST(Variable, TakesNoOtherShapeThanItWasDeclaredWith) {
  const Tensor handle = Handle({2}, "of_two_elements");
  const std::string error =
      ErrorOf("AssignVariableOp", {handle, Numbers({3}, {1, 2, 3})});
  EXPECT_TRUE(Says(error,
                   "variable 'of_two_elements' has shape [2], the new value has "
                   "shape [3]"))
      << error;
  EXPECT_FALSE(OutputOf("VarIsInitializedOp", {handle}).scalar<bool>());
  RunOp("AssignVariableOp", {handle, Numbers({2}, {1, 2})});
  RunOp("AssignVariableOp", {handle, Numbers({3}, {1, 2, 3})},
        {{"_validate_shape", false}});
  EXPECT_TRUE(AllClose(Read(handle), Numbers({3}, {1, 2, 3})));
  EXPECT_TRUE(Says(ErrorOf("AssignVariableOp", {handle, Numbers({2}, {1, 2})},
                           {{"_validate_shape", true}}),
                   "has shape [3], the new value has shape [2]"));
}

TEST(Variable, IsNotChangedWhileItIsFed) {
  const Tensor two = Numbers({2}, {1, 2});
  const Tensor handle = OutputOf("_FedVariable", {two});
  EXPECT_TRUE(AllClose(Read(handle), two));
  EXPECT_TRUE(OutputOf("VarIsInitializedOp", {handle}).scalar<bool>());
  for (const auto* op :
       {"AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"}) {
    EXPECT_TRUE(Says(ErrorOf(op, {handle, two}), "is fed, and no op can change it"))
        << op;
  }
  EXPECT_TRUE(Says(ErrorOf("DestroyResourceOp", {handle}), "is fed"));
  EXPECT_TRUE(AllClose(Read(handle), two));
}

TEST(Variable, HasNoValueAtFirst) {
  const Tensor handle = Handle({2}, "weights_without_value");
  EXPECT_FALSE(OutputOf("VarIsInitializedOp", {handle}).scalar<bool>());
  const std::string error =
      ErrorOf("ReadVariableOp", {handle}, {{"dtype", DType::kFloat64}});
  EXPECT_TRUE(Says(error, "Error while reading resource variable weights_without_value"));
  EXPECT_TRUE(Says(error, "This could mean that the variable was uninitialized."));
  EXPECT_TRUE(Says(error, "uninitialized value weights_without_value"));
  EXPECT_TRUE(Says(ErrorOf("AssignAddVariableOp", {handle, Numbers({2}, {1, 2})}),
                   "uninitialized value weights_without_value"));
  RunOp("AssignVariableOp", {handle, Numbers({2}, {0, 0})});
  EXPECT_TRUE(OutputOf("VarIsInitializedOp", {handle}).scalar<bool>());
  RunOp("DestroyResourceOp", {handle});
  EXPECT_FALSE(OutputOf("VarIsInitializedOp", {handle}).scalar<bool>());
}

TEST(Variable, IsFoundByItsName) {
  RunOp("AssignVariableOp", {Handle({}, "shared_w"), Tensor::Scalar(3.0)});
  EXPECT_EQ(Read(Handle({}, "shared_w")).scalar<double>(), 3);
  EXPECT_TRUE(Says(ErrorOf("VarHandleOp", {},
                           {{"dtype", DType::kInt32},
                            {"shape", PartialShape{}},
                            {"shared_name", std::string("shared_w")}}),
                   "variable 'shared_w' of float64 exists, asked for as int32"));
}

TEST(Variable, WithoutANameIsItsOwn) {
  const Tensor a = NewVariable(Tensor::Scalar(1.0));
  const Tensor b = NewVariable(Tensor::Scalar(2.0));
  EXPECT_EQ(Read(a).scalar<double>(), 1);
  EXPECT_EQ(Read(b).scalar<double>(), 2);
}

TEST(Variable, AValueThatWasReadDoesNotChange) {
  const Tensor handle = NewVariable(Numbers({2}, {1, 2}));
  const Tensor before = Read(handle);
  RunOp("AssignAddVariableOp", {handle, Numbers({2}, {10, 10})});
  RunOp("ResourceScatterUpdate", {handle, Ints({0}), Numbers({1}, {7})});
  EXPECT_TRUE(AllClose(before, Numbers({2}, {1, 2})));
  EXPECT_TRUE(AllClose(Read(handle), Numbers({2}, {7, 12})));
}

TEST(Variable, DoesNotChangeWhatWasAssigned) {
  const Tensor value = Numbers({2}, {1, 2});
  const Tensor handle = NewVariable(value);
  RunOp("AssignAddVariableOp", {handle, Numbers({2}, {10, 10})});
  EXPECT_TRUE(AllClose(value, Numbers({2}, {1, 2})));
}

TEST(Variable, CopiesBorrowedElements) {
  std::vector<double> lent = {1, 2};
  const Tensor handle =
      NewVariable(Tensor::Borrowed(DType::kFloat64, {2}, lent.data(), [] {}));
  lent[0] = 99;
  EXPECT_TRUE(AllClose(Read(handle), Numbers({2}, {1, 2})));
}

TEST(Variable, IsChangedInPlaceWhenNobodyLooks) {
  const Tensor handle = NewVariable(Numbers({2}, {1, 2}).Clone());
  const void* elements = Read(handle).data();
  RunOp("AssignAddVariableOp", {handle, Numbers({2}, {10, 10})});
  EXPECT_EQ(Read(handle).data(), elements);
}

TEST(Variable, RefusesAnotherDtypeOrShape) {
  const Tensor handle = NewVariable(Numbers({2}, {1, 2}));
  EXPECT_TRUE(
      Says(ErrorOf("AssignVariableOp", {handle, Ints({1})}), "holds float64, not int32"));
  EXPECT_TRUE(Says(ErrorOf("ReadVariableOp", {handle}, {{"dtype", DType::kInt32}}),
                   "Expected int32 got float64"));
  const std::string error = ErrorOf("AssignAddVariableOp", {handle, Numbers({1}, {1})});
  EXPECT_TRUE(Says(error, "[2] and [1]"));
}

TEST(Variable, TellsItsShape) {
  EXPECT_TRUE(
      AllClose(OutputOf("VariableShape", {NewVariable(Counting({2, 3}))}), Ints({2, 3})));
}

TEST(Variable, WrapsIntegersAround) {
  const Tensor handle = NewVariable(Tensor::Scalar(INT32_MAX));
  RunOp("AssignAddVariableOp", {handle, Tensor::Scalar(1)});
  EXPECT_EQ(Read(handle, DType::kInt32).scalar<int32_t>(), INT32_MIN);
  const Tensor text = NewVariable(Tensor::Scalar<std::string>("a"));
  EXPECT_NE(ErrorOf("AssignAddVariableOp", {text, Tensor::Scalar<std::string>("b")}), "");
}

TEST(Variable, CountsFromManyThreads) {
  const Tensor handle = NewVariable(Tensor::Scalar(0.0));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        RunOp("AssignAddVariableOp", {handle, Tensor::Scalar(1.0)});
        Read(handle);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Read(handle).scalar<double>(), 2000);
}

// ---- Rows -----------------------------------------------------------------------------

TEST(ResourceGather, ReadsRows) {
  const Tensor handle = NewVariable(Counting({3, 2}));
  const Attrs attrs = {{"dtype", DType::kFloat64}};
  EXPECT_TRUE(AllClose(OutputOf("ResourceGather", {handle, Ints({2, 0})}, attrs),
                       Numbers({2, 2}, {4, 5, 0, 1})));
  EXPECT_TRUE(Says(ErrorOf("ResourceGather", {handle, Ints({0, 3})}, attrs),
                   "indices[1] = 3 is not in [0, 3)"));
}

Tensor AfterScatter(const std::string& op, const Tensor& indices, const Tensor& updates) {
  const Tensor handle = NewVariable(Numbers({3}, {12, 20, 30}));
  RunOp(op, {handle, indices, updates});
  return Read(handle);
}

TEST(ResourceScatter, ChangesTheRowsThatAreNamed) {
  const Tensor at = Ints({0, 2, 0});
  const Tensor by = Numbers({3}, {2, 40, 3});
  const auto after = [&](const std::string& op) { return AfterScatter(op, at, by); };
  EXPECT_TRUE(AllClose(after("ResourceScatterAdd"), Numbers({3}, {17, 20, 70})));
  EXPECT_TRUE(AllClose(after("ResourceScatterSub"), Numbers({3}, {7, 20, -10})));
  EXPECT_TRUE(AllClose(after("ResourceScatterMul"), Numbers({3}, {72, 20, 1200})));
  EXPECT_TRUE(AllClose(after("ResourceScatterDiv"), Numbers({3}, {2, 20, 0.75})));
  EXPECT_TRUE(AllClose(after("ResourceScatterMin"), Numbers({3}, {2, 20, 30})));
  EXPECT_TRUE(AllClose(after("ResourceScatterMax"), Numbers({3}, {12, 20, 40})));
  EXPECT_TRUE(AllClose(after("ResourceScatterUpdate"), Numbers({3}, {3, 20, 40})));
  EXPECT_TRUE(AllClose(AfterScatter("ResourceScatterAdd", Ints({1}), Tensor::Scalar(1.0)),
                       Numbers({3}, {12, 21, 30})));
  EXPECT_TRUE(AllClose(AfterScatter("ResourceScatterAdd", Ints({}), Counting({0})),
                       Numbers({3}, {12, 20, 30})));
}

TEST(ResourceScatter, ChecksBeforeItChanges) {
  const Tensor handle = NewVariable(Numbers({3}, {1, 2, 3}));
  EXPECT_TRUE(
      Says(ErrorOf("ResourceScatterAdd", {handle, Ints({0, 5}), Numbers({2}, {1, 1})}),
           "indices[1] = 5 is not in [0, 3)"));
  EXPECT_TRUE(
      Says(ErrorOf("ResourceScatterAdd", {handle, Ints({0}), Numbers({2}, {1, 1})}),
           "updates must have shape [1], got [2]"));
  EXPECT_TRUE(AllClose(Read(handle), Numbers({3}, {1, 2, 3})));
  const Tensor whole = NewVariable(Ints({6, 7}));
  EXPECT_TRUE(Says(ErrorOf("ResourceScatterDiv", {whole, Ints({0}), Ints({0})}),
                   "Integer division by zero"));
}

TEST(ResourceGather, HasADenseGradient) {
  const Tensor handle = NewVariable(Counting({3, 2}));
  const Tensor dy = Numbers({2, 2}, {1, 2, 10, 20});
  const auto gradients = RegisteredGradient("ResourceGather", {handle, Ints({2, 2})},
                                            {{"dtype", DType::kFloat64}}, dy);
  EXPECT_TRUE(AllClose(gradients[0], Numbers({3, 2}, {0, 0, 0, 0, 11, 22})));
}

}  // namespace
}  // namespace minitf::testing
