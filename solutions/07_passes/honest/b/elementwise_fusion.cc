#include <iterator>

  // TODO(07.8) begin
  if (!value.shape().has_rank() || value.shape().num_elements() != 1) return false;
  const int rank = value.shape().rank();
  return rank == 0 || (shape.has_rank() && rank <= shape.rank());
  // TODO(07.8) end

    // TODO(07.9) begin
    std::ranges::transform(arguments_, std::back_inserter(arguments),
                           [&](const Argument& argument) {
                             return argument.number + (argument.is_result ? num_inputs : 0);
                           });
    // TODO(07.9) end

    // TODO(07.9) begin
    for (const Node* node : nodes_) {
      std::ranges::copy(node->control_inputs(), std::back_inserter(spec.control_inputs));
    }
    // TODO(07.9) end

    // TODO(07.8) begin
    if (nodes_.contains(node) || nodes_.size() >= kMaxSteps) return false;
    if (editor_.IsKept(node) || !IsFusible(*node, device_)) return false;
    const PartialShape& shape = root_->output_shape(0);
    const bool is_like_root = node->output_type(0) == root_->output_type(0) &&
                              node->output_shape(0) == shape &&
                              node->device() == root_->device();
    return is_like_root && TakesOnly(*node, shape) &&
           std::ranges::all_of(editor_.UsesOf(node), [&](const Use& use) {
             return !use.is_control() && nodes_.contains(use.consumer);
           });
    // TODO(07.8) end

    // TODO(07.9) begin
    if (const auto done = results_.find(node); done != results_.end()) {
      return done->second;
    }
    std::vector<Argument> taken;
    for (const Output& input : node->inputs()) {
      taken.push_back(nodes_.contains(input.node) ? AddStep(input.node, spec)
                                                  : InputNumber(input, spec));
    }
    taken.resize(2);  // -1 for what is not there
    arguments_.insert(arguments_.end(), taken.begin(), taken.end());
    ops_.push_back(node->type());
    const auto number = static_cast<int64_t>(ops_.size()) - 1;
    return results_[node] = {.is_result = true, .number = number};
    // TODO(07.9) end

    // TODO(07.9) begin
    std::vector<Output>& inputs = spec->inputs;
    const auto place = std::ranges::find(inputs, input);
    const auto number = static_cast<int64_t>(place - inputs.begin());
    if (place == inputs.end()) inputs.push_back(input);
    return {.is_result = false, .number = number};
    // TODO(07.9) end
