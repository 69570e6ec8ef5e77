  // TODO(07.3) begin
  for (const Output& input : node.inputs()) {
    inputs.emplace_back(input.node->id(), input.index);
  }
  if (node.op().is_commutative) std::ranges::sort(inputs);
  // TODO(07.3) end

  // TODO(07.3) begin
  key = StrCat(node.type(), '|', node.device(), '|');
  for (const auto& [id, index] : SortedInputs(node)) key += StrCat(id, ':', index, ',');
  key += '|';
  for (const int id : SortedControlInputs(node)) key += StrCat(id, ',');
  key += '|';
  for (const Attrs::Entry* attr : SortedAttrs(node)) {
    key += attr->first;
    key += '=';
    AppendAttrKey(attr->second, &key);
  }
  // TODO(07.3) end

  // TODO(07.3) begin
  if (&a.op() != &b.op() || a.device() != b.device()) return false;
  if (SortedInputs(a) != SortedInputs(b)) return false;
  if (SortedControlInputs(a) != SortedControlInputs(b)) return false;
  return std::ranges::equal(SortedAttrs(a), SortedAttrs(b),
                            [](const Attrs::Entry* x, const Attrs::Entry* y) {
                              return x->first == y->first &&
                                     AttrEquals(x->second, y->second);
                            });
  // TODO(07.3) end

    // TODO(07.4) begin
    Node* node = editor->node(id);
    if (node == nullptr || !IsPure(*node)) continue;
    std::vector<int>& earlier = seen[KeyOf(*node)];
    const bool is_merged = std::ranges::any_of(earlier, [&](int other_id) {
      Node* other = editor->node(other_id);
      return other != nullptr && AreSame(*node, *other) && editor->Merge(node, other);
    });
    if (!is_merged) earlier.push_back(id);
    // TODO(07.4) end
