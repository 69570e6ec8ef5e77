  // TODO(07.5) begin
  // Equality takes one zero for the other.
  const auto wanted = static_cast<T>(value);
  return element == wanted && std::signbit(element) == std::signbit(wanted);
  // TODO(07.5) end

  // TODO(07.5) begin
  if (constant.rank() == 0) return true;
  if (!x.has_rank() || constant.rank() > x.rank()) return false;
  const auto sizes = constant.sizes();
  return std::equal(sizes.rbegin(), sizes.rend(), x.sizes().rbegin(),
                    [](int64_t c, int64_t size) { return c == 1 || c == size; });
  // TODO(07.5) end

  // TODO(07.5) begin
  struct Neutral {
    std::set<std::string, std::less<>> types;
    double value;
    bool may_be_first;  // or else only the second input
  };
  static const auto& kNeutrals = *new std::vector<Neutral>{
      {{"Add", "AddV2"}, -0.0, true},
      {{"Mul"}, 1.0, true},
      {{"Sub"}, 0.0, false},
      {{"Div", "RealDiv"}, 1.0, false},
  };
  const auto found = std::ranges::find_if(
      kNeutrals, [&](const Neutral& neutral) { return neutral.types.contains(type); });
  if (found == kNeutrals.end()) return false;
  return BypassNeutral(editor, node, 1, found->value) ||
         (found->may_be_first && BypassNeutral(editor, node, 0, found->value));
  // TODO(07.5) end

  // TODO(07.6) begin
  const Output y = node->inputs()[0];
  if (IsUnchanged(*outer_axes) && HasRank(y, outer_axes->size())) {
    return editor->Bypass(node, y);
  }
  const auto inner_axes = PermutationOf(*y.node);
  if (!inner_axes || inner_axes->size() != outer_axes->size()) return false;
  if (!IsInnerOf(*y.node, *node)) return false;
  std::vector<int64_t> axes(outer_axes->size());
  std::ranges::transform(*outer_axes, axes.begin(),
                         [&](int64_t axis) { return (*inner_axes)[axis]; });
  const Output x = y.node->inputs()[0];
  if (IsUnchanged(axes) && HasRank(x, axes.size())) return editor->Bypass(node, x);
  return BecomeTranspose(editor, node, x, axes);
  // TODO(07.6) end

  // TODO(07.7) begin
  if (axes.size() < 2) return false;
  std::vector<int64_t> swapped = axes;
  std::swap(swapped.end()[-1], swapped.end()[-2]);
  return swapped.back() > swapped.end()[-2] && IsUnchanged(swapped);
  // TODO(07.7) end

  // TODO(07.7) begin
  const auto take = [&](Output* input, const char* flag) {
    const Node& transpose = *input->node;
    const auto axes = PermutationOf(transpose);
    if (!axes || !SwapsLastTwo(*axes) || !IsInnerOf(transpose, *node)) return;
    const Output& x = transpose.inputs()[0];
    if (is_batch ? !HasRank(x, axes->size()) : axes->size() != 2) return;
    *input = x;
    spec.attrs.Set(flag, !spec.attrs.Get<bool>(flag));
    changed = true;
  };
  take(&spec.inputs[0], is_batch ? "adj_x" : "transpose_a");
  take(&spec.inputs[1], is_batch ? "adj_y" : "transpose_b");
  // TODO(07.7) end
