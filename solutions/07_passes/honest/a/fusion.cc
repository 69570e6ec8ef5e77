  // TODO(07.10) begin
  if (channels < 0 || !shape.has_rank() || shape.rank() > rank) return false;
  const int axis = shape.rank() - (format == "NHWC" ? 1 : 3);
  if (axis < 0) return false;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i) != (i == axis ? channels : 1)) return false;
  }
  return true;
  // TODO(07.10) end

  // TODO(07.11) begin
  const size_t num_factors = factors.size();
  for (size_t i = 0; i < from.size(); ++i) {
    to[i] = from[i] * factors[i % num_factors];
    if (!std::isfinite(to[i])) return {};
    const bool is_zero = from[i] == 0 || factors[i % num_factors] == 0;
    if (!is_zero && std::abs(to[i]) < std::numeric_limits<T>::min()) return {};
  }
  // TODO(07.11) end

  // TODO(07.10) begin
  const int rank = weights.rank();  // the same as that of the product
  if (scale.num_elements() == 1) return scale.rank() <= rank;
  return IsOfChannels(scale.shape(), channels, FormatOf(product), rank);
  // TODO(07.10) end

  // TODO(07.10) begin
  if (!IsProduct(product) || !FusedOpsOf(product).empty()) return false;
  const AttrValue* transpose_b = product.attrs().Find("transpose_b");
  if (transpose_b != nullptr && std::get<bool>(*transpose_b)) return false;
  const Output& weights = product.inputs()[1];
  if (!IsFreeConstant(*weights.node)) return false;
  const auto bytes = static_cast<int64_t>(ConstantOf(weights)->num_bytes());
  return bytes <= options.max_constant_bytes;
  // TODO(07.10) end

  // TODO(07.11) begin
  const Node& product = *sum.inputs()[i].node;
  const Output bias = sum.inputs()[1 - i];
  if (!IsFreeConstant(*bias.node)) return false;
  const Node& old_weights = *product.inputs()[1].node;
  const auto scaled_weights = Scaled(*ConstantOf(product.inputs()[1]), scale);
  const auto scaled_bias = Scaled(*ConstantOf(bias), scale);
  if (!scaled_weights || !scaled_bias) return false;

  Node* weights =
      editor->AddConstant(*scaled_weights, old_weights.name() + "_scaled", product);
  Node* offset = editor->AddConstant(*scaled_bias, bias.node->name() + "_scaled", sum);
  NodeSpec spec = WithSecondInput(product, weights->output(0));
  spec.name = product.name() + "_scaled";
  spec.device = product.device();
  spec.origin = product.origin();
  Node* scaled = editor->Add(std::move(spec));

  NodeSpec total;
  total.op = sum.type();
  total.inputs = sum.inputs();
  total.inputs[i] = scaled->output(0);
  total.inputs[1 - i] = offset->output(0);
  total.attrs = sum.attrs();
  total.control_inputs = sum.control_inputs();
  if (editor->Replace(node, std::move(total)) != nullptr) return true;
  editor->Discard(scaled);
  editor->Discard(offset);
  editor->Discard(weights);
  return false;
  // TODO(07.11) end

  // TODO(07.10) begin
  if (node->attrs().Find("_kernel") != nullptr) return false;
  for (int i = 0; i < 2; ++i) {
    const Output factor = node->inputs()[i];
    const Output value = node->inputs()[1 - i];
    if (!IsFreeConstant(*factor.node)) continue;
    const Tensor& scale = *ConstantOf(factor);
    if (IsProduct(*value.node)) {
      if (!MayFuse(*editor, value, *node)) continue;
      if (!HasConstantWeights(*value.node, options)) continue;
      if (!IsScaleOf(scale, *value.node)) continue;
      if (ScaleProduct(editor, node, value, scale)) return true;
      continue;
    }
    const Node& sum = *value.node;
    const int p = ProductBesideBias(sum);
    if (p < 0 || !editor->HasOneUse(value) || editor->IsKept(&sum)) continue;
    if (sum.device() != node->device()) continue;
    if (sum.attrs().Find("_kernel") != nullptr) continue;
    const Node& product = *sum.inputs()[p].node;
    if (!HasConstantWeights(product, options) || !IsScaleOf(scale, product)) continue;
    if (ScaleBiasedProduct(editor, node, value, scale)) return true;
  }
  // TODO(07.10) end
