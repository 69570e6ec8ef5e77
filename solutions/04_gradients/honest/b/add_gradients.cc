#include <ranges>

  // TODO(04.7) begin
  const auto has_gradient = [&](Value value) {
    return IsDifferentiable(emitter.dtype(value));
  };
  const auto is_found = [&](Value value) { return found.contains(value.id); };
  for (const Value x : request.xs | std::views::filter(has_gradient)) found.insert(x.id);
  for (const OpRecord& call : program) {
    if (std::ranges::none_of(call.inputs, is_found)) continue;
    for (const Value output : call.outputs | std::views::filter(has_gradient)) {
      if (!stopped.contains(output.id)) found.insert(output.id);
    }
  }
  // TODO(04.7) end

  // TODO(04.8) begin
  if (terms.size() > 1) terms = {emitter.Call("AddN", terms)};
  return terms.front();
  // TODO(04.8) end

  // TODO(04.9) begin
  const auto depends = [&](Value value) { return dependent.contains(value.id); };
  const auto total_of = [&](Value output) {
    return stopped.contains(output.id) ? Value::None()
                                       : TotalOf(output, &contributions, emitter);
  };
  for (const OpRecord& call : program | std::views::reverse) {
    if (std::ranges::none_of(call.inputs, depends)) continue;
    std::vector<Value> dy(call.outputs.size());
    std::ranges::transform(call.outputs, dy.begin(), total_of);
    if (std::ranges::all_of(dy, &Value::is_none)) continue;

    const std::vector<Value> dx = GradientsOfCall(call, dy, emitter);
    for (size_t i = 0; i < dx.size(); ++i) {
      if (dx[i].is_none() || !depends(call.inputs[i])) continue;
      contributions[call.inputs[i].id].push_back(dx[i]);
    }
  }
  // TODO(04.9) end
