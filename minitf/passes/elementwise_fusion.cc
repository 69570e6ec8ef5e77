// Element-wise fusion: a tree of element-wise ops becomes one node.
//
//   y = Tanh(Add(Mul(x, 2), z))
//   y = _FusedElementwise(x, 2, z)   ops: Mul(0,1)  Add(3,2)  Tanh(4)
//
// Each of the three reads and writes as many numbers as there are elements, and computes
// next to nothing. The fused kernel keeps what lies between in the cache.
//
// A tree is grown from its root, as far as inputs can be computed along with it. What it
// takes from outside has the root's shape, or is one number, or a row of numbers that is
// used over and over, such as a bias. The new node bears the name of the root.
//
// Which ops are element-wise is asked of the device on which they are placed: those that
// it has loops for (minitf/framework/elementwise.h).
//
// Exercise   exercises/07_passes
// Compare    XLA's tensorflow/compiler/xla/service/instruction_fusion.cc
// Read next  minitf/passes/memory_plan.h

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "minitf/framework/elementwise.h"
#include "minitf/passes/graph_editor.h"
#include "minitf/passes/pass.h"

namespace minitf {
namespace {

// More steps would not fit the cache much better, and more inputs not at all.
constexpr size_t kMaxSteps = 64;
constexpr size_t kMaxInputs = 16;

constexpr auto kFusedOp = "_FusedElementwise";

// Whether the kernels of `device` can compute `node` as a step of a fused one.
bool IsFusible(const Node& node, Device device) {
  if (!IsPure(node) || node.num_outputs() != 1) return false;
  const DType dtype = node.output_type(0);
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64) return false;
  if (node.attrs().Find("_kernel") != nullptr) return false;
  return FindElementwiseLoop(device, node.type(), dtype) != nullptr &&
         HasKernelOn(kFusedOp, device);
}

// Whether a tensor of shape `row` is several numbers that are read over and over beside
// one of `shape`: it has the last sizes of that, and no others.
bool IsRow(const PartialShape& row, const PartialShape& shape) {
  if (!shape.has_rank() || !row.has_rank() || row.rank() > shape.rank()) return false;
  if (row.num_elements() <= 1) return false;  // or not known, which is -1
  int axis = row.rank();
  const int missing = shape.rank() - axis;
  while (axis > 0 && row.dim(axis - 1) == shape.dim(missing + axis - 1)) --axis;
  while (axis > 0 && row.dim(axis - 1) == 1) --axis;
  return axis == 0;
}

// Whether `value` is one number, which stretches to `shape` and does not change it.
bool IsNumber(const Output& value, const PartialShape& shape) {
  // LAB(07.8) begin: return it; either shape may be unknown
  if (value.shape().num_elements() != 1) return false;
  return value.shape().rank() == 0 ||
         (shape.has_rank() && value.shape().rank() <= shape.rank());
  // LAB(07.8) end
}

// Whether all that `node` takes has `shape` or is one number, or a row.
bool TakesOnly(const Node& node, const PartialShape& shape) {
  return std::ranges::all_of(node.inputs(), [&](const Output& input) {
    return input.shape() == shape || IsNumber(input, shape) ||
           IsRow(input.shape(), shape);
  });
}

class Tree {
 public:
  // `device`: whose kernels run `root`.
  Tree(GraphEditor* editor, Node* root, Device device)
      : editor_(*editor), root_(root), device_(device) {
    std::vector<Node*> to_visit = {root};
    nodes_.insert(root);
    while (!to_visit.empty()) {
      const Node* node = to_visit.back();
      to_visit.pop_back();
      for (const Output& input : node->inputs()) {
        if (!MayTakeIn(input.node)) continue;
        nodes_.insert(input.node);
        if (NumInputs() <= kMaxInputs) {
          to_visit.push_back(input.node);
        } else {
          nodes_.erase(input.node);
        }
      }
    }
  }

  bool IsWorthIt() const { return nodes_.size() >= 2; }

