#include <iterator>

    // TODO(07.1) begin
    const bool may_run = options_.cpu != nullptr && IsPure(node) &&
                         !node.inputs().empty() && !editor_.UsesOf(&node).empty();
    return may_run &&
           std::ranges::all_of(node.inputs(),
                               [&](const Output& input) {
                                 return ConstantOf(input) != nullptr &&
                                        input.node->device() == node.device();
                               }) &&
           FitsLimit(KnownOutputBytes(node), node);
    // TODO(07.1) end

    // TODO(07.1) begin
    const int64_t bytes_in = InputBytes(node);
    if (!bytes) return bytes_in <= kSmallBytes;
    return *bytes <= std::min(options_.max_constant_bytes,
                              std::max(kSmallBytes, 2 * bytes_in));
    // TODO(07.1) end

    // TODO(07.2) begin
    for (const Output& input : node->inputs()) {
      std::ranges::copy(input.node->control_inputs(), std::back_inserter(control_inputs));
    }
    // TODO(07.2) end

    // TODO(07.2) begin
    for (const Output& input : node->inputs()) {
      Node* const giver = input.node;
      if (ConstantOf(input) != nullptr) {
        std::ranges::copy(giver->control_inputs(), std::back_inserter(control_inputs));
      } else if (editor_.has_control_flow() || editor_.DependsOnState(giver)) {
        control_inputs.push_back(giver);
      }
    }
    // TODO(07.2) end
