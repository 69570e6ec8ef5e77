  // TODO(05.5) begin
  const std::shared_ptr<TapesOfThread>& tapes = OurTapes();
  const std::lock_guard lock(tapes->mutex);
  tapes->recording.push_back(this);
  ++tapes->num_recording;
  stops_around_ = num_stops;
  recorded_by_ = tapes;
  // TODO(05.5) end

  // TODO(05.5) begin
  const std::lock_guard lock(tapes->mutex);
  tapes->num_recording -= static_cast<int>(std::erase(tapes->recording, this));
  // TODO(05.5) end

  // TODO(05.8) begin
  // One that is asked once lets go of everything now: here the records live just as long
  // as the question, however it ends.
  std::vector<std::unique_ptr<Record>> given_away;
  if (!persistent_) {
    is_used_up_ = true;
    given_away.swap(records_);
    Reset();
  }
  EagerEmitter emitter;
  std::vector<OpRecord> program;
  for (const auto& record : persistent_ ? records_ : given_away) {
    program.push_back({.op = record->op,
                       .attrs = &record->attrs,
                       .inputs = ValuesOf(record->inputs, &emitter),
                       .outputs = ValuesOf(record->outputs, &emitter),
                       .node_name = {}});
  }
  const GradientRequest request{.ys = ValuesOf(ys, &emitter),
                                .xs = ValuesOf(xs, &emitter),
                                .dys = ValuesOf(dys, &emitter),
                                .stop_gradients = {}};
  std::vector<std::vector<EagerTensor>> gradients;
  for (const Value gradient : AddGradients(program, request, emitter)) {
    std::vector<EagerTensor>& parts = gradients.emplace_back();
    for (const Value part : emitter.PartsOf(gradient)) parts.push_back(emitter.Get(part));
  }
  return gradients;
  // TODO(05.8) end

  // TODO(05.6) begin
  for (Tape* const tape : tapes.recording) {
    const auto is_watched = [tape](int64_t id) { return tape->IsWatched(id); };
    const bool is_stopped = num_stops > tape->stops_around_;
    if (is_stopped || std::ranges::none_of(inputs, is_watched, &EagerTensor::id)) continue;
    tape->records_.push_back(
        std::make_unique<Tape::Record>(Tape::Record{&op, attrs, inputs, outputs}));
    for (const auto& [tensor, id] : outputs) {
      if (IsDifferentiable(tensor.dtype())) tape->watched_.insert(id);
    }
  }
  // TODO(05.6) end

  // TODO(05.7) begin
  ++num_stops;
  // TODO(05.7) end

  // TODO(05.7) begin
  --num_stops;
  for (Tape* const tape : tapes.recording) tape->IgnoreStops(num_stops);
  // TODO(05.7) end
