  // TODO(07.8) begin
  const PartialShape& number = value.shape();
  if (!number.IsFullyKnown() || number.num_elements() != 1) return false;
  if (number.rank() == 0) return true;
  return shape.has_rank() && number.rank() <= shape.rank();
  // TODO(07.8) end

    // TODO(07.9) begin
    const auto number_of = [&](const Argument& argument) {
      if (argument.number < 0) return int64_t{-1};
      return argument.is_result ? num_inputs + argument.number : argument.number;
    };
    for (const Argument& argument : arguments_) arguments.push_back(number_of(argument));
    // TODO(07.9) end

    // TODO(07.9) begin
    std::set<Node*> waits;
    for (const Node* node : nodes_) {
      waits.insert(node->control_inputs().begin(), node->control_inputs().end());
    }
    spec.control_inputs.assign(waits.begin(), waits.end());
    // TODO(07.9) end

    // TODO(07.8) begin
    if (nodes_.size() >= kMaxSteps || nodes_.contains(node)) return false;
    if (editor_.IsKept(node) || !IsFusible(*node, device_)) return false;
    if (node->output_type(0) != root_->output_type(0)) return false;
    if (!(node->output_shape(0) == root_->output_shape(0))) return false;
    if (node->device() != root_->device()) return false;
    if (!TakesOnly(*node, root_->output_shape(0))) return false;
    return std::ranges::all_of(editor_.UsesOf(node), [&](const Use& use) {
      return !use.is_control() && nodes_.contains(use.consumer);
    });
    // TODO(07.8) end

    // TODO(07.9) begin
    if (const auto found = results_.find(node); found != results_.end()) {
      return found->second;
    }
    Argument arguments[2];
    for (size_t i = 0; i < node->inputs().size(); ++i) {
      const Output& input = node->inputs()[i];
      arguments[i] = nodes_.contains(input.node) ? AddStep(input.node, spec)
                                                 : InputNumber(input, spec);
    }
    const Argument result = {true, static_cast<int64_t>(ops_.size())};
    ops_.push_back(node->type());
    arguments_.insert(arguments_.end(), {arguments[0], arguments[1]});
    results_[node] = result;
    return result;
    // TODO(07.9) end

    // TODO(07.9) begin
    const auto found = std::ranges::find(spec->inputs, input);
    const int64_t number = found - spec->inputs.begin();
    if (found == spec->inputs.end()) spec->inputs.push_back(input);
    return {false, number};
    // TODO(07.9) end
