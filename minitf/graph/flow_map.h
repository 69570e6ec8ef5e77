// FlowMap: in which branch and which iteration of which loop each node of a graph runs.
//
// Nothing but the nodes says so: a Switch begins two branches, an Enter begins a loop,
// and a node that takes a tensor of a branch or a loop is in it. So a graph that was
// imported has the same flows as one that was built with tf.cond and tf.while_loop:
//
//   root                       what is in no branch and no loop
//     loop "while"             its condition: runs once more than the body
//       body                   what hangs on output 1 of the loop's Switches
//         branch (pred, 1)     what hangs on output 1 of Switch(x, pred)
//
// A node is in the deepest of the flows that its inputs come from. A Merge of branches is
// in what is around them, and what an Exit gives is in what is around the loop.
//
// Compare    tensorflow/python/ops/control_flow_ops.py: CondContext, WhileContext
// Read next  minitf/graph/backward_flow.h

#pragma once

#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "minitf/graph/graph.h"

namespace minitf {

/// The nodes that carry one variable of a loop from iteration to iteration.
struct LoopVariable {
  Node* merge = nullptr;
  Node* loop_switch =
      nullptr;           ///< the Switch: output 0 goes to the Exit, output 1 to the body
  Node* exit = nullptr;  ///< null if the variable is not used after the loop
};

struct Flow {
  enum class Kind { kRoot, kLoop, kBody, kBranch };

  Kind kind = Kind::kRoot;
  Flow* parent = nullptr;  ///< null for the root alone

  Output pred;     ///< of a branch: what decides; of a body: the LoopCond
  int branch = 1;  ///< which output of a Switch leads here

  // Of a loop:
  Node* enter = nullptr;  ///< the first that was made
  std::vector<LoopVariable> variables;
  Flow* body = nullptr;

  /// A node that is alive whenever what is in the flow is; null until one is asked for.
  Node* pivot = nullptr;

  bool is_loop() const { return kind == Kind::kLoop; }
};

class FlowMap {
 public:
  FlowMap() { flows_.emplace_back(); }
  FlowMap(const FlowMap&) = delete;
  FlowMap& operator=(const FlowMap&) = delete;

  /// Whether `nodes` have branches or loops at all.
  static bool Has(const std::vector<Node*>& nodes);

  Flow* root() { return &flows_.front(); }
  /// Where `node` runs. Of an Enter: outside of the loop; of an Exit: in it.
  Flow* Of(Node* node);
  /// Where a tensor is: of an Enter in the loop, of a Switch in a branch or a body.
  Flow* Of(const Output& output);
  /// Where those are that wait for `node`, or take all of its outputs.
  Flow* After(Node* node);
  /// One branch of those that `pred` decides within `parent`.
  Flow* Branch(Flow* parent, const Output& pred, int branch);

 private:
  Flow* Derive(Node* node);
  Flow* LoopOf(Node* enter);
  Flow* CommonOfInputs(const Node& node);
  void NoteVariable(Node* node);

  std::deque<Flow> flows_;
  std::vector<Flow*> of_nodes_;  // by id; null where it is not known yet
  std::map<std::pair<const Flow*, std::string>, Flow*> loops_;  // by loop around, frame
  std::map<std::tuple<const Flow*, int, int, int>, Flow*> branches_;
};

/// Whether `inner` is `outer`, or lies in it.
bool IsWithin(const Flow* inner, const Flow* outer);
/// The innermost flow in which both are.
Flow* CommonFlow(Flow* a, Flow* b);
/// The innermost loop that `flow` is, or is in; null if none.
Flow* LoopAround(Flow* flow);

/// Whether `output` has the same value in every iteration of its loop, as it comes from
/// an Enter that is constant.
bool IsLoopConstant(const Output& output);
/// What `value` is called before Identities give it other names.
Output WithoutIdentity(Output value);
/// The StackV2 that the handle of a stack comes from.
Output StackOf(Output handle);
/// Whether `handle` is that of a stack.
bool IsStack(const Output& handle);
/// Whether `node` is the Switch of a loop, not of a branch.
bool IsLoopSwitch(const Node& node);
/// Whether `node` is the Merge of a variable of a loop, not of branches.
bool IsLoopMerge(const Node& node);

}  // namespace minitf