  bool Fuse() {
    NodeSpec spec;
    spec.op = kFusedOp;
    AddStep(root_, &spec);
    const auto num_inputs = static_cast<int64_t>(spec.inputs.size());
    std::vector<int64_t> arguments;
    // LAB(07.9) begin: number inputs from 0 on, results after them, -1 for none
    for (const Argument& argument : arguments_) {
      const int64_t offset = argument.is_result ? num_inputs : 0;
      arguments.push_back(argument.number < 0 ? -1 : argument.number + offset);
    }
    // LAB(07.9) end
    spec.attrs = {{"ops", ops_}, {"arguments", std::move(arguments)}};
    // LAB(07.9) begin: add what the nodes of the tree wait for
    for (const Node* node : nodes_) {
      if (node == root_) continue;  // Replace takes those of the root
      for (Node* input : node->control_inputs()) spec.control_inputs.push_back(input);
    }
    // LAB(07.9) end
    std::ranges::sort(spec.control_inputs, {}, &Node::id);
    return editor_.Replace(root_, std::move(spec)) != nullptr;
  }

 private:
  struct Argument {
    bool is_result = false;
    int64_t number = -1;
  };

  // Whether `node` can be computed along with the root, and nowhere else.
  bool MayTakeIn(const Node* node) const {
    // LAB(07.8) begin: return it
    if (nodes_.contains(node) || nodes_.size() >= kMaxSteps) return false;
    const bool is_private =
        std::ranges::all_of(editor_.UsesOf(node), [&](const Use& use) {
          return !use.is_control() && nodes_.contains(use.consumer);
        });
    if (!is_private || !IsFusible(*node, device_) || editor_.IsKept(node)) return false;
    if (node->device() != root_->device()) return false;
    if (node->output_type(0) != root_->output_type(0)) return false;
    const PartialShape& shape = root_->output_shape(0);
    return node->output_shape(0) == shape && TakesOnly(*node, shape);
    // LAB(07.8) end
  }

  // How many tensors the tree takes from outside.
  size_t NumInputs() const {
    std::set<std::pair<int, int>> inputs;
    for (const Node* node : nodes_) {
      for (const Output& input : node->inputs()) {
        if (nodes_.contains(input.node)) continue;
        inputs.emplace(input.node->id(), input.index);
      }
    }
    return inputs.size();
  }

  // Adds the steps of `node`, those of its inputs first. A tree has at most kMaxSteps
  // nodes, so the recursion goes no deeper.
  Argument AddStep(const Node* node, NodeSpec* spec) {
    // LAB(07.9) begin: add the steps; return where the result is
    if (const auto found = results_.find(node); found != results_.end()) {
      return found->second;
    }
    Argument arguments[2];
    for (size_t i = 0; i < node->inputs().size(); ++i) {
      const Output& input = node->inputs()[i];
      arguments[i] = nodes_.contains(input.node) ? AddStep(input.node, spec)
                                                 : InputNumber(input, spec);
    }
    ops_.push_back(node->type());
    arguments_.insert(arguments_.end(), arguments, arguments + 2);
    return results_[node] = {true, static_cast<int64_t>(ops_.size()) - 1};
    // LAB(07.9) end
  }

  // The number of an input of the new node, which is added if it is not there.
  static Argument InputNumber(const Output& input, NodeSpec* spec) {
    // LAB(07.9) begin: return it
    const auto found = std::ranges::find(spec->inputs, input);
    const auto number = found - spec->inputs.begin();
    if (found == spec->inputs.end()) spec->inputs.push_back(input);
    return {false, number};
    // LAB(07.9) end
  }

  GraphEditor& editor_;
  Node* const root_;
  const Device device_;
  std::unordered_set<const Node*> nodes_;
  std::vector<std::string> ops_;
  std::vector<Argument> arguments_;  // two for each op
  std::map<const Node*, Argument> results_;
};

}  // namespace

void FuseElementwise(GraphEditor* editor, const PassOptions& options) {
  std::vector<int> ids = editor->InOrder();
  // From the end, so that a root is found before what it takes in.
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    Node* node = editor->node(*id);
    if (node == nullptr || editor->IsKept(node)) continue;
    const Device device = options.KernelsOf(*node);
    if (!IsFusible(*node, device)) continue;
    if (!TakesOnly(*node, node->output_shape(0))) continue;
    Tree tree(editor, node, device);
    if (tree.IsWorthIt()) tree.Fuse();
  }
}

}  // namespace minitf
