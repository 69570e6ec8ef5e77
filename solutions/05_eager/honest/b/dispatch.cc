#include <algorithm>

  // TODO(05.1) begin
  // Every part has its length in front, so no two lists of parts give the same key.
  const auto number = [&key](auto value) { key.append(StrCat(value)).push_back(';'); };
  const auto text = [&key, &number](std::string_view part) {
    number(part.size());
    key.append(part);
  };
  key.clear();
  text(op);
  number(inputs.size());
  for (const Tensor& input : inputs) number(static_cast<int>(input.dtype()));
  number(input_lengths.size());
  std::ranges::for_each(input_lengths, number);
  number(attrs.size());
  for (const auto& [name, value] : attrs) {
    text(name);
    std::string bytes;
    AppendKey(value, &bytes);
    text(bytes);
  }
  // TODO(05.1) end

  // TODO(05.2) begin
  return std::ranges::count(prepared.signature.output_types, DType::kResource) == 0;
  // TODO(05.2) end

  // TODO(05.2) begin
  const OpDef& op = FindOp(op_name);
  std::vector<DType> types(inputs.size());
  std::ranges::transform(inputs, types.begin(), &Tensor::dtype);
  Signature signature = input_lengths.empty()
                            ? CompleteAttrs(op, types, &attrs)
                            : CompleteAttrs(op, types, input_lengths, &attrs);
  auto kernel = MakeKernel("", op, attrs, signature, Device::kCpu, EagerDevice());
  const std::shared_ptr<PreparedOp> made(
      new PreparedOp{&op, std::move(attrs), std::move(signature), std::move(kernel)});
  if (MayBeKept(*made)) Prepared().Add(key, made);
  return made;
  // TODO(05.2) end

  // TODO(05.3) begin
  std::vector<PartialShape> shapes;
  std::vector<const Tensor*> values;
  for (const Tensor& input : inputs) {
    shapes.emplace_back(input.shape());
    values.push_back(&input);
  }
  InferenceContext known(shapes, prepared.signature.input_types, prepared.attrs, values);
  prepared.op->shape_fn(&known);
  // TODO(05.3) end

  // TODO(05.3) begin
  const std::vector<DType>& types = prepared.signature.output_types;
  std::vector<Tensor> outputs(types.size());
  CancellationManager cancellation;
  const StepContext step{.rendezvous = nullptr, .cancellation = &cancellation};
  OpKernelContext ctx(inputs, outputs, types, EagerDevice(), step);
  RunKernel(prepared.kernel.get(), &ctx);
  ThrowIfError(ctx.status());
  RequireValues(outputs);
  return outputs;
  // TODO(05.3) end

  // TODO(05.4) begin
  return WithOpName(op, [&] {
    std::vector<Tensor> tensors(inputs.size());
    std::ranges::transform(inputs, tensors.begin(), &EagerTensor::tensor);
    const auto prepared = Prepare(op, tensors, std::move(attrs), input_lengths);
    CheckShapes(*prepared, tensors);
    std::vector<Tensor> computed = Compute(*prepared, std::move(tensors));
    std::vector<EagerTensor> outputs(computed.size());
    std::ranges::transform(computed, outputs.begin(), &MakeEagerTensor);
    RecordOnTapes(*prepared->op, prepared->attrs, inputs, outputs);
    return outputs;
  });
  // TODO(05.4) end

  // TODO(05.4) begin
  std::vector<EagerTensor> tensors(inputs.size());
  std::ranges::transform(inputs, tensors.begin(), [this](Value v) { return Get(v); });
  const auto outputs = Dispatch(op, tensors, std::move(attrs));
  std::vector<Value> values(outputs.size());
  std::ranges::transform(outputs, values.begin(),
                         [this](const EagerTensor& output) { return Add(output); });
  return values;
  // TODO(05.4) end
