    // TODO(03.1) begin
    using Numbers = std::vector<int>;
    std::priority_queue<int, Numbers, std::greater<int>> can_come_next;
    for (int i = 0; i < size(); ++i) {
      if (pending_[i] == 0) can_come_next.push(i);
    }
    while (!can_come_next.empty()) {
      const int number = can_come_next.top();
      can_come_next.pop();
      order.push_back(nodes_[number]);
      const int end = first_consumer_[number + 1];
      for (int edge = first_consumer_[number]; edge < end; ++edge) {
        const int consumer = consumers_[edge];
        if (--pending_[consumer] == 0) can_come_next.push(consumer);
      }
    }
    // TODO(03.1) end

    // TODO(03.2) begin
    int number = 0;
    while (number < size() && pending_[number] == 0) ++number;
    std::vector<int> place(size(), -1);  // in path, by number
    while (place[number] < 0) {
      place[number] = static_cast<int>(path.size());
      path.push_back(nodes_[number]);
      number = FirstWaitingInput(*nodes_[number]);
    }
    path.erase(path.begin(), path.begin() + place[number]);
    std::ranges::reverse(path);
    std::ranges::rotate(path, std::ranges::min_element(path, {}, &Node::id));
    // TODO(03.2) end

    // TODO(03.3) begin
    if (node->num_outputs() == 0 || node->op().is_stateful()) return false;
    if (!node->inputs().empty() || !node->control_inputs().empty()) return false;
    for (int i = 0; i < node->num_outputs(); ++i) {
      if (!is_fed(node->output(i))) return false;
    }
    return true;
    // TODO(03.3) end

  // TODO(03.3) begin
  for (Node* target : targets) add(target);
  for (size_t i = 0; i < found.size(); ++i) {
    const Node* node = found[i];
    for (const Output& input : node->inputs()) {
      if (!is_fed(input)) add(input.node);
    }
    for (Node* control_input : node->control_inputs()) {
      if (!is_source_and_fed(control_input)) add(control_input);
    }
  }
  // TODO(03.3) end
