  // TODO(04.1) begin
  // A missing axis in front counts as one of size 1.
  const int missing = from.rank() - to.rank();
  std::vector<int64_t> stretched;
  for (int axis = 0; axis < from.rank(); ++axis) {
    const bool is_missing = axis < missing;
    if (is_missing || (to.dim(axis - missing) == 1 && from.dim(axis) != 1)) {
      stretched.push_back(axis);
    }
  }
  if (stretched.empty()) return gradient;
  const Value sum = ctx.Call("Sum", {gradient, Ints(ctx, stretched)});
  return ctx.Call("Reshape", {sum, Ints(ctx, to.ToVector())});
  // TODO(04.1) end

  // TODO(04.2) begin
  return {Mul(ctx, dz, ctx.Call("Cos", {x}))};
  // TODO(04.2) end

  // TODO(04.2) begin
  return {Mul(ctx, dz, z)};
  // TODO(04.2) end

  // TODO(04.2) begin
  return {ctx.Call("RealDiv", {dz, x})};
  // TODO(04.2) end

  // TODO(04.3) begin
  return {SumToShapeOfInput(ctx, Mul(ctx, dz, y), 0),
          SumToShapeOfInput(ctx, Mul(ctx, dz, x), 1)};
  // TODO(04.3) end

  // TODO(04.3) begin
  // By y it is -x / y^2; each y divides one factor, as y^2 may be no number.
  const Value by_x = ctx.Call("RealDiv", {dz, y});
  const Value quotient = ctx.Call("RealDiv", {x, y});
  const Value by_y = ctx.Call("Neg", {Mul(ctx, by_x, quotient)});
  return {SumToShapeOfInput(ctx, by_x, 0), SumToShapeOfInput(ctx, by_y, 1)};
  // TODO(04.3) end

  // TODO(04.4) begin
  const Value da = transpose_a ? MatMul(ctx, b, transpose_b, dz, true)
                               : MatMul(ctx, dz, false, b, !transpose_b);
  const Value db = transpose_b ? MatMul(ctx, dz, true, a, transpose_a)
                               : MatMul(ctx, a, !transpose_a, dz, false);
  return {da, db};
  // TODO(04.4) end

  // TODO(04.5) begin
  Value kept = dz;
  if (!ctx.attr<bool>("keep_dims")) {
    kept = ctx.Call("Reshape", {dz, ShapeWithReducedAxesKept(ctx)});
  }
  return {ctx.Call("BroadcastTo", {kept, ShapeOf(ctx, x)}), Value::None()};
  // TODO(04.5) end

  // TODO(04.5) begin
  const Value of_sum = SumGrad(ctx)[0];
  return {ctx.Call("RealDiv", {of_sum, NumReducedPerOutput(ctx)}), Value::None()};
  // TODO(04.5) end

  // TODO(04.6) begin
  return {ctx.Call("Reshape", {dz, ShapeOf(ctx, x)}), Value::None()};
  // TODO(04.6) end

  // TODO(04.6) begin
  const Value zeros = ctx.Call("ZerosLike", {dz});
  return {Value::None(), ctx.Call("Select", {condition, dz, zeros}),
          ctx.Call("Select", {condition, zeros, dz})};
  // TODO(04.6) end

  // TODO(04.6) begin
  return {dz, ctx.Call("BiasAddGrad", {dz}, {{"data_format", data_format}})};
  // TODO(04.6) end
