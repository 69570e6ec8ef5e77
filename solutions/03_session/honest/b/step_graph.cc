#include <algorithm>
#include <iterator>

  // TODO(03.4) begin
  const auto is_fed = [&](const Output& output) {
    return std::ranges::find(request.feeds, output) != request.feeds.end();
  };
  for (const Output& fetch : request.fetches) {
    if (!is_fed(fetch)) needed.push_back(fetch.node);
  }
  // TODO(03.4) end

    // TODO(03.4) begin
    std::ranges::transform(node.control_inputs(), std::back_inserter(control_inputs),
                           [this](const Node* input) { return CopyOf(input); });
    std::erase(control_inputs, nullptr);
    // TODO(03.4) end

    // TODO(03.4) begin
    if (const auto feeds = fed_.find(output.node); feeds != fed_.end()) {
      const auto feed =
          std::ranges::find(feeds->second, output.index, &std::pair<int, Node*>::first);
      if (feed != feeds->second.end()) return {feed->second, 0};
    }
    return {CopyOf(output.node), output.index};
    // TODO(03.4) end
