  // TODO(03.5) begin
  const auto append_outputs = [&key](const std::vector<Output>& outputs) {
    AppendNumber(static_cast<int>(outputs.size()), &key);
    for (const Output& output : outputs) {
      AppendNumber(output.node->id(), &key);
      AppendNumber(output.index, &key);
    }
  };
  append_outputs(request.feeds);
  append_outputs(request.fetches);
  AppendNumber(static_cast<int>(request.targets.size()), &key);
  for (const Node* target : request.targets) AppendNumber(target->id(), &key);
  AppendNumber(request.as_built ? 1 : 0, &key);
  // TODO(03.5) end

  // TODO(03.6) begin
  for (const Node* node : copy.nodes()) {
    if (node->source() != nullptr) sources.push_back(node->source());
  }
  for (const Output& feed : request.feeds) sources.push_back(feed.node);
  // TODO(03.6) end

  // TODO(03.6) begin
  if (compiled != nullptr && EditsOf(compiled->sources) == compiled->edits) {
    compiled->num_graph_edits = num_edits;  // not to be compared again
    return compiled;
  }
  // TODO(03.6) end
