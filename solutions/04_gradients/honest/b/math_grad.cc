#include <cstdint>

  // TODO(04.1) begin
  // The sizes of `to`, with a 1 for each axis that it lacks in front. Along axes where
  // both have size 1 there is nothing to add up, but they may have to be put back.
  std::vector<int64_t> aligned(from.rank() - to.rank(), 1);
  aligned.insert(aligned.end(), to.sizes().begin(), to.sizes().end());

  std::vector<int64_t> summed;  // axes
  std::vector<int64_t> rest;    // the sizes of those that stay
  for (size_t axis = 0; axis < aligned.size(); ++axis) {
    const int64_t size = from.dim(static_cast<int>(axis));
    if (aligned[axis] == size) {
      rest.push_back(size);
    } else {
      summed.push_back(static_cast<int64_t>(axis));
    }
  }
  if (!summed.empty()) gradient = ctx.Call("Sum", {gradient, Ints(ctx, summed)});
  if (rest == to.ToVector()) return gradient;
  return ctx.Call("Reshape", {gradient, Ints(ctx, to.ToVector())});
  // TODO(04.1) end

  // TODO(04.2) begin
  return {Mul(ctx, ctx.Call("Cos", {x}), dz)};
  // TODO(04.2) end

  // TODO(04.2) begin
  return {Mul(ctx, z, dz)};
  // TODO(04.2) end

  // TODO(04.2) begin
  return {ctx.Call("RealDiv", {dz, x})};
  // TODO(04.2) end

  // TODO(04.3) begin
  const auto times = [&](Value factor, int input) {
    return SumToShapeOfInput(ctx, Mul(ctx, dz, factor), input);
  };
  return {times(y, 0), times(x, 1)};
  // TODO(04.3) end

  // TODO(04.3) begin
  // dL/dy = -(x / y) (dz / y). Each of the two quotients is of an ordinary size.
  const auto over_y = [&](Value value) { return ctx.Call("RealDiv", {value, y}); };
  const Value dx = over_y(dz);
  const Value minus_dy = Mul(ctx, over_y(x), dx);
  return {SumToShapeOfInput(ctx, dx, 0),
          ctx.Call("Neg", {SumToShapeOfInput(ctx, minus_dy, 1)})};
  // TODO(04.3) end

  // TODO(04.4) begin
  // With A for a as it is used, dA = dz B^T. If A = a^T, then da = dA^T = B dz^T. In the
  // same way dB = A^T dz, and db = dz^T A if B = b^T.
  const Value da = transpose_a ? MatMul(ctx, b, transpose_b, dz, true)
                               : MatMul(ctx, dz, false, b, !transpose_b);
  const Value db = transpose_b ? MatMul(ctx, dz, true, a, transpose_a)
                               : MatMul(ctx, a, !transpose_a, dz, false);
  return {da, db};
  // TODO(04.4) end

  // TODO(04.5) begin
  const Value kept = ctx.attr<bool>("keep_dims")
                         ? dz
                         : ctx.Call("Reshape", {dz, ShapeWithReducedAxesKept(ctx)});
  return {ctx.Call("BroadcastTo", {kept, ShapeOf(ctx, x)}), Value::None()};
  // TODO(04.5) end

  // TODO(04.5) begin
  std::vector<Value> gradients = SumGrad(ctx);
  gradients[0] = ctx.Call("RealDiv", {gradients[0], NumReducedPerOutput(ctx)});
  return gradients;
  // TODO(04.5) end

  // TODO(04.6) begin
  return {ctx.Call("Reshape", {dz, ShapeOf(ctx, x)}), Value::None()};
  // TODO(04.6) end

  // TODO(04.6) begin
  const Value zeros = ctx.Call("ZerosLike", {dz});
  const auto where = [&](Value if_true, Value if_false) {
    return ctx.Call("Select", {condition, if_true, if_false});
  };
  return {Value::None(), where(dz, zeros), where(zeros, dz)};
  // TODO(04.6) end

  // TODO(04.6) begin
  return {dz, ctx.Call("BiasAddGrad", {dz}, {{"data_format", data_format}})};
  // TODO(04.6) end
