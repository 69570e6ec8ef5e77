// BackwardFlow: where the nodes of a gradient run, and how they get at what the forward
// nodes have made.
//
// The gradient of a node runs where the node runs: in its branch, and once for each
// iteration of its loop, in the loop that runs backwards. A node of the gradient takes
// tensors from four places:
//
//   its own flow                      as they are
//   around its flow                   through a Switch into a branch, through a constant
//                                     Enter into a loop
//   a branch that is in no loop       as they are: they are dead when it is not taken
//   the forward loop of its own loop  from a stack. An iteration of the forward loop
//                                     pushes, the same one of the gradient pops; both
//                                     loops count their iterations
//
//   forward    i -> Switch -> Add(i, 1) -> ...        backward   n -> Switch -> Sub(n, 1)
//                      |        ^                                    |            ^
//                      +-> StackPush(x)                              +-> StackPop-+
//
// The arrows through Push and Pop are control edges. They keep pushes and pops in the
// order of the iterations. A constant or a tensor from outside the loop needs no stack.
//
// Compare    tensorflow/python/ops/control_flow_state.py: GradLoopState
// Read next  minitf/graph/gradients/graph_emitter.h

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "minitf/graph/gradients/flow_map.h"
#include "minitf/graph/graph.h"

namespace minitf {

/// What counts the iterations of a loop, and orders what happens in them.
struct IterationCounter {
  Node* loop_switch =
      nullptr;           ///< a Switch: alive in each iteration, and dead after the last
  Node* next = nullptr;  ///< the count for the next iteration, which waits for this one
  Node* trigger = nullptr;  ///< through it `next` waits for what may be dead
  Output total;             ///< after the loop
};

/// A loop that is being differentiated: its body, and the body of its gradient.
struct LoopPair {
  Flow* body = nullptr;
  Flow* backward = nullptr;
  IterationCounter forward_iterations;
  IterationCounter backward_iterations;
};

class BackwardFlow {
 public:
  /// Adds a node to the graph, as it is, on the device that is right for `flow`.
  using AddNodeFn = std::function<Node*(NodeSpec, Flow* flow)>;

  /// `pivot` is a node of the flow in which the caller builds; null for none.
  BackwardFlow(Node* pivot, AddNodeFn add_node);

  FlowMap& flows() { return flows_; }
  /// Where the caller builds.
  Flow* top() const { return top_; }
  /// Where nodes are being added. MoveTo changes it: to where the gradient of what runs
  /// in `forward` runs.
  Flow* present() const { return present_; }
  void MoveTo(Flow* forward) { present_ = Mirror(forward); }
  /// Where the gradient of what runs in `forward` runs. Throws Unimplemented if that is a
  /// loop that is not being differentiated.
  Flow* Mirror(Flow* forward);

  /// Adds a node that runs in `flow`, with its inputs brought there.
  Node* Add(NodeSpec spec, Flow* flow);
  Node* Add(std::string_view op, std::vector<Output> inputs, Flow* flow,
            Attrs attrs = {});
  /// Adds a node with these inputs as they are, though they may come from other flows.
  Node* AddAsItIs(std::string_view op, std::vector<Output> inputs, Flow* flow);
  Output Constant(const Tensor& value, Flow* flow);
  /// `value` as nodes of `flow` may take it.
  Output Reach(Output value, Flow* flow);
  /// The node for which one of `flow` has to wait, if all its `inputs` are there whether
  /// `flow` runs or not; else null.
  Node* PivotFor(const std::vector<Output>& inputs, Flow* flow);
  /// Zeros of the shape of `x`, a forward tensor, and of the type `dtype`, in `flow`. For
  /// a resource, of the shape of its variable.
  Output ZerosLike(Output x, DType dtype, Flow* flow);
  /// Whether a node in the present flow would get `value` from a stack.
  bool NeedsStack(const Output& value);

  /// Counts the iterations of `loop` from now on, and those of its gradient, which is a
  /// new loop in Mirror(loop->parent). Requires: no other pair is there for this loop.
  LoopPair& BeginLoop(Flow* loop);
  void EndLoop(LoopPair* pair);
  /// A variable of the loop `flow` that starts as `start`, a tensor of what is around;
  /// its Merge still takes `start` in place of what comes back.
  LoopVariable AddVariable(Output start, Flow* flow, const PartialShape& shape);
  /// Lets the variable be `value` in the next iteration.
  void CloseVariable(const LoopVariable& variable, Output value, Flow* flow);

  /// In the present iteration, pushes `dy` on the stack of the gradients of what is
  /// popped from `stack`. Returns that stack. Requires: the present flow is in a backward
  /// loop.
  Output PushGradient(Output stack, Output dy);
  /// The stack that PushGradient has made for `stack`.
  Output GradientStackOf(Output stack) const {
    return gradient_stacks_.at({nullptr, stack.node->id(), stack.index});
  }
  /// In the present iteration, pops a tensor like `like` from `stack`.
  Output Pop(Output stack, Output like);

 private:
  Output BringDown(Output value, Flow* from, Flow* into);
  Output Enter(Output value, Flow* loop, bool is_constant);
  Node* SwitchFor(Output value, const Flow& branch);
  Node* Insert(NodeSpec spec, Flow* flow);
  Node* Pivot(Flow* flow);
  LoopPair* PairAround(Flow* flow);
  LoopPair& PresentPair();
  LoopPair* StackedIn(Flow* home, const Flow* into);
  Output FromForward(Output value, LoopPair* pair);
  Output PushAndPop(Output value, LoopPair* pair);
  Output Stack(DType dtype, const LoopPair& pair);
  Output NewStack(DType dtype, Flow* flow);
  void CountForward(LoopPair* pair);
  void CountBackward(LoopPair* pair);
  void Push(Output stack, Output value, IterationCounter* iterations, Flow* body,
            Flow* flow);
  Output Pop(Output stack, Output like, LoopPair* pair, Flow* flow);
  void LetWait(IterationCounter* iterations, Node* node, Flow* body);

  AddNodeFn add_node_;
  FlowMap flows_;
  Flow* top_ = nullptr;
  Flow* present_ = nullptr;
  std::map<const Flow*, std::unique_ptr<LoopPair>> pairs_;  // by the forward body
  using InFlow = std::tuple<const Flow*, int, int>;  // a flow, and an output by its node
  std::map<InFlow, Output> brought_;
  std::map<InFlow, Output> popped_;           // by forward body
  std::map<InFlow, Output> gradient_stacks_;  // by the stack of whose elements they are
  std::map<std::pair<InFlow, InFlow>, Node*> switches_;  // by what decides, and data
};

}  // namespace minitf
