  // TODO(05.1) begin
  const auto append_number = [&key](int64_t number) {
    key.append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  append_number(static_cast<int64_t>(inputs.size()));
  for (const Tensor& input : inputs) key.push_back(static_cast<char>(input.dtype()));
  append_number(static_cast<int64_t>(input_lengths.size()));
  for (const int length : input_lengths) append_number(length);
  for (const auto& [name, value] : attrs) {
    append_number(static_cast<int64_t>(name.size()));
    key.append(name);
    AppendKey(value, &key);
  }
  append_number(static_cast<int64_t>(op.size()));  // where the op's name ends
  // TODO(05.1) end

  // TODO(05.2) begin
  for (const DType type : prepared.signature.output_types) {
    if (type == DType::kResource) return false;
  }
  return true;
  // TODO(05.2) end

  // TODO(05.2) begin
  auto prepared = std::make_shared<PreparedOp>();
  prepared->op = &FindOp(op_name);
  prepared->attrs = std::move(attrs);
  std::vector<DType> input_types;
  input_types.reserve(inputs.size());
  for (const Tensor& input : inputs) input_types.push_back(input.dtype());
  prepared->signature =
      CompleteAttrs(*prepared->op, input_types, input_lengths, &prepared->attrs);
  prepared->kernel = MakeKernel("", *prepared->op, prepared->attrs, prepared->signature,
                                Device::kCpu, EagerDevice());
  if (MayBeKept(*prepared)) Prepared().Add(key, prepared);
  return prepared;
  // TODO(05.2) end

  // TODO(05.3) begin
  std::vector<PartialShape> shapes;
  std::vector<const Tensor*> values;
  shapes.reserve(inputs.size());
  values.reserve(inputs.size());
  for (const Tensor& input : inputs) {
    shapes.emplace_back(input.shape());
    values.push_back(&input);
  }
  InferenceContext ctx(shapes, prepared.signature.input_types, prepared.attrs, values);
  prepared.op->shape_fn(&ctx);
  // TODO(05.3) end

  // TODO(05.3) begin
  const std::vector<DType>& output_types = prepared.signature.output_types;
  std::vector<Tensor> outputs(output_types.size());
  CancellationManager cancellation;
  const StepContext step{nullptr, &cancellation};
  OpKernelContext ctx(inputs, outputs, output_types, EagerDevice(), step);
  RunKernel(prepared.kernel.get(), &ctx);
  ThrowIfError(ctx.status());
  RequireValues(outputs);
  return outputs;
  // TODO(05.3) end

  // TODO(05.4) begin
  std::vector<Tensor> tensors;
  tensors.reserve(inputs.size());
  for (const EagerTensor& input : inputs) tensors.push_back(input.tensor);
  std::shared_ptr<PreparedOp> prepared;
  std::vector<Tensor> results = WithOpName(op, [&] {
    prepared = Prepare(op, tensors, std::move(attrs), input_lengths);
    CheckShapes(*prepared, tensors);
    return Compute(*prepared, tensors);
  });
  std::vector<EagerTensor> outputs;
  outputs.reserve(results.size());
  for (Tensor& result : results) outputs.push_back(MakeEagerTensor(std::move(result)));
  RecordOnTapes(*prepared->op, prepared->attrs, inputs, outputs);
  return outputs;
  // TODO(05.4) end

  // TODO(05.4) begin
  std::vector<EagerTensor> tensors;
  tensors.reserve(inputs.size());
  for (const Value input : inputs) tensors.push_back(Get(input));
  std::vector<Value> values;
  for (const EagerTensor& output : Dispatch(op, tensors, std::move(attrs))) {
    values.push_back(Add(output));
  }
  return values;
  // TODO(05.4) end
