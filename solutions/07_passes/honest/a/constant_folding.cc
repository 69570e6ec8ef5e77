    // TODO(07.1) begin
    if (options_.cpu == nullptr || node.inputs().empty() || !IsPure(node)) return false;
    if (editor_.UsesOf(&node).empty()) return false;
    for (const Output& input : node.inputs()) {
      if (ConstantOf(input) == nullptr) return false;
      if (input.node->device() != node.device()) return false;
    }
    return FitsLimit(KnownOutputBytes(node), node);
    // TODO(07.1) end

    // TODO(07.1) begin
    const int64_t input_bytes = InputBytes(node);
    if (!bytes) return input_bytes <= kSmallBytes;
    if (*bytes > options_.max_constant_bytes) return false;
    return *bytes <= std::max(kSmallBytes, 2 * input_bytes);
    // TODO(07.1) end

    // TODO(07.2) begin
    for (const Output& input : node->inputs()) {
      for (Node* wait : input.node->control_inputs()) {
        if (std::ranges::count(control_inputs, wait) == 0) control_inputs.push_back(wait);
      }
    }
    // TODO(07.2) end

    // TODO(07.2) begin
    for (const Output& input : node->inputs()) {
      if (IsFreeConstant(*input.node)) continue;
      const bool matters =
          editor_.DependsOnState(input.node) || editor_.has_control_flow();
      if (matters && std::ranges::count(control_inputs, input.node) == 0) {
        control_inputs.push_back(input.node);
      }
    }
    // TODO(07.2) end
