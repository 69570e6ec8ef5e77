  // TODO(07.10) begin
  if (!shape.has_rank() || shape.rank() > rank || channels == kUnknown) return false;
  const int place = format == "NCHW" ? 3 : 1;  // of the channels, counted from the end
  if (shape.rank() < place || shape.dim(-place) != channels) return false;
  for (int axis = 1; axis <= shape.rank(); ++axis) {
    if (axis != place && shape.dim(-axis) != 1) return false;
  }
  return true;
  // TODO(07.10) end

  // TODO(07.11) begin
  for (size_t i = 0; i < from.size(); ++i) {
    const T factor = factors[i % factors.size()];
    to[i] = from[i] * factor;
    if (!std::isfinite(to[i])) return {};
    const bool is_zero = from[i] == 0 || factor == 0;
    if (!is_zero && std::abs(to[i]) < std::numeric_limits<T>::min()) return {};
  }
  // TODO(07.11) end

  // TODO(07.10) begin
  if (scale.rank() > weights.rank()) return false;  // a product has as many axes
  return scale.num_elements() == 1 ||
         IsOfChannels(scale.shape(), channels, FormatOf(product), weights.rank());
  // TODO(07.10) end

  // TODO(07.10) begin
  if (!IsProduct(product) || !FusedOpsOf(product).empty()) return false;
  const AttrValue* transposed = product.attrs().Find("transpose_b");
  if (transposed != nullptr && std::get<bool>(*transposed)) return false;
  const Output& weights = product.inputs()[1];
  return IsFreeConstant(*weights.node) &&
         static_cast<int64_t>(ConstantOf(weights)->num_bytes()) <=
             options.max_constant_bytes;
  // TODO(07.10) end

  // TODO(07.11) begin
  const Node& product = *sum.inputs()[i].node;
  const Output bias = sum.inputs()[1 - i];
  if (!IsFreeConstant(*bias.node)) return false;
  const auto weights = Scaled(*ConstantOf(product.inputs()[1]), scale);
  const auto offsets = weights ? Scaled(*ConstantOf(bias), scale) : std::nullopt;
  if (!offsets) return false;

  Node* scaled_weights = editor->AddConstant(
      *weights, StrCat(product.inputs()[1].node->name(), "_scaled"), product);
  Node* scaled_bias =
      editor->AddConstant(*offsets, StrCat(bias.node->name(), "_scaled"), sum);
  NodeSpec product_spec = WithSecondInput(product, scaled_weights->output(0));
  product_spec.name = StrCat(product.name(), "_scaled");
  product_spec.device = product.device();
  product_spec.origin = product.origin();
  Node* scaled_product = editor->Add(std::move(product_spec));

  NodeSpec spec;
  spec.op = sum.type();
  spec.attrs = sum.attrs();
  spec.inputs = sum.inputs();
  spec.inputs[i] = scaled_product->output(0);
  spec.inputs[1 - i] = scaled_bias->output(0);
  spec.control_inputs = sum.control_inputs();
  if (editor->Replace(node, std::move(spec)) != nullptr) return true;
  for (Node* added : {scaled_product, scaled_bias, scaled_weights}) editor->Discard(added);
  return false;
  // TODO(07.11) end

  // TODO(07.10) begin
  if (node->attrs().Find("_kernel") != nullptr) return false;
  const auto may_scale = [&](const Output& value) {
    return editor->HasOneUse(value) && !editor->IsKept(value.node) &&
           value.node->device() == node->device() &&
           value.node->attrs().Find("_kernel") == nullptr;
  };
  for (const int i : {0, 1}) {
    const Output factor = node->inputs()[i];
    const Output value = node->inputs()[1 - i];
    const bool is_factor =
        IsFreeConstant(*factor.node) && factor.node->device() == node->device();
    if (!is_factor || !may_scale(value)) continue;
    const Tensor& scale = *ConstantOf(factor);
    const auto fits = [&](const Node& product) {
      return HasConstantWeights(product, options) && IsScaleOf(scale, product);
    };
    if (fits(*value.node)) return ScaleProduct(editor, node, value, scale);
    const int place = ProductBesideBias(*value.node);
    if (place >= 0 && fits(*value.node->inputs()[place].node)) {
      return ScaleBiasedProduct(editor, node, value, scale);
    }
  }
  // TODO(07.10) end
