  // TODO(05.5) begin
  const std::shared_ptr<TapesOfThread>& tapes = OurTapes();
  const std::lock_guard lock(tapes->mutex);
  tapes->recording.push_back(this);
  ++tapes->num_recording;
  recorded_by_ = tapes;
  stops_around_ = num_stops;
  // TODO(05.5) end

  // TODO(05.5) begin
  const std::lock_guard lock(tapes->mutex);
  std::erase(tapes->recording, this);
  --tapes->num_recording;
  // TODO(05.5) end

  // TODO(05.8) begin
  is_used_up_ = !persistent_;
  // Also if an op has no gradient, or fails.
  struct Forgetting {
    Tape* tape;
    ~Forgetting() {
      if (!tape->persistent_) tape->Reset();
    }
  };
  const Forgetting forgetting{this};

  EagerEmitter emitter;
  std::vector<OpRecord> program;
  program.reserve(records_.size());
  for (const auto& record : records_) {
    OpRecord call;
    call.op = record->op;
    call.attrs = &record->attrs;
    call.inputs = ValuesOf(record->inputs, &emitter);
    call.outputs = ValuesOf(record->outputs, &emitter);
    program.push_back(std::move(call));
  }
  GradientRequest request;
  request.ys = ValuesOf(ys, &emitter);
  request.xs = ValuesOf(xs, &emitter);
  request.dys = ValuesOf(dys, &emitter);

  std::vector<std::vector<EagerTensor>> gradients;
  for (const Value gradient : AddGradients(program, request, emitter)) {
    std::vector<EagerTensor>& parts = gradients.emplace_back();
    for (const Value part : emitter.PartsOf(gradient)) parts.push_back(emitter.Get(part));
  }
  return gradients;
  // TODO(05.8) end

  // TODO(05.6) begin
  for (Tape* tape : tapes.recording) {
    if (num_stops > tape->stops_around_) continue;
    bool watches = false;
    for (const EagerTensor& input : inputs) watches |= tape->IsWatched(input.id);
    if (!watches) continue;
    tape->records_.push_back(
        std::make_unique<Tape::Record>(Tape::Record{&op, attrs, inputs, outputs}));
    for (const EagerTensor& output : outputs) {
      if (IsDifferentiable(output.tensor.dtype())) tape->Watch(output);
    }
  }
  // TODO(05.6) end

  // TODO(05.7) begin
  ++num_stops;
  // TODO(05.7) end

  // TODO(05.7) begin
  --num_stops;
  for (Tape* tape : tapes.recording) {
    tape->stops_around_ = std::min(tape->stops_around_, num_stops);
  }
  // TODO(05.7) end
