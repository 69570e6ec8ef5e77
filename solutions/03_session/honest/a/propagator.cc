  // TODO(03.7) begin
  root_.pending = plan_.frames[0].pending;
  int edge = 0;
  for (int i = 0; i < plan_.num_feeds(); ++i) {
    for (; edge < plan_.feed_ends[i]; ++edge) {
      root_.slots[plan_.feed_edges[edge].slot] = feeds[i];
    }
  }
  for (const int32_t root : plan_.roots) ready->push_back({root, false, &root_});
  // TODO(03.7) end

  // TODO(03.7) begin
  const auto arrive = [&](const PlannedEdge& edge) {
    if (edge.node < 0) return;  // a fetch
    if (IsLastToArrive(edge.node)) ready->push_back({edge.node, false, &root_});
  };
  int32_t edge = node.first_edge;
  for (int32_t i = 0; i < node.num_outputs; ++i) {
    const int32_t end = plan_.edge_ends[node.first_output + i];
    for (; edge < end; ++edge) {
      Tensor& slot = root_.slots[plan_.edges[edge].slot];
      if (edge + 1 < end) {
        slot = outputs[i];
      } else {
        slot = std::move(outputs[i]);
      }
      arrive(plan_.edges[edge]);
    }
    outputs[i].Reset();
  }
  for (; edge < node.end_edge; ++edge) arrive(plan_.edges[edge]);
  // TODO(03.7) end

  // TODO(03.7) begin
  int32_t& pending = root_.pending[plan_.nodes[node].counter];
  if (!is_shared_) return --pending == 0;
  return std::atomic_ref<int32_t>(pending).fetch_sub(1, std::memory_order_acq_rel) == 1;
  // TODO(03.7) end
