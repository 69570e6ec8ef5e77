  // TODO(07.12) begin
  const Node* at = &node;
  while (at->facts().hands_on_input && !at->facts().lends_outputs) {
    at = at->inputs()[0].node;
  }
  return at->facts().lends_outputs || at->role() == OpRole::kArg;
  // TODO(07.12) end

    // TODO(07.12) begin
    if (MayHandOnInput(node, device)) {
      for (const Output& input : node.inputs()) {
        // Where the op says so it is the first input, and no other.
        if (node.facts().hands_on_input && !(input == node.inputs()[0])) continue;
        for (const int buffer : PlacesOf(input)) {
          if (std::ranges::count(places, buffer) == 0) places.push_back(buffer);
        }
      }
    }
    const int last = LastUse(tensor);
    for (const int buffer : places) {
      int& last_use = result_.buffers[buffer].last_use;
      last_use = std::max(last_use, last);
      users_[buffer].push_back(tensor);
    }
    // TODO(07.12) end

    // TODO(07.12) begin
    for (const Use& use : consumers_.Of(tensor.node)) {
      if (use.is_control() || use.output != tensor.index) continue;
      const Node& reader = *use.consumer;
      const bool is_kept = reader.role() == OpRole::kRetval || MayKeepInputs(reader);
      last = std::max(last, is_kept ? static_cast<int>(result_.order.size())
                                    : time_.at(&reader));
    }
    // TODO(07.12) end

    // TODO(07.13) begin
    if (node.facts().hands_on_input) return PlacesOf(node.inputs()[0]);
    for (size_t i = 0; i < node.inputs().size(); ++i) {
      if (!MayWorkInPlace(node, static_cast<int>(i), device)) continue;
      const Buffers& places = PlacesOf(node.inputs()[i]);
      if (places.empty()) continue;
      // Memory that the node reads under another name, too, the kernel does not take.
      const bool is_shared = std::ranges::any_of(node.inputs(), [&](const Output& other) {
        return !(other == node.inputs()[i]) &&
               std::ranges::count(PlacesOf(other), places[0]) > 0;
      });
      if (is_shared) continue;
      const bool all_dead = std::ranges::all_of(
          places, [&](int buffer) { return IsDeadAfter(&node, buffer); });
      if (all_dead) return places;
    }
    // TODO(07.13) end

    // TODO(07.13) begin
    // AddTensor has counted the readers of every tensor that may lie there.
    return result_.buffers[buffer].last_use <= time_.at(node);
    // TODO(07.13) end

  // TODO(07.13) begin
  if (node.num_outputs() != 1) return false;
  if (i >= node.facts().num_forwarded_inputs && !HasElementwiseLoop(node, device)) return false;
  const Output& input = node.inputs()[i];
  if (input.dtype() != node.output_type(0) || !IsPlain(input.dtype())) return false;
  if (!input.shape().IsFullyKnown()) return false;
  if (!(input.shape() == node.output_shape(0))) return false;
  // The kernel takes the memory over only if nobody holds it, itself included.
  return std::ranges::count(node.inputs(), input) == 1;
  // TODO(07.13) end
