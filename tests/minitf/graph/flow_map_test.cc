// FlowMap: which nodes are in which branch and in which part of a loop.

#include "minitf/graph/flow_map.h"

#include "gtest/gtest.h"
#include "tests/test_ops.h"

namespace minitf {
namespace {

using testing::Add;
using testing::AddOp;
using testing::Source;

class FlowMapTest : public ::testing::Test {
 protected:
  Output Const(bool value, const std::string& name) {
    return AddOp(&graph_, "Const", name, {},
                 {{"value", Tensor::Scalar(value)}, {"dtype", DType::kBool}})
        ->output(0);
  }

  Graph graph_;
  FlowMap flows_;
};

TEST_F(FlowMapTest, ASwitchBeginsTwoBranchesAndAMergeEndsThem) {
  const Output x = Source(&graph_, 1, "x");
  const Output pred = Const(true, "pred");
  Node* named = AddOp(&graph_, "Identity", "pred_id", {pred});
  Node* choice = AddOp(&graph_, "Switch", "switch", {x, named->output(0)});
  const Output if_true = Add(&graph_, choice->output(1), choice->output(1), "t");
  Node* merge = AddOp(&graph_, "Merge", "merge", {choice->output(0), if_true});
  Node* waits =
      AddOp(&graph_, "TestSource", "waits", {}, {{"value", 1.0F}}, {if_true.node});

  Flow* root = flows_.root();
  EXPECT_EQ(flows_.Of(merge), root);
  EXPECT_EQ(flows_.Of(choice), root);
  EXPECT_EQ(flows_.Of(if_true), flows_.Of(choice->output(1)));
  EXPECT_EQ(flows_.Of(waits), flows_.Of(if_true.node));
  EXPECT_EQ(flows_.Of(if_true), flows_.Branch(root, pred, 1));
  EXPECT_EQ(flows_.Of(choice->output(0)), flows_.Branch(root, pred, 0));
}

TEST_F(FlowMapTest, ALoopHasAConditionAndABody) {
  const Attrs frame{{"frame_name", std::string("a")}};
  const Output x = Source(&graph_, 1, "x");
  Node* enter = AddOp(&graph_, "Enter", "enter", {x}, frame);
  Node* merge = AddOp(&graph_, "Merge", "merge", {enter->output(0), enter->output(0)});
  Node* is_less = AddOp(&graph_, "Less", "less", {merge->output(0), merge->output(0)});
  Node* goes_on = AddOp(&graph_, "LoopCond", "goes_on", {is_less->output(0)});
  Node* loop_switch =
      AddOp(&graph_, "Switch", "loop_switch", {merge->output(0), goes_on->output(0)});
  const Output made =
      Add(&graph_, loop_switch->output(1), loop_switch->output(1), "made");
  Node* next = AddOp(&graph_, "NextIteration", "next", {made});
  graph_.UpdateInput(merge, 1, next->output(0));
  Node* exit = AddOp(&graph_, "Exit", "exit", {loop_switch->output(0)});

  Flow* loop = flows_.After(enter);
  EXPECT_TRUE(loop->is_loop());
  EXPECT_EQ(loop->parent, flows_.root());
  EXPECT_EQ(flows_.Of(enter), flows_.root());
  EXPECT_EQ(flows_.Of(is_less), loop);
  EXPECT_EQ(flows_.Of(loop_switch->output(0)), loop);
  EXPECT_EQ(flows_.Of(made), loop->body);
  EXPECT_EQ(flows_.Of(exit), loop);
  EXPECT_EQ(flows_.Of(exit->output(0)), flows_.root());
  ASSERT_EQ(loop->variables.size(), 1U);
  EXPECT_EQ(loop->variables[0].merge, merge);
  EXPECT_EQ(loop->variables[0].loop_switch, loop_switch);
  EXPECT_EQ(loop->variables[0].exit, exit);
}

}  // namespace
}  // namespace minitf
