// Sums of products: many small products that are added up become one large product.
//
//   AddN(MatMul(a, c, transpose_a), MatMul(b, d, transpose_a))
//   MatMul(Concat([a, b]), Concat([c, d]), transpose_a)
//
// This is what the gradient of a weight looks like that a graph uses in many places, such
// as in every time step of a recurrent net: each step gives a product as large as the
// weight, which is written once and read once to be added, for a few multiplications an
// element. To join the factors along the axis that is summed over is less to copy, and a
// large product makes good use of the caches.
//
// The sum is the same but for rounding. All shapes must be known: a product of factors
// that do not fit is an error, which must not become a sum of others that happen to fit.
//
// Read next  minitf/passes/fusion.cc

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "minitf/base/text.h"
#include "minitf/passes/graph_editor.h"
#include "minitf/passes/pass.h"

namespace minitf {
namespace {

// Few products are added as soon as they are joined.
constexpr size_t kMinProducts = 4;

bool IsSet(const Node& node, const char* attr) {
  const AttrValue* value = node.attrs().Find(attr);
  return value != nullptr && std::get<bool>(*value);
}

// Whether `node` is a sum of enough, computed by the usual kernel, where factors can be
// joined.
bool MayReplace(const GraphEditor& editor, const Node& node, const PassOptions& options) {
  return node.type() == "AddN" && node.inputs().size() >= kMinProducts &&
         !editor.IsKept(&node) && node.attrs().Find("_kernel") == nullptr &&
         HasKernelOn("ConcatV2", options.KernelsOf(node));
}

// Whether `product` is a'b, for the sum `node` alone, by the usual kernel.
bool MayJoin(const GraphEditor& editor, const Output& product, const Node& node) {
  const Node& inner = *product.node;
  return inner.type() == "MatMul" && IsSet(inner, "transpose_a") &&
         !IsSet(inner, "transpose_b") && inner.control_inputs().empty() &&
         inner.device() == node.device() && inner.attrs().Find("_kernel") == nullptr &&
         editor.HasOneUse(product) && !editor.IsKept(&inner);
}

// Whether the factors a [k,m] and b [k,n], for all products together, are less to copy
// than the products [m,n] are to write and to read.
bool Pays(const Node& sum) {
  const PartialShape& shape = sum.output_shape(0);
  if (!shape.IsFullyKnown()) return false;
  double copied = 0;
  for (const Output& product : sum.inputs()) {
    const PartialShape& a = product.node->inputs()[0].shape();
    if (!a.IsFullyKnown() || !product.node->inputs()[1].shape().IsFullyKnown()) {
      return false;
    }
    copied += static_cast<double>(a.dim(0)) *
              (static_cast<double>(shape.dim(0)) + static_cast<double>(shape.dim(1)));
  }
  return copied <= static_cast<double>(shape.num_elements() * sum.inputs().size());
}

// Factors number `i` of all products, one below the other.
Node* JoinFactors(GraphEditor* editor, const Node& sum, int i) {
  const std::string name = StrCat(sum.name(), "/factors_", i);
  NodeSpec spec;
  spec.op = "ConcatV2";
  spec.name = name;
  spec.device = sum.device();
  spec.origin = sum.origin();
  for (const Output& product : sum.inputs()) {
    spec.inputs.push_back(product.node->inputs()[i]);
  }
  const Tensor axis = Tensor::Of(Shape{}, std::vector<int32_t>{0});
  spec.inputs.push_back(editor->AddConstant(axis, name + "/axis", sum)->output(0));
  spec.attrs.Set("N", static_cast<int64_t>(sum.inputs().size()));
  return editor->Add(std::move(spec));
}

}  // namespace

void JoinProductSums(GraphEditor* editor, const PassOptions& options) {
  // Joining needs a constant, and one in a loop would have to wait for the loop.
  if (editor->has_control_flow()) return;
  for (const int id : editor->InOrder()) {
    Node* node = editor->node(id);
    if (node == nullptr || !MayReplace(*editor, *node, options)) continue;
    const auto may_join = [&](const Output& product) {
      return MayJoin(*editor, product, *node);
    };
    if (!std::ranges::all_of(node->inputs(), may_join) || !Pays(*node)) continue;
    NodeSpec spec;
    spec.op = "MatMul";
    spec.inputs = {JoinFactors(editor, *node, 0)->output(0),
                   JoinFactors(editor, *node, 1)->output(0)};
    spec.attrs.Set("transpose_a", true);
    editor->Replace(node, std::move(spec));
  }
}

}  // namespace minitf
