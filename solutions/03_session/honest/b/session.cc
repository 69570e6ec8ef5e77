  // TODO(03.5) begin
  // Records of one length, which say what they are.
  enum Kind { kFeed, kFetch, kTarget, kAsBuilt };
  const auto append = [&key](Kind kind, int id, int index) {
    for (const int number : {static_cast<int>(kind), id, index}) {
      AppendNumber(number, &key);
    }
  };
  for (const Output& feed : request.feeds) append(kFeed, feed.node->id(), feed.index);
  for (const Output& fetch : request.fetches)
    append(kFetch, fetch.node->id(), fetch.index);
  for (const Node* target : request.targets) append(kTarget, target->id(), 0);
  if (request.as_built) append(kAsBuilt, 0, 0);
  // TODO(03.5) end

  // TODO(03.6) begin
  for (const Output& feed : request.feeds) sources.push_back(feed.node);
  for (const Node* node : copy.nodes()) sources.push_back(node->source());
  std::erase(sources, nullptr);
  // TODO(03.6) end

  // TODO(03.6) begin
  const bool holds = compiled != nullptr && EditsOf(compiled->sources) == compiled->edits;
  if (holds) {
    compiled->num_graph_edits = num_edits;
    return compiled;
  }
  // TODO(03.6) end
