#include <iterator>
#include <ranges>
#include <set>
#include <span>

    // TODO(03.1) begin
    std::set<int> ready;  // sorted, so the smallest number is in front
    for (int i = 0; i < size(); ++i) {
      if (pending_[i] == 0) ready.insert(ready.end(), i);
    }
    while (!ready.empty()) {
      const int number = ready.extract(ready.begin()).value();
      order.push_back(nodes_[number]);
      const auto consumers =
          std::span(consumers_)
              .subspan(first_consumer_[number],
                       first_consumer_[number + 1] - first_consumer_[number]);
      for (const int consumer : consumers) {
        if (--pending_[consumer] == 0) ready.insert(consumer);
      }
    }
    // TODO(03.1) end

    // TODO(03.2) begin
    const auto before = [this](int number) { return FirstWaitingInput(*nodes_[number]); };
    const auto waits = [](int pending) { return pending > 0; };
    int number =
        static_cast<int>(std::ranges::find_if(pending_, waits) - pending_.begin());
    // After as many steps as there are nodes, one goes round in the cycle.
    for (int step = 0; step < size(); ++step) number = before(number);
    int first = number;
    for (int i = before(number); i != number; i = before(i)) first = std::min(first, i);
    path.push_back(nodes_[first]);
    for (int i = before(first); i != first; i = before(i)) path.push_back(nodes_[i]);
    std::reverse(path.begin() + 1, path.end());
    // TODO(03.2) end

    // TODO(03.3) begin
    if (!node->inputs().empty() || !node->control_inputs().empty()) return false;
    if (node->op().is_stateful() || node->num_outputs() == 0) return false;
    const auto indices = std::views::iota(0, node->num_outputs());
    return std::ranges::all_of(indices, [&](int i) { return is_fed(node->output(i)); });
    // TODO(03.3) end

  // TODO(03.3) begin
  std::vector<Node*> to_visit = targets;
  while (!to_visit.empty()) {
    Node* const node = to_visit.back();
    to_visit.pop_back();
    if (is_found[node->id()]) continue;
    add(node);
    for (const Output& input : node->inputs()) {
      if (!is_fed(input)) to_visit.push_back(input.node);
    }
    std::ranges::copy_if(node->control_inputs(), std::back_inserter(to_visit),
                         std::not_fn(is_source_and_fed));
  }
  // TODO(03.3) end
