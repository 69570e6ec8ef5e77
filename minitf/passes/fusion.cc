// Fusion: a product, its bias and its activation become one node; a scale after it
// becomes part of its weights.
//
//   Relu(BiasAdd(Conv2D(x, w), b))     _FusedConv2D(x, w, b)    fused_ops: BiasAdd, Relu
//   MatMul(x, w) + b                   _FusedMatMul(x, w, b)    fused_ops: BiasAdd
//   Conv2D(x, w) * s                   Conv2D(x, w * s)         w and s constants
//   (Conv2D(x, w) + b) * s             Conv2D(x, w * s) + b * s
//
// The last two are what is left of a batch normalisation for inference, when constant
// folding has worked out scale and offset of each channel.
//
// Fusing goes step by step: the bias first, then the activation joins the fused node. A
// product is fused only if no other node uses its result. The new node bears the name of
// the last of those that it stands for.
//
// Exercise   exercises/07_passes
// Compare    tensorflow/core/grappler/optimizers/remapper.cc,
//            tensorflow/tools/graph_transforms/fold_batch_norms.cc
// Read next  kernels/cpu/common/epilogue.h

#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "minitf/framework/elementwise.h"
#include "minitf/passes/graph_editor.h"
#include "minitf/passes/pass.h"

namespace minitf {
namespace {

bool IsFloatOrDouble(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat64;
}

bool IsConvolution(const Node& node) {
  return node.type() == "Conv2D" || node.type() == "_FusedConv2D";
}

bool IsProduct(const Node& node) {
  return node.type() == "MatMul" || node.type() == "_FusedMatMul" || IsConvolution(node);
}

std::string FormatOf(const Node& node) {
  const AttrValue* format = node.attrs().Find("data_format");
  return format == nullptr ? "NHWC" : std::get<std::string>(*format);
}

// What a fused node does after its product.
std::vector<std::string> FusedOpsOf(const Node& product) {
  const AttrValue* ops = product.attrs().Find("fused_ops");
  if (ops == nullptr) return {};
  return std::get<std::vector<std::string>>(*ops);
}

// Whether `product`, an input of `node`, may become one with it.
bool MayFuse(const GraphEditor& editor, const Output& product, const Node& node) {
  const Node& inner = *product.node;
  return IsProduct(inner) && IsFloatOrDouble(product.dtype()) &&
         editor.HasOneUse(product) && !editor.IsKept(&inner) &&
         inner.device() == node.device() && inner.attrs().Find("_kernel") == nullptr &&
         node.attrs().Find("_kernel") == nullptr;
}

// ---- Bias and activation --------------------------------------------------------------

std::string FusedOpOf(const Node& product) {
  return IsConvolution(product) ? "_FusedConv2D" : "_FusedMatMul";
}

// Whether the device of `node` can compute `product` and `node` as one.
bool HasFusedKernel(const Node& product, const Node& node, const PassOptions& options) {
  return HasKernelOn(FusedOpOf(product), options.KernelsOf(node));
}

// `product` as a fused node, with one more op and, if there is one, one more argument.
NodeSpec Fused(const Node& product, const std::string& op, std::optional<Output> bias) {
  NodeSpec spec;
  spec.op = FusedOpOf(product);
  spec.inputs = product.inputs();
  if (bias) spec.inputs.push_back(*bias);
  spec.control_inputs = product.control_inputs();
  for (const AttrDef& attr : FindOp(spec.op).attrs) {
    const AttrValue* value = product.attrs().Find(attr.name);
    if (value != nullptr && attr.name != "num_args") spec.attrs.Set(attr.name, *value);
  }
  std::vector<std::string> ops = FusedOpsOf(product);
  ops.push_back(op);
  spec.attrs.Set("fused_ops", std::move(ops));
  spec.attrs.Set("num_args", static_cast<int64_t>(spec.inputs.size()) - 2);
  return spec;
}

// Whether a tensor of `shape`, broadcast to images of `format`, gives each of `channels`
// channels a number of its own: [K] for NHWC, [K,1,1] or [1,K,1,1] for NCHW.
bool IsOfChannels(const PartialShape& shape, int64_t channels, const std::string& format,
                  int rank) {
  // LAB(07.10) begin: return it
  if (!shape.IsFullyKnown() || shape.rank() > rank) return false;
  if (shape.num_elements() != channels) return false;
  const int axis = format == "NHWC" ? -1 : -3;
  return shape.rank() >= -axis && shape.dim(axis) == channels;
  // LAB(07.10) end
}

// Whether adding `bias` to `product` adds one number to each channel. A constant may have
// any shape of that kind; another tensor must be [K].
bool IsBiasOf(const Output& bias, const Output& product) {
  const PartialShape& shape = product.shape();
  if (!shape.has_rank()) return false;
  const std::string format = FormatOf(*product.node);
  const int64_t channels = shape.dim(format == "NHWC" ? -1 : 1);
  const bool is_vector = bias.shape().has_rank() && bias.shape().rank() == 1;
  return IsOfChannels(bias.shape(), channels, format, shape.rank()) &&
         (is_vector || IsFreeConstant(*bias.node));
}

// Which input of `node` is a product to which the other input is the bias; -1 if none.
int ProductBesideBias(const Node& node) {
  if (node.type() == "BiasAdd") {
    const Node& product = *node.inputs()[0].node;
    const bool fits = !IsConvolution(product) || FormatOf(product) == FormatOf(node);
    return IsProduct(product) && fits ? 0 : -1;
  }
  if (node.type() != "Add" && node.type() != "AddV2") return -1;
  for (int i = 0; i < 2; ++i) {
    const Output& product = node.inputs()[i];
    if (IsProduct(*product.node) && IsBiasOf(node.inputs()[1 - i], product)) return i;
  }
  return -1;
}

bool FuseBias(GraphEditor* editor, Node* node, const PassOptions& options) {
  const int i = ProductBesideBias(*node);
  if (i < 0 || !MayFuse(*editor, node->inputs()[i], *node)) return false;
  const Node& product = *node->inputs()[i].node;
  if (!FusedOpsOf(product).empty()) return false;
  if (!HasFusedKernel(product, *node, options)) return false;
  Output bias = node->inputs()[1 - i];
  Node* vector = nullptr;  // a constant of another shape, as [K]
  if (bias.shape().has_rank() && bias.shape().rank() > 1) {
    const Tensor& value = *ConstantOf(bias);
    vector = editor->AddConstant(value.Reshaped({value.num_elements()}),
                                 bias.node->name() + "_vector", *node);
    bias = vector->output(0);
  }
  if (editor->Replace(node, Fused(product, "BiasAdd", bias)) != nullptr) return true;
  if (vector != nullptr) editor->Discard(vector);
  return false;
}

bool FuseActivation(GraphEditor* editor, Node* node, const PassOptions& options) {
  if (node->inputs().size() != 1 || node->num_outputs() != 1) return false;
  const ElementwiseLoop* loop =
      FindElementwiseLoop(options.KernelsOf(*node), node->type(), node->output_type(0));
  if (loop == nullptr || loop->unary == nullptr) return false;
  if (!MayFuse(*editor, node->inputs()[0], *node)) return false;
  const Node& product = *node->inputs()[0].node;
  // As TensorFlow does: an activation follows a bias, and nothing follows it.
  if (FusedOpsOf(product) != std::vector<std::string>{"BiasAdd"}) return false;
  return editor->Replace(node, Fused(product, node->type(), {})) != nullptr;
}

// ---- Scales into weights --------------------------------------------------------------

template <typename T>
std::optional<Tensor> ScaledAs(const Tensor& weights, const Tensor& scale) {
  Tensor result(weights.dtype(), weights.shape());
  const auto from = weights.flat<T>();
  const auto factors = scale.flat<T>();
  const auto to = result.mutable_flat<T>();
  // LAB(07.11) begin: set to[i]; return nothing if a number becomes too large or small
  for (size_t i = 0; i < to.size(); ++i) {
    to[i] = from[i] * factors[i % factors.size()];
    if (!std::isfinite(to[i])) return {};
    const bool is_small = std::abs(to[i]) < std::numeric_limits<T>::min();
    if (is_small && from[i] != 0 && factors[i % factors.size()] != 0) return {};
  }
  // LAB(07.11) end
  return result;
}

// `weights` [...,K], each channel times its factor; nothing if that overflows.
std::optional<Tensor> Scaled(const Tensor& weights, const Tensor& scale) {
  return weights.dtype() == DType::kFloat32 ? ScaledAs<float>(weights, scale)
                                            : ScaledAs<double>(weights, scale);
}

// Whether `scale` is one factor for each of the channels of `product`, or one for all.
bool IsScaleOf(const Tensor& scale, const Node& product) {
  const Tensor& weights = *ConstantOf(product.inputs()[1]);
  const int64_t channels = weights.dim(weights.rank() - 1);
  // LAB(07.10) begin: return it
  if (scale.num_elements() == 1) return scale.rank() <= weights.rank();
  return IsOfChannels(scale.shape(), channels, FormatOf(product), weights.rank());
  // LAB(07.10) end
}

// A plain product whose channels are the last axis of its constant weights.
bool HasConstantWeights(const Node& product, const PassOptions& options) {
  // LAB(07.10) begin: return it
  if (product.type() != "Conv2D" && product.type() != "MatMul") return false;
  if (!IsFreeConstant(*product.inputs()[1].node)) return false;
  const AttrValue* transposed = product.attrs().Find("transpose_b");
  if (transposed != nullptr && std::get<bool>(*transposed)) return false;
  const Tensor& value = *ConstantOf(product.inputs()[1]);
  return value.rank() > 0 &&
         static_cast<int64_t>(value.num_bytes()) <= options.max_constant_bytes;
  // LAB(07.10) end
}

// `node` with another second input.
NodeSpec WithSecondInput(const Node& node, const Output& input) {
  NodeSpec spec;
  spec.op = node.type();
  spec.inputs = {node.inputs()[0], input};
  spec.attrs = node.attrs();
  spec.control_inputs = node.control_inputs();
  return spec;
}

// node = product * scale
bool ScaleProduct(GraphEditor* editor, Node* node, const Output& value,
                  const Tensor& scale) {
  const Node& product = *value.node;
  const auto weights = Scaled(*ConstantOf(product.inputs()[1]), scale);
  if (!weights) return false;
  Node* constant = editor->AddConstant(
      *weights, StrCat(product.inputs()[1].node->name(), "_scaled"), product);
  if (editor->Replace(node, WithSecondInput(product, constant->output(0))) != nullptr) {
    return true;
  }
  editor->Discard(constant);
  return false;
}

// node = (product + bias) * scale. A product of its own is scaled, so that nothing has
// changed if the sum cannot be replaced.
bool ScaleBiasedProduct(GraphEditor* editor, Node* node, const Output& value,
                        const Tensor& scale) {
  const Node& sum = *value.node;
  const int i = ProductBesideBias(sum);
  if (i < 0 || !MayFuse(*editor, sum.inputs()[i], sum)) return false;
  // LAB(07.11) begin: replace the node by a sum of what is scaled already
  const Output bias = sum.inputs()[1 - i];
  const Node& product = *sum.inputs()[i].node;
  if (!IsFreeConstant(*bias.node)) return false;
  const auto scaled_bias = Scaled(*ConstantOf(bias), scale);
  const auto scaled_weights = Scaled(*ConstantOf(product.inputs()[1]), scale);
  if (!scaled_weights || !scaled_bias) return false;

  const auto add = [&](const Tensor& tensor, const Node& before) {
    return editor->AddConstant(tensor, before.name() + "_scaled", product);
  };
  Node* const new_weights = add(*scaled_weights, *product.inputs()[1].node);
  Node* const new_bias = add(*scaled_bias, *bias.node);
  NodeSpec spec = WithSecondInput(product, new_weights->output(0));
  spec.name = product.name() + "_scaled";
  spec.device = product.device();
  spec.origin = product.origin();
  Node* const new_product = editor->Add(std::move(spec));
  NodeSpec sum_spec = WithSecondInput(sum, new_bias->output(0));
  sum_spec.inputs[0] = new_product->output(0);
  if (editor->Replace(node, std::move(sum_spec)) != nullptr) return true;
  for (Node* added : {new_product, new_bias, new_weights}) editor->Discard(added);
  return false;
  // LAB(07.11) end
}

// Takes a constant factor into the weights of the product in front of it.
bool FoldScale(GraphEditor* editor, Node* node, const PassOptions& options) {
  if (node->type() != "Mul" || !IsFloatOrDouble(node->output_type(0))) return false;
  // LAB(07.10) begin: find the factor and the product, and scale
  for (int i = 0; i < 2; ++i) {
    const Output value = node->inputs()[i];
    if (!IsFreeConstant(*node->inputs()[1 - i].node)) continue;
    const Tensor& scale = *ConstantOf(node->inputs()[1 - i]);
    const bool is_private = editor->HasOneUse(value) && !editor->IsKept(value.node) &&
                            value.node->device() == node->device();
    if (!is_private || value.node->attrs().Find("_kernel") != nullptr) continue;
    const int at = ProductBesideBias(*value.node);
    const Node& product = at < 0 ? *value.node : *value.node->inputs()[at].node;
    if (!HasConstantWeights(product, options)) continue;
    if (!IsScaleOf(scale, product)) continue;
    return at < 0 ? ScaleProduct(editor, node, value, scale)
                  : ScaleBiasedProduct(editor, node, value, scale);
  }
  // LAB(07.10) end
  return false;
}

}  // namespace

void FuseProducts(GraphEditor* editor, const PassOptions& options) {
  using Rule = bool (*)(GraphEditor*, Node*, const PassOptions&);
  // Scales first: once a bias is fused, there is no constant left to scale.
  for (const Rule rule :
       std::initializer_list<Rule>{FoldScale, FuseBias, FuseActivation}) {
    for (const int id : editor->InOrder()) {
      Node* node = editor->node(id);
      if (node != nullptr && !editor->IsKept(node)) rule(editor, node, options);
    }
  }
}

}  // namespace minitf
