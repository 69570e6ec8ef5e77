// Layout: images that come channels first are transposed once, not at every node.
//
//   [N,C,H,W] -> Conv2D -> Relu -> MaxPool -> [N,C,H,W]
//
// The CPU kernels compute on [N,H,W,C]. A kernel that is given [N,C,H,W] transposes its
// input, computes, and transposes its result back. In a chain of k nodes these are 2 k
// transposes, of which 2 are needed. The pass makes nodes of them:
//
//   Conv2D(x, NCHW)   =   ToNchw(Conv2D(ToNhwc(x), NHWC))
//
// and lets an element-wise op change places with a ToNchw in front of it. Where a ToNhwc
// then meets a ToNchw, the rewrite of transposes drops both. What is left is one
// transpose where the chain begins and one where it ends.
//
// A node without a neighbour that could share a transpose is left as it is: nothing would
// be gained. So is a graph that trains: the gradients of these ops take the images in the
// first layout again, and as many transposes would be left as there were.
//
// Compare    tensorflow/core/grappler/optimizers/layout_optimizer.cc, which does the
//            opposite for the GPU
// Read next  minitf/passes/common_subexpression.cc

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "minitf/framework/elementwise.h"
#include "minitf/passes/graph_editor.h"
#include "minitf/passes/pass.h"

namespace minitf {
namespace {

using Axes = std::vector<int64_t>;

const Axes kToNhwc = {0, 2, 3, 1};
const Axes kToNchw = {0, 3, 1, 2};

bool SaysNchw(const Node& node) {
  const AttrValue* format = node.attrs().Find("data_format");
  const auto* text = format == nullptr ? nullptr : std::get_if<std::string>(format);
  return text != nullptr && *text == "NCHW";
}

// An op from images, its first input, to images, its first output, whose layout can be
// changed. Nothing else of it has a layout.
bool CanChange(const Node& node) {
  static const auto& ops = *new std::set<std::string>{
      "Conv2D",  "_FusedConv2D",   "MaxPool",          "AvgPool",
      "BiasAdd", "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"};
  return ops.contains(node.type()) && node.attrs().Find("_kernel") == nullptr &&
         node.output_shape(0).has_rank() && node.output_shape(0).rank() == 4;
}

bool IsNchw(const Node& node) { return SaysNchw(node) && CanChange(node); }

// An op of one input that computes each element from one.
bool IsUnary(const Node& node, Device device) {
  if (node.inputs().size() != 1 || node.num_outputs() != 1) return false;
  const ElementwiseLoop* loop =
      FindElementwiseLoop(device, node.type(), node.output_type(0));
  return loop != nullptr && loop->unary != nullptr;
}

bool IsTranspose(const Node& node, const Axes& axes) {
  if (node.type() != "Transpose") return false;
  const Tensor* permutation = ConstantOf(node.inputs()[1]);
  if (permutation == nullptr || permutation->dtype() != DType::kInt32) return false;
  return std::ranges::equal(permutation->flat<int32_t>(), axes);
}

class LayoutChanger {
 public:
  LayoutChanger(GraphEditor* editor, const PassOptions& options)
      : editor_(*editor), options_(options) {}

  void Run() {
    // A Transpose needs a constant, and one in a loop would have to wait for the loop.
    if (editor_.has_control_flow() || !AllCanChange()) return;
    for (const int id : editor_.InOrder()) {
      Node* node = editor_.node(id);
      if (node == nullptr || editor_.IsKept(node)) continue;
      if (IsNchw(*node) && HasNeighbour(node)) {
        ChangeLayoutOf(node);
      } else if (IsUnary(*node, options_.KernelsOf(*node))) {
        MoveTransposeBehind(node);
      }
    }
  }

 private:
  bool AllCanChange() const {
    return std::ranges::all_of(editor_.graph().nodes(), [](const Node* node) {
      return !SaysNchw(*node) || CanChange(*node);
    });
  }

  // Whether a node of the same kind stands before or behind `node`, or the Transpose that
  // was put behind one, with nothing but element-wise ops between.
  bool HasNeighbour(const Node* node) const {
    const Node* before = node->inputs()[0].node;
    while (IsUnary(*before, options_.KernelsOf(*before)))
      before = before->inputs()[0].node;
    if (IsNchw(*before) || IsTranspose(*before, kToNchw)) return true;
    std::vector<const Node*> behind = {node};
    std::set<const Node*> seen = {node};
    while (!behind.empty()) {
      const Node* at = behind.back();
      behind.pop_back();
      for (const Use& use : editor_.UsesOf(at)) {
        if (use.is_control()) continue;
        if (IsNchw(*use.consumer) && use.input == 0) return true;
        const Node& consumer = *use.consumer;
        const bool goes_on = IsUnary(consumer, options_.KernelsOf(consumer)) &&
                             seen.insert(use.consumer).second;
        if (goes_on) behind.push_back(use.consumer);
      }
    }
    return false;
  }

