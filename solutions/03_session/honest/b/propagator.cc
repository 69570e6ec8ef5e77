#include <algorithm>
#include <iterator>

  // TODO(03.7) begin
  const auto& pending = plan_.frames[0].pending;
  root_.pending.assign(pending.begin(), pending.end());
  auto edge = plan_.feed_edges.begin();
  for (size_t i = 0; i < plan_.feed_ends.size(); ++i) {
    const auto end = plan_.feed_edges.begin() + plan_.feed_ends[i];
    for (; edge != end; ++edge) root_.slots[edge->slot] = feeds[i];
  }
  std::ranges::transform(plan_.roots, std::back_inserter(*ready),
                         [this](int32_t root) { return Outermost(root); });
  // TODO(03.7) end

  // TODO(03.7) begin
  const auto arrive = [&](const PlannedEdge& edge) {
    if (edge.node >= 0 && IsLastToArrive(edge.node))
      ready->push_back(Outermost(edge.node));
  };
  const std::span<const PlannedEdge> edges(plan_.edges);
  int begin = node.first_edge;
  for (int i = 0; i < node.num_outputs; ++i) {
    const int end = plan_.edge_ends[node.first_output + i];
    Tensor output = std::move(outputs[i]);
    for (const PlannedEdge& edge : edges.subspan(begin, end - begin)) {
      const bool is_last = &edge == &edges[end - 1];
      root_.slots[edge.slot] = is_last ? std::move(output) : Tensor(output);
      arrive(edge);
    }
    begin = end;
  }
  std::ranges::for_each(edges.subspan(begin, node.end_edge - begin), arrive);
  // TODO(03.7) end

  // TODO(03.7) begin
  int32_t& pending = root_.pending[plan_.nodes[node].counter];
  if (!is_shared_) return --pending == 0;
  return std::atomic_ref(pending).fetch_sub(1, std::memory_order_acq_rel) == 1;
  // TODO(03.7) end
