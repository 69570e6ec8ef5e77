// Parts of products: of a product of which one part is used, only that part is computed.
//
//   SplitV(MatMul(a, b, transpose_b), sizes, 1), of which one piece alone is used
//   MatMul(a, Slice(b, its rows), transpose_b)
//
// This is what the gradient of MatMul(Concat([x, h]), w) looks like where x is data, for
// which no gradient is asked: the first layer of a recurrent net does half of the work in
// vain. A slice of rows shares the memory of the matrix, so it costs nothing.
//
// The piece is the same but for rounding. What SplitV would refuse must stay an error, so
// the sizes of the pieces must be known, and right; the number of rows need not be.
//
// Read next  minitf/passes/fusion.cc

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "minitf/base/text.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/passes/graph_editor.h"
#include "minitf/passes/pass.h"

namespace minitf {
namespace {

// The only output of `split` that is used. None if there are several, or if a node waits
// for `split`.
std::optional<int> OnlyPiece(const GraphEditor& editor, const Node& split) {
  std::optional<int> piece;
  for (const Use& use : editor.UsesOf(&split)) {
    if (use.is_control() || (piece.has_value() && *piece != use.output)) return {};
    piece = use.output;
  }
  return piece;
}

// Whether `node` does nothing that the session or other nodes could ask for, but for its
// outputs, and the usual kernel computes it.
bool MayReplace(const GraphEditor& editor, const Node& node) {
  return !editor.IsKept(&node) && node.control_inputs().empty() &&
         node.attrs().Find("_kernel") == nullptr;
}

// The sizes of the pieces if they are the columns of a b', which `split` alone uses, and
// fit into it; else nothing.
std::vector<int64_t> PiecesOfColumns(const GraphEditor& editor, const Node& split) {
  const Output& value = split.inputs()[0];
  const Node& product = *value.node;
  const AttrValue* transpose_b = product.attrs().Find("transpose_b");
  const Tensor* sizes = ConstantOf(split.inputs()[1]);
  const Tensor* axis = ConstantOf(split.inputs()[2]);
  if (product.type() != "MatMul" || !std::get<bool>(*transpose_b) ||
      product.device() != split.device() || !MayReplace(editor, product) ||
      !editor.HasOneUse(value) || sizes == nullptr || axis == nullptr ||
      axis->num_elements() != 1 || !value.shape().has_rank()) {
    return {};
  }
  const int along = axis->flat<int32_t>()[0];
  if (along != 1 && along != -1) return {};
  std::vector<int64_t> pieces = IntegersOf(*sizes);
  const bool fits = std::ranges::all_of(pieces, [](int64_t size) { return size >= 0; }) &&
                    std::reduce(pieces.begin(), pieces.end()) == value.shape().dim(1);
  return fits ? pieces : std::vector<int64_t>{};
}

// Rows [first, first + count) of b, the second factor of `product`.
Output RowsOf(GraphEditor* editor, const Node& product, const std::string& name,
              int64_t first, int64_t count) {
  const auto pair = [&](const char* what, int64_t row, int64_t column) {
    const Tensor numbers = Tensor::Of(Shape{2}, std::vector<int64_t>{row, column});
    return editor->AddConstant(numbers, StrCat(name, what), product)->output(0);
  };
  NodeSpec spec;
  spec.op = "Slice";
  spec.name = name;
  spec.device = product.device();
  spec.origin = product.origin();
  spec.inputs = {product.inputs()[1], pair("/begin", first, 0), pair("/size", count, -1)};
  return editor->Add(std::move(spec))->output(0);
}

}  // namespace

void ComputePartsOfProducts(GraphEditor* editor, const PassOptions& options) {
  // A slice needs constants, and one in a loop would have to wait for the loop.
  if (editor->has_control_flow()) return;
  for (const int id : editor->InOrder()) {
    Node* split = editor->node(id);
    if (split == nullptr || split->type() != "SplitV" || !MayReplace(*editor, *split) ||
        !HasKernelOn("Slice", options.KernelsOf(*split))) {
      continue;
    }
    const std::optional<int> piece = OnlyPiece(*editor, *split);
    const std::vector<int64_t> sizes = PiecesOfColumns(*editor, *split);
    if (!piece.has_value() || sizes.size() < 2) continue;
    const Node& product = *split->inputs()[0].node;
    const int64_t first = std::reduce(sizes.begin(), sizes.begin() + *piece);
    const std::string name = StrCat(product.name(), "/part");
    NodeSpec spec;
    spec.op = "MatMul";
    spec.name = name;
    spec.device = product.device();
    spec.origin = product.origin();
    spec.inputs = {product.inputs()[0],
                   RowsOf(editor, product, name + "/rows", first, sizes[*piece])};
    spec.attrs = product.attrs();
    Node* const part = editor->Add(std::move(spec));
    // Of the two ways to the piece, the one that is not used goes, with its inputs.
    const bool moved = editor->MoveUsesOfOutput(split->output(*piece), part->output(0));
    editor->RemoveIfUseless(moved ? id : part->id());
  }
}

}  // namespace minitf
