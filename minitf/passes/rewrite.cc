// Arithmetic rewrites: the same result from less work, by rules that hold for all inputs.
//
//   an op and its neutral element         x
//   -(-x), not not x                       x
//   Transpose(Transpose(x, p), q)          Transpose(x, p then q), or x
//   Reshape(Reshape(x, s), t)              Reshape(x, t), or x if that is its shape
//   Sum, Slice, Tile, ... to x's shape     x
//   MatMul(Transpose(a), b)                MatMul(a, b, transpose_a)
//   x * x                                  Square(x)
//
// Broadcasting is what makes the first line hard: [3] * [[1],[1]] is not [3]. A rule is
// used where the shapes are known well enough to tell. And all bits must be the same, for
// every x that a float can hold: x * 0 = 0 is no rule, since x may be NaN.
//
// A rule sees one node and its inputs. It changes the graph and returns true, or does
// nothing and returns false. After the first rule that returns true no other is tried.
//
// Exercise   exercises/07_passes
// Compare    tensorflow/core/grappler/optimizers/arithmetic_optimizer.cc
// Read next  minitf/passes/layout.cc

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "minitf/framework/shape_inference.h"
#include "minitf/passes/graph_editor.h"
#include "minitf/passes/pass.h"

namespace minitf {
namespace {

bool HasType(const Node& node, const std::set<std::string, std::less<>>& types) {
  return types.contains(node.type());
}

// ---- Neutral elements -----------------------------------------------------------------

// Whether a number in floating point is `value`, so that one can stand for the other.
template <typename T>
bool IsTheNumber(T element, double value) {
  // LAB(07.5) begin: return it
  // Of a 0, the sign counts too.
  return element == static_cast<T>(value) && std::signbit(element) == std::signbit(value);
  // LAB(07.5) end
}

// Whether every element of `tensor` is `value`.
bool IsAll(const Tensor& tensor, double value) {
  return VisitDType(tensor.dtype(), [&]<typename T>() {
    if constexpr (std::is_floating_point_v<T>) {
      return std::ranges::all_of(tensor.flat<T>(),
                                 [&](T element) { return IsTheNumber(element, value); });
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      return std::ranges::all_of(
          tensor.flat<T>(), [&](T element) { return element == static_cast<T>(value); });
    } else {
      return false;
    }
  });
}

// Whether x and a constant of shape `constant` broadcast to the shape of x.
bool BroadcastsToShapeOf(const PartialShape& x, const Shape& constant) {
  // LAB(07.5) begin: return it
  const auto sizes = constant.sizes();
  if (constant.rank() == 0) return true;
  if (!x.has_rank() || x.rank() < constant.rank()) return false;
  for (int i = 1; i <= constant.rank(); ++i) {
    const int64_t size = sizes[sizes.size() - i];
    if (size != 1 && size != x.dim(-i)) return false;
  }
  return true;
  // LAB(07.5) end
}

// If input `i` of `node` is a constant of `value` only, the other input where the result
// has its shape.
bool BypassNeutral(GraphEditor* editor, Node* node, int i, double value) {
  const Tensor* constant = ConstantOf(node->inputs()[i]);
  const Output x = node->inputs()[1 - i];
  if (constant == nullptr || !IsAll(*constant, value)) return false;
  return BroadcastsToShapeOf(x.shape(), constant->shape()) && editor->Bypass(node, x);
}

// Ops that give one of their inputs if the other is a certain number.
bool RemoveNeutral(GraphEditor* editor, Node* node) {
  const std::string& type = node->type();
  // LAB(07.5) begin: bypass what adds, subtracts, multiplies, divides in vain
  if (type == "Mul") {
    return BypassNeutral(editor, node, 0, 1) || BypassNeutral(editor, node, 1, 1);
  }
  if (type == "Add" || type == "AddV2") {
    return BypassNeutral(editor, node, 0, -0.0) || BypassNeutral(editor, node, 1, -0.0);
  }
  if (type == "Sub") return BypassNeutral(editor, node, 1, 0);
  if (type == "Div" || type == "RealDiv") return BypassNeutral(editor, node, 1, 1);
  return false;
  // LAB(07.5) end
}

// Ops that are their own inverse.
bool RemoveInvolution(GraphEditor* editor, Node* node) {
  if (!HasType(*node, {"Neg", "LogicalNot", "Invert", "Conj"})) return false;
  const Node* inner = node->inputs()[0].node;
  return inner->type() == node->type() && inner->control_inputs().empty() &&
         inner->device() == node->device() && editor->Bypass(node, inner->inputs()[0]);
}

// ---- Moving elements ------------------------------------------------------------------

// Ops whose result has the elements of their first input whenever it has its shape. Sizes
// that are made in the step may be wrong, and then it is the kernel that says so.
bool RemoveSameShape(GraphEditor* editor, Node* node) {
  static const auto& kOps = *new std::set<std::string, std::less<>>{
      "Reshape", "Squeeze", "BroadcastTo", "Slice", "Pad", "PadV2", "MirrorPad", "Tile",
      "Sum",     "Mean",    "Prod",        "Max",   "Min", "Any",   "All"};
  if (!HasType(*node, kOps)) return false;
  for (size_t i = 1; i < node->inputs().size(); ++i) {
    if (ConstantOf(node->inputs()[i]) == nullptr) return false;
  }
  const Output x = node->inputs()[0];
  return HaveSameKnownShape(x, node->output(0)) && editor->Bypass(node, x);
}

// A Reshape of a batch of any size to what it was: [?,784] to [-1,784].
bool RemoveBatchReshape(GraphEditor* editor, Node* node) {
  if (node->type() != "Reshape") return false;
  const Output x = node->inputs()[0];
  const PartialShape& shape = x.shape();
  const Tensor* sizes = ConstantOf(node->inputs()[1]);
  if (sizes == nullptr || !shape.has_rank()) return false;
  const std::vector<int64_t> after = IntegersOf(*sizes);
  if (!std::ranges::equal(after, shape.sizes())) return false;
  // One size is open at most, and the others leave no choice for it.
  return std::ranges::count(after, -1) == 1 && std::ranges::count(after, 0) == 0 &&
         editor->Bypass(node, x);
}

bool RemoveOnlyInput(GraphEditor* editor, Node* node) {
  const bool is_sum = node->type() == "AddN" && node->inputs().size() == 1;
  const bool is_cast =
      node->type() == "Cast" && node->inputs()[0].dtype() == node->output_type(0);
  return (is_sum || is_cast) && editor->Bypass(node, node->inputs()[0]);
}

// What a node takes may be replaced only if it is not the wait that matters.
bool IsInnerOf(const Node& inner, const Node& node) {
  return inner.control_inputs().empty() && inner.device() == node.device();
}

bool JoinReshapes(GraphEditor* editor, Node* node) {
  if (node->type() != "Reshape") return false;
  const Node* inner = node->inputs()[0].node;
  if (!HasType(*inner, {"Reshape", "Squeeze", "ExpandDims"})) return false;
  if (!IsInnerOf(*inner, *node)) return false;
  const Output x = inner->inputs()[0];
  // The inner shape is there from the start: nothing waits for its coming.
  if (inner->inputs().size() > 1 && !IsFreeConstant(*inner->inputs()[1].node)) {
    return false;
  }
  return editor->ReplaceInput(node, 0, x);
}

// The permutation of a Transpose, if it is a constant.
std::optional<std::vector<int64_t>> PermutationOf(const Node& node) {
  if (node.type() != "Transpose") return {};
  if (!IsFreeConstant(*node.inputs()[1].node)) return {};
  const Tensor* permutation = ConstantOf(node.inputs()[1]);
  if (permutation->rank() != 1) return {};
  std::vector<int64_t> axes = IntegersOf(*permutation);
  const auto rank = static_cast<int64_t>(axes.size());
  std::vector<char> seen(axes.size());
  for (const int64_t axis : axes) {
    if (axis < 0 || axis >= rank || seen[axis]) return {};
    seen[axis] = 1;
  }
  return axes;
}

bool IsUnchanged(const std::vector<int64_t>& permutation) {
  return std::ranges::is_sorted(permutation);
}

// Whether x is known to have `rank` axes. A Transpose of what has others fails.
bool HasRank(const Output& x, size_t rank) {
  return x.shape().has_rank() && static_cast<size_t>(x.shape().rank()) == rank;
}

// Lets `node` be the transpose of x by `axes`.
bool BecomeTranspose(GraphEditor* editor, Node* node, const Output& x,
                     const std::vector<int64_t>& axes) {
  Tensor permutation = Tensor::Of(Shape{static_cast<int64_t>(axes.size())}, axes);
  if (node->inputs()[1].dtype() == DType::kInt32) {
    permutation =
        Tensor::Of(permutation.shape(), std::vector<int32_t>(axes.begin(), axes.end()));
  }
  Node* constant = editor->AddConstant(permutation, StrCat(node->name(), "/perm"), *node);
  NodeSpec spec;
  spec.op = "Transpose";
  spec.inputs = {x, constant->output(0)};
  if (editor->Replace(node, std::move(spec)) != nullptr) return true;
  editor->Discard(constant);
  return false;
}

// A Transpose that moves nothing goes; one of a Transpose becomes one of what that takes.
bool JoinTransposes(GraphEditor* editor, Node* node) {
  const auto outer_axes = PermutationOf(*node);
  if (!outer_axes) return false;
  // LAB(07.6) begin: bypass the node, or let it become another transpose
  // The rank of the input is not known to be that of the permutation, but any other is an
  // error that the step would report.
  const auto may_go = [](const std::vector<int64_t>& axes, const Output& x) {
    return IsUnchanged(axes) && HasRank(x, axes.size());
  };
  const Output y = node->inputs()[0];
  if (may_go(*outer_axes, y)) return editor->Bypass(node, y);
  const Node* inner = y.node;
  const auto inner_axes = PermutationOf(*inner);
  if (!inner_axes || !IsInnerOf(*inner, *node)) return false;
  if (inner_axes->size() != outer_axes->size()) return false;

  std::vector<int64_t> axes;
  for (const int64_t axis : *outer_axes) axes.push_back((*inner_axes)[axis]);
  const Output x = inner->inputs()[0];
  if (may_go(axes, x)) return editor->Bypass(node, x);
  return BecomeTranspose(editor, node, x, axes);
  // LAB(07.6) end
}

// ---- Products of matrices -------------------------------------------------------------

// Whether a transpose by `axes` transposes matrices, and does nothing else.
bool SwapsLastTwo(const std::vector<int64_t>& axes) {
  // LAB(07.7) begin: return it
  const size_t rank = axes.size();
  if (rank < 2) return false;
  std::vector<int64_t> expected(rank);
  for (size_t i = 0; i < rank; ++i) expected[i] = static_cast<int64_t>(i);
  std::swap(expected[rank - 1], expected[rank - 2]);
  return axes == expected;
  // LAB(07.7) end
}

// A product reads a transposed matrix as fast as another, so the flag costs nothing.
bool FoldTransposeIntoProduct(GraphEditor* editor, Node* node) {
  const bool is_batch = HasType(*node, {"BatchMatMul", "BatchMatMulV2"});
  if (!is_batch && node->type() != "MatMul") return false;
  if (is_batch && IsComplex(node->output_type(0))) return false;  // adj conjugates
  NodeSpec spec;
  spec.op = node->type();
  spec.attrs = node->attrs();
  spec.inputs = node->inputs();
  bool changed = false;
  // LAB(07.7) begin: take what the transposes take, and change the flags
  for (int i = 0; i < 2; ++i) {
    const Node* transpose = node->inputs()[i].node;
    const auto axes = PermutationOf(*transpose);
    if (!axes || !SwapsLastTwo(*axes) || !IsInnerOf(*transpose, *node)) continue;
    if (!is_batch && axes->size() != 2) continue;
    // A MatMul of what is no matrix fails, as the Transpose does; a batch may be any.
    if (is_batch && !HasRank(transpose->inputs()[0], axes->size())) continue;
    const std::string flag =
        StrCat(is_batch ? "adj_" : "transpose_", is_batch ? "xy"[i] : "ab"[i]);
    spec.attrs.Set(flag, !node->attrs().Get<bool>(flag));
    spec.inputs[i] = transpose->inputs()[0];
    changed = true;
  }
  // LAB(07.7) end
  return changed && editor->Replace(node, std::move(spec)) != nullptr;
}

bool UseSquare(GraphEditor* editor, Node* node) {
  if (node->type() != "Mul" || !(node->inputs()[0] == node->inputs()[1])) return false;
  const DType dtype = node->output_type(0);
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64) return false;
  NodeSpec spec;
  spec.op = "Square";
  spec.inputs = {node->inputs()[0]};
  return editor->Replace(node, std::move(spec)) != nullptr;
}

}  // namespace

void RewriteArithmetic(GraphEditor* editor, const PassOptions&) {
  using Rule = bool (*)(GraphEditor*, Node*);
  constexpr Rule kRules[] = {
      RemoveNeutral,      RemoveInvolution,         RemoveSameShape,
      RemoveBatchReshape, RemoveOnlyInput,          JoinReshapes,
      JoinTransposes,     FoldTransposeIntoProduct, UseSquare};
  for (const int id : editor->InOrder()) {
    for (const Rule rule : kRules) {
      Node* node = editor->node(id);
      if (node == nullptr || rule(editor, node)) break;
    }
  }
}

}  // namespace minitf
