  // TODO(03.4) begin
  std::set<std::pair<const Node*, int>> fed;
  for (const Output& feed : request.feeds) fed.emplace(feed.node, feed.index);
  for (const Output& fetch : request.fetches) {
    if (!fed.contains({fetch.node, fetch.index})) needed.push_back(fetch.node);
  }
  // TODO(03.4) end

    // TODO(03.4) begin
    for (const Node* control_input : node.control_inputs()) {
      Node* copy = CopyOf(control_input);
      if (copy != nullptr) control_inputs.push_back(copy);
    }
    // TODO(03.4) end

    // TODO(03.4) begin
    const auto fed = fed_.find(output.node);
    if (fed != fed_.end()) {
      for (const auto& [index, arg] : fed->second) {
        if (index == output.index) return arg->output(0);
      }
    }
    return {CopyOf(output.node), output.index};
    // TODO(03.4) end