  Node* AddTranspose(const Output& x, const Axes& axes, const std::string& name,
                     const Node& beside) {
    NodeSpec spec;
    spec.op = "Transpose";
    spec.name = name;
    spec.inputs = {x, Permutation(axes, name, beside)->output(0)};
    spec.device = beside.device();
    spec.origin = beside.origin();
    return editor_.Add(std::move(spec));
  }

  Node* Permutation(const Axes& axes, const std::string& name, const Node& beside) {
    const Tensor value = Tensor::Of(Shape{static_cast<int64_t>(axes.size())},
                                    std::vector<int32_t>(axes.begin(), axes.end()));
    return editor_.AddConstant(value, name + "/perm", beside);
  }

  // A list with an entry for each axis, in the other order.
  static void Permute(NodeSpec* spec, std::string_view attr) {
    const AttrValue* value = spec->attrs.Find(attr);
    if (value == nullptr) return;
    const auto& before = std::get<std::vector<int64_t>>(*value);
    if (before.size() != 4) return;
    std::vector<int64_t> after;
    for (const int64_t axis : kToNhwc) after.push_back(before[axis]);
    spec->attrs.Set(attr, std::move(after));
  }

  // Pairs of paddings for each axis, in the other order.
  static void PermutePairs(NodeSpec* spec, std::string_view attr) {
    const AttrValue* value = spec->attrs.Find(attr);
    if (value == nullptr) return;
    const auto& before = std::get<std::vector<int64_t>>(*value);
    if (before.size() != 8) return;
    std::vector<int64_t> after;
    for (const int64_t axis : kToNhwc) {
      after.push_back(before[2 * axis]);
      after.push_back(before[2 * axis + 1]);
    }
    spec->attrs.Set(attr, std::move(after));
  }

  void ChangeLayoutOf(Node* node) {
    NodeSpec spec;
    spec.op = node->type();
    spec.name = node->name() + "_nhwc";
    spec.attrs = node->attrs();
    spec.attrs.Set("data_format", std::string("NHWC"));
    for (const char* attr : {"strides", "ksize", "dilations"}) Permute(&spec, attr);
    PermutePairs(&spec, "explicit_paddings");
    spec.inputs = node->inputs();
    spec.device = node->device();
    spec.origin = node->origin();
    spec.control_inputs = node->control_inputs();
    const std::string name = node->name() + "/to_nhwc";
    spec.inputs[0] = AddTranspose(spec.inputs[0], kToNhwc, name, *node)->output(0);
    Node* changed = editor_.Add(std::move(spec));
    if (node->num_outputs() == 1) return ReplaceByTranspose(node, changed->output(0));
    Node* back =
        AddTranspose(changed->output(0), kToNchw, node->name() + "/to_nchw", *node);
    editor_.MoveUsesOfOutput(node->output(0), back->output(0));
    for (int i = 1; i < node->num_outputs(); ++i) {
      editor_.MoveUsesOfOutput(node->output(i), changed->output(i));
    }
    editor_.RemoveIfUseless(node->id());
  }

  // Lets `node` be ToNchw(value).
  void ReplaceByTranspose(Node* node, const Output& value) {
    NodeSpec spec;
    spec.op = "Transpose";
    spec.inputs = {value,
                   Permutation(kToNchw, node->name() + "/to_nchw", *node)->output(0)};
    editor_.Replace(node, std::move(spec));
  }

  // f(ToNchw(x)) = ToNchw(f(x))
  void MoveTransposeBehind(Node* node) {
    const Output& input = node->inputs()[0];
    const Node& transpose = *input.node;
    if (!IsTranspose(transpose, kToNchw) || !editor_.HasOneUse(input)) return;
    if (transpose.device() != node->device() || !transpose.control_inputs().empty())
      return;
    NodeSpec spec;
    spec.op = node->type();
    spec.name = node->name() + "_nhwc";
    spec.inputs = {transpose.inputs()[0]};
    spec.device = node->device();
    spec.origin = node->origin();
    spec.control_inputs = node->control_inputs();
    ReplaceByTranspose(node, editor_.Add(std::move(spec))->output(0));
  }

  GraphEditor& editor_;
  const PassOptions& options_;
};

}  // namespace

void ChangeLayout(GraphEditor* editor, const PassOptions& options) {
  LayoutChanger(editor, options).Run();
}

}  // namespace minitf
