#include <iterator>

  // TODO(07.3) begin
  std::ranges::transform(
      node.inputs(), std::back_inserter(inputs),
      [](const Output& input) { return std::pair(input.node->id(), input.index); });
  if (node.op().is_commutative) std::ranges::sort(inputs);
  // TODO(07.3) end

  // TODO(07.3) begin
  // Each part ends with a mark, and a text has its length in front: no two lists of parts
  // make one key.
  const auto append = [&key](const auto&... parts) { key += StrCat(parts..., ';'); };
  const auto append_text = [&](const std::string& text) { append(text.size(), ':', text); };
  append_text(node.type());
  append_text(node.device());
  for (const auto& [id, index] : SortedInputs(node)) append(id, '.', index);
  for (const int id : SortedControlInputs(node)) append('^', id);
  for (const Attrs::Entry* entry : SortedAttrs(node)) {
    append_text(entry->first);
    AppendAttrKey(entry->second, &key);
  }
  // TODO(07.3) end

  // TODO(07.3) begin
  const auto same_attr = [](const Attrs::Entry* x, const Attrs::Entry* y) {
    return x->first == y->first && AttrEquals(x->second, y->second);
  };
  return a.type() == b.type() && a.device() == b.device() &&
         SortedInputs(a) == SortedInputs(b) &&
         SortedControlInputs(a) == SortedControlInputs(b) &&
         std::ranges::equal(SortedAttrs(a), SortedAttrs(b), same_attr);
  // TODO(07.3) end

    // TODO(07.4) begin
    Node* const node = editor->node(id);
    if (node == nullptr || !IsPure(*node)) continue;
    std::vector<int>& alike = seen[KeyOf(*node)];
    const bool is_merged = std::ranges::any_of(alike, [&](int earlier_id) {
      Node* const earlier = editor->node(earlier_id);
      return earlier != nullptr && AreSame(*node, *earlier) && editor->Merge(node, earlier);
    });
    if (!is_merged) alike.push_back(id);
    // TODO(07.4) end
