  // TODO(13.7) begin
  RequireNoLoop(source, consumer);
  const size_t to = PartOf(consumer);
  const MemoryType wanted = MemoryOf(consumer).inputs[input];
  if (PartOf(source) == to && MemoryOf(source).outputs[output] == wanted) {
    return copies_[source.id()]->output(output);
  }
  return Received(source, output, to, wanted)->output(0);
  // TODO(13.7) end

  // TODO(13.7) begin
  RequireNoLoop(source, consumer);
  const size_t to = PartOf(consumer);
  if (PartOf(source) == to) return copies_[source.id()];
  return Received(source, kControl, to, MemoryType::kHost);
  // TODO(13.7) end

  // TODO(13.7) begin
  const auto [found, is_new] =
      receives_.try_emplace(Edge(source.id(), output, to, memory), nullptr);
  if (is_new) found->second = Receive(source, Sent(source, output), to, memory);
  return found->second;
  // TODO(13.7) end

  // TODO(13.8) begin
  send.op = End("_Send", "_HostSend", from, sent.memory);
  send.inputs = {sent.output};
  send.attrs = EdgeAttrs(source, from, to);
  send.device = parts_[from].device->name();
  // TODO(13.8) end

  // TODO(13.8) begin
  receive.op = End("_Recv", "_HostRecv", to, memory);
  receive.attrs = send.attrs;
  receive.attrs.Set("tensor_type", sent.output.dtype());
  receive.device = parts_[to].device->name();
  // TODO(13.8) end

  // TODO(13.8) begin
  Node* const copy = copies_[source.id()];
  if (output != kControl) {
    return {copy->output(output), part, MemoryOf(source).outputs[output]};
  }
  Node*& ran = ran_[source.id()];
  if (ran == nullptr) {
    NodeSpec spec;
    spec.op = "Const";
    spec.name = step_.graph->UniqueName(StrCat("ran/", source.name()));
    spec.control_inputs = {copy};
    spec.attrs = {{"value", Tensor(DType::kInt32, Shape{0})}, {"dtype", DType::kInt32}};
    spec.device = parts_[part].device->name();
    spec.origin = source.origin();
    ran = parts_[part].step.graph->AddNode(std::move(spec));
  }
  return {ran->output(0), part, MemoryType::kHost};
  // TODO(13.8) end
