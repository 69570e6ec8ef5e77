  // TODO(10.12) begin
  const std::string name = ctx.op.name;
  const Value dx = ctx.Call(name + "BackpropInput", {ShapeOf(ctx, x), w, dy}, attrs);
  const Value dw = ctx.Call(name + "BackpropFilter", {x, ShapeOf(ctx, w), dy}, attrs);
  return {dx, dw};
  // TODO(10.12) end

  // TODO(10.12) begin
  const Value by_w = ctx.Call(op + "BackpropFilter", {ddx, ShapeOf(ctx, w), dy}, attrs);
  const Value by_dy = ctx.Call(op, {ddx, w}, attrs);
  return {Value::None(), by_w, by_dy};
  // TODO(10.12) end

  // TODO(10.12) begin
  const Value by_x = ctx.Call(op + "BackpropInput", {ShapeOf(ctx, x), ddw, dy}, attrs);
  const Value by_dy = ctx.Call(op, {x, ddw}, attrs);
  return {by_x, Value::None(), by_dy};
  // TODO(10.12) end

  // TODO(10.13) begin
  const Attrs attrs = PoolAttrsOf(ctx);
  return {ctx.Call("MaxPoolGrad", {ctx.inputs[0], ctx.outputs[0], ctx.dy[0]}, attrs)};
  // TODO(10.13) end

  // TODO(10.13) begin
  const Value x = ctx.inputs[0];
  const Value y = ctx.inputs[1];
  const bool is_first = ctx.op.name == "MaxPoolGrad";
  const Value back = ctx.Call(is_first ? "MaxPoolGradGrad" : "MaxPoolGrad",
                              {x, y, ctx.dy[0]}, PoolAttrsOf(ctx));
  return {ctx.Call("ZerosLike", {x}), ctx.Call("ZerosLike", {y}), back};
  // TODO(10.13) end

  // TODO(10.13) begin
  const Value dy = ctx.dy[0];
  if (dy.is_none()) return {dy};
  const Attrs attrs = SharedAttrs(ctx, {"ksize", "strides", "padding"});
  return {ctx.Call("MaxPoolGrad", {ctx.inputs[0], ctx.outputs[0], dy}, attrs)};
  // TODO(10.13) end

  // TODO(10.13) begin
  const Value sizes = ShapeOf(ctx, ctx.inputs[0]);
  return {ctx.Call("AvgPoolGrad", {sizes, ctx.dy[0]}, PoolAttrsOf(ctx))};
  // TODO(10.13) end

  // TODO(10.13) begin
  const Value means = ctx.Call("AvgPool", {ctx.dy[0]}, PoolAttrsOf(ctx));
  return {Value::None(), means};
  // TODO(10.13) end

  // TODO(10.13) begin
  const Value nothing = ctx.Call("Sub", {ctx.inputs[0], ctx.inputs[0]});
  const Value zeros = ctx.Call("ZerosLike", {nothing});
  return {ctx.Call("BiasAdd", {zeros, ctx.dy[0]}, SharedAttrs(ctx, {"data_format"}))};
  // TODO(10.13) end
