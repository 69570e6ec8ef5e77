  // TODO(04.7) begin
  for (const Value x : request.xs) {
    if (IsDifferentiable(emitter.dtype(x))) found.insert(x.id);
  }
  const auto is_found = [&](Value value) { return found.contains(value.id); };
  for (const OpRecord& call : program) {
    if (!std::ranges::any_of(call.inputs, is_found)) continue;
    for (const Value output : call.outputs) {
      if (stopped.contains(output.id)) continue;
      if (IsDifferentiable(emitter.dtype(output))) found.insert(output.id);
    }
  }
  // TODO(04.7) end

  // TODO(04.8) begin
  if (terms.size() > 1) terms = {emitter.Call("AddN", terms)};
  return terms[0];
  // TODO(04.8) end

  // TODO(04.9) begin
  const auto depends = [&](Value value) { return dependent.contains(value.id); };
  for (auto call = program.rbegin(); call != program.rend(); ++call) {
    if (!std::ranges::any_of(call->inputs, depends)) continue;
    std::vector<Value> dy;
    bool has_gradient = false;
    for (const Value output : call->outputs) {
      const bool is_stopped = stopped.contains(output.id);
      dy.push_back(is_stopped ? Value::None() : TotalOf(output, &contributions, emitter));
      has_gradient = has_gradient || !dy.back().is_none();
    }
    if (!has_gradient) continue;
    const std::vector<Value> dx = GradientsOfCall(*call, dy, emitter);
    for (size_t i = 0; i < dx.size(); ++i) {
      if (dx[i].is_none() || !depends(call->inputs[i])) continue;
      contributions[call->inputs[i].id].push_back(dx[i]);
    }
  }
  // TODO(04.9) end
