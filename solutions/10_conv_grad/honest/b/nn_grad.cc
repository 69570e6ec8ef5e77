  // TODO(10.12) begin
  const auto gradient = [&](const char* of, Value a, Value b) {
    return ctx.Call(ctx.op.name + of, {a, b, dy}, attrs);
  };
  return {gradient("BackpropInput", ShapeOf(ctx, x), w),
          gradient("BackpropFilter", x, ShapeOf(ctx, w))};
  // TODO(10.12) end

  // TODO(10.12) begin
  std::vector<Value> gradients(3, Value::None());
  gradients[1] = ctx.Call(op + "BackpropFilter", {ddx, ShapeOf(ctx, w), dy}, attrs);
  gradients[2] = ctx.Call(op, {ddx, w}, attrs);
  return gradients;
  // TODO(10.12) end

  // TODO(10.12) begin
  std::vector<Value> gradients(3, Value::None());
  gradients[0] = ctx.Call(op + "BackpropInput", {ShapeOf(ctx, x), ddw, dy}, attrs);
  gradients[2] = ctx.Call(op, {x, ddw}, attrs);
  return gradients;
  // TODO(10.12) end

  // TODO(10.13) begin
  const Value x = ctx.inputs[0];
  const Value y = ctx.outputs[0];
  const Value dy = ctx.dy[0];
  return {ctx.Call("MaxPoolGrad", {x, y, dy}, PoolAttrsOf(ctx))};
  // TODO(10.13) end

  // TODO(10.13) begin
  std::vector<Value> gradients;
  for (int i = 0; i < 2; ++i) gradients.push_back(ctx.Call("ZerosLike", {ctx.inputs[i]}));
  const std::string other =
      ctx.op.name == "MaxPoolGradGrad" ? "MaxPoolGrad" : ctx.op.name + "Grad";
  const std::vector<Value> given = {ctx.inputs[0], ctx.inputs[1], ctx.dy[0]};
  gradients.push_back(ctx.Call(other, given, PoolAttrsOf(ctx)));
  return gradients;
  // TODO(10.13) end

  // TODO(10.13) begin
  const Value dy = ctx.dy[0];
  if (dy.is_none()) return {Value::None()};
  return {ctx.Call("MaxPoolGrad", {ctx.inputs[0], ctx.outputs[0], dy}, PoolAttrsOf(ctx))};
  // TODO(10.13) end

  // TODO(10.13) begin
  const Value shape = ShapeOf(ctx, ctx.inputs[0]);
  const Value dx = ctx.Call("AvgPoolGrad", {shape, ctx.dy[0]}, PoolAttrsOf(ctx));
  return {dx};
  // TODO(10.13) end

  // TODO(10.13) begin
  std::vector<Value> gradients = {Value::None()};
  gradients.push_back(ctx.Call("AvgPool", {ctx.dy[0]}, PoolAttrsOf(ctx)));
  return gradients;
  // TODO(10.13) end

  // TODO(10.13) begin
  const Attrs attrs = SharedAttrs(ctx, {"data_format"});
  return {ctx.Call("BiasAdd", {ctx.Call("ZerosLike", {ctx.inputs[0]}), ctx.dy[0]}, attrs)};
  // TODO(10.13) end
