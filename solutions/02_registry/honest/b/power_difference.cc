  // TODO(02.8) begin
  ctx->WithRank(2, 0, "pow");
  BroadcastShapeFn(ctx);
  // TODO(02.8) end

  // TODO(02.8) begin
  for (const char* input : {"x: T", "y: T", "pow: T"}) op.Input(input);
  op.Output("z: T").Attr("T: {float, double, int32, int64}");
  // TODO(02.8) end
