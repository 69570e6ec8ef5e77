#include <iterator>

  // TODO(07.12) begin
  const OpFacts& facts = node.facts();
  return facts.hands_on_input ? IsForeign(*node.inputs()[0].node) : facts.lends_outputs;
  // TODO(07.12) end

    // TODO(07.12) begin
    if (MayHandOnInput(node, device)) {
      for (const Output& input : node.inputs()) {
        std::ranges::copy_if(PlacesOf(input), std::back_inserter(places), [&](int place) {
          return std::ranges::count(places, place) == 0;
        });
      }
    }
    const int last_use = LastUse(tensor);
    for (const int place : places) {
      int& end = result_.buffers[place].last_use;
      end = std::max(end, last_use);
      users_[place].push_back(tensor);
    }
    // TODO(07.12) end

    // TODO(07.12) begin
    for (const Use& use : consumers_.Of(tensor.node)) {
      if (use.output != tensor.index) continue;  // a wait has no output
      const Node& reader = *use.consumer;
      const bool keeps = reader.role() == OpRole::kRetval || MayKeepInputs(reader);
      last = std::max(last, keeps ? static_cast<int>(result_.order.size())
                                  : time_.at(&reader));
    }
    // TODO(07.12) end

    // TODO(07.13) begin
    const std::vector<Output>& inputs = node.inputs();
    if (node.facts().hands_on_input) return PlacesOf(inputs[0]);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!MayWorkInPlace(node, static_cast<int>(i), device)) continue;
      const Buffers& places = PlacesOf(inputs[i]);
      const bool is_dead = std::ranges::all_of(
          places, [&](int place) { return IsDeadAfter(&node, place); });
      if (places.empty() || !is_dead) continue;
      const auto readers_of_place =
          std::ranges::count_if(inputs, [&](const Output& input) {
            return std::ranges::count(PlacesOf(input), places[0]) > 0;
          });
      if (readers_of_place == 1) return places;
    }
    // TODO(07.13) end

    // TODO(07.13) begin
    const int now = time_.at(node);
    return std::ranges::all_of(
        users_[buffer], [&](const Output& user) { return LastUse(user) <= now; });
    // TODO(07.13) end

  // TODO(07.13) begin
  if (node.num_outputs() != 1) return false;
  const std::vector<Output>& inputs = node.inputs();
  const bool op_allows = HasElementwiseLoop(node, device) || i < node.facts().num_forwarded_inputs;
  // A kernel leaves alone what it is given twice.
  return op_allows && inputs[i].dtype() == node.output_type(0) &&
         inputs[i].shape().IsFullyKnown() &&
         inputs[i].shape() == node.output_shape(0) &&
         std::ranges::count(inputs, inputs[i]) == 1;
  // TODO(07.13) end
