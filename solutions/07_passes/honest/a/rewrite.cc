  // TODO(07.5) begin
  const auto number = static_cast<double>(element);
  return number == value && std::signbit(number) == std::signbit(value);
  // TODO(07.5) end

  // TODO(07.5) begin
  if (constant.rank() == 0) return true;
  if (!x.has_rank() || constant.rank() > x.rank()) return false;
  for (int i = 1; i <= constant.rank(); ++i) {
    const int64_t size = constant.dim(constant.rank() - i);
    if (size != 1 && size != x.dim(-i)) return false;
  }
  return true;
  // TODO(07.5) end

  // TODO(07.5) begin
  if (type == "Mul") {
    return BypassNeutral(editor, node, 1, 1) || BypassNeutral(editor, node, 0, 1);
  }
  if (type == "Add" || type == "AddV2") {
    return BypassNeutral(editor, node, 1, -0.0) || BypassNeutral(editor, node, 0, -0.0);
  }
  if (type == "Sub") return BypassNeutral(editor, node, 1, 0.0);
  if (type == "Div" || type == "RealDiv") return BypassNeutral(editor, node, 1, 1);
  return false;
  // TODO(07.5) end

  // TODO(07.6) begin
  const Output y = node->inputs()[0];
  const auto moves_nothing = [&](const std::vector<int64_t>& axes, const Output& x) {
    return IsUnchanged(axes) && x.shape().has_rank() &&
           x.shape().rank() == static_cast<int>(axes.size());
  };
  if (moves_nothing(*outer_axes, y)) return editor->Bypass(node, y);
  const Node& inner = *y.node;
  const auto inner_axes = PermutationOf(inner);
  if (!inner_axes || inner_axes->size() != outer_axes->size()) return false;
  if (!IsInnerOf(inner, *node)) return false;
  const Output x = inner.inputs()[0];
  std::vector<int64_t> axes;
  for (const int64_t axis : *outer_axes) axes.push_back((*inner_axes)[axis]);
  if (moves_nothing(axes, x)) return editor->Bypass(node, x);
  return BecomeTranspose(editor, node, x, axes);
  // TODO(07.6) end

  // TODO(07.7) begin
  const auto rank = static_cast<int64_t>(axes.size());
  if (rank < 2) return false;
  for (int64_t i = 0; i < rank - 2; ++i) {
    if (axes[i] != i) return false;
  }
  return axes[rank - 2] == rank - 1 && axes[rank - 1] == rank - 2;
  // TODO(07.7) end

  // TODO(07.7) begin
  const char* const flags[] = {is_batch ? "adj_x" : "transpose_a",
                               is_batch ? "adj_y" : "transpose_b"};
  for (int i = 0; i < 2; ++i) {
    const Node& transpose = *node->inputs()[i].node;
    const auto axes = PermutationOf(transpose);
    if (!axes || !SwapsLastTwo(*axes) || !IsInnerOf(transpose, *node)) continue;
    if (!is_batch && axes->size() != 2) continue;
    const Output x = transpose.inputs()[0];
    // A Transpose fails if x has another rank; a product of many matrices does not care.
    if (is_batch && !HasRank(x, axes->size())) continue;
    spec.inputs[i] = x;
    spec.attrs.Set(flags[i], !node->attrs().Get<bool>(flags[i]));
    changed = true;
  }
  // TODO(07.7) end
