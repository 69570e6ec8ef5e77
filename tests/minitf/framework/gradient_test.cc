// Emitter: what is said of a call of an op with what is no value, in both modes.

#include "minitf/framework/gradient.h"

#include <functional>
#include <string>

#include "gtest/gtest.h"
#include "minitf/eager/dispatch.h"
#include "minitf/graph/gradients/graph_emitter.h"
#include "tests/kernels/kernel_testing.h"

namespace minitf::testing {
namespace {

std::string ErrorOfCall(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.status().message();
  }
  return "";
}

// Calls `check` with an emitter of each mode.
void InBothModes(const std::function<void(Emitter&)>& check) {
  EagerEmitter eager;
  check(eager);
  Graph graph;
  GraphEmitter in_graph(&graph, "gradients");
  check(in_graph);
}

TEST(Emitter, SaysWhichInputOfWhichCallIsNone) {
  InBothModes([](Emitter& emitter) {
    const Value x = emitter.Constant(Tensor::Scalar(2.0));
    EXPECT_EQ(ErrorOfCall([&] {
                emitter.Call("Mul", {x, Value::None()});
              }),
              "Mul: input 1 is none");
    EXPECT_EQ(ErrorOfCall([&] { emitter.Call("Neg", {Value::None()}); }),
              "Neg: input 0 is none");
    const Value rows = emitter.Slices({x, x, x});
    EXPECT_EQ(ErrorOfCall([&] {
                emitter.Call("AddN", {rows, Value::None()});
              }),
              "AddN: input 1 is none");
  });
}

TEST(Emitter, SaysWhichInputOfWhichCallItDoesNotKnow) {
  constexpr int64_t kSlices = int64_t{1} << 62;
  InBothModes([](Emitter& emitter) {
    const Value x = emitter.Constant(Tensor::Scalar(2.0));
    const Value unknown{x.id + 1};
    EXPECT_TRUE(Says(ErrorOfCall([&] {
                       emitter.Call("Mul", {x, unknown});
                     }),
                     StrCat("Mul: input 1: value ", unknown.id, " is used, ")));
    EXPECT_EQ(ErrorOfCall([&] { emitter.Call("Neg", {Value{kSlices + 7}}); }),
              "Neg: input 0: slices 7 are used, there are 0");
  });
}

TEST(Emitter, HasNoTypeOrShapeOfNone) {
  InBothModes([](Emitter& emitter) {
    const std::string said = "none is used where a value belongs";
    EXPECT_EQ(ErrorOfCall([&] { emitter.dtype(Value::None()); }), said);
    EXPECT_EQ(ErrorOfCall([&] { emitter.shape(Value::None()); }), said);
    EXPECT_EQ(ErrorOfCall([&] { emitter.KnownValue(Value::None()); }), said);
  });
}

}  // namespace
}  // namespace minitf::testing
