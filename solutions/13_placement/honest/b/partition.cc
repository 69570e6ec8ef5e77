  // TODO(13.7) begin
  RequireNoLoop(source, consumer);
  const size_t to = PartOf(consumer);
  const MemoryType memory = MemoryOf(consumer).inputs[input];
  const bool is_there =
      PartOf(source) == to && MemoryOf(source).outputs[output] == memory;
  return is_there ? copies_[source.id()]->output(output)
                  : Received(source, output, to, memory)->output(0);
  // TODO(13.7) end

  // TODO(13.7) begin
  RequireNoLoop(source, consumer);
  const size_t to = PartOf(consumer);
  if (to != PartOf(source)) return Received(source, kControl, to, MemoryType::kHost);
  return copies_[source.id()];
  // TODO(13.7) end

  // TODO(13.7) begin
  const Edge edge(source.id(), output, to, memory);
  if (!receives_.contains(edge)) {
    Node* node = Receive(source, Sent(source, output), to, memory);
    receives_.emplace(edge, node);
  }
  return receives_.at(edge);
  // TODO(13.7) end

  // TODO(13.8) begin
  send.op = End("_Send", "_HostSend", from, sent.memory);
  send.inputs.push_back(sent.output);
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
  Node* copy = copies_[source.id()];
  if (output != kControl) {
    return {copy->output(output), part, MemoryOf(source).outputs[output]};
  }
  const auto [ran, is_first] = ran_.try_emplace(source.id());
  if (is_first) {
    NodeSpec spec;
    spec.op = "Const";
    spec.name = step_.graph->UniqueName(StrCat("ran/", source.name()));
    spec.control_inputs.push_back(copy);
    spec.attrs.Set("dtype", DType::kInt32);
    spec.attrs.Set("value", Tensor(DType::kInt32, Shape({0})));
    spec.device = source.device();
    spec.origin = source.origin();
    ran->second = parts_[part].step.graph->AddNode(std::move(spec));
  }
  return {ran->second->output(0), part, MemoryType::kHost};
  // TODO(13.8) end
