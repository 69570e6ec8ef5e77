  // TODO(02.8) begin
  ctx->WithRank(2, 0, "pow");
  ctx->set_output(0, BroadcastShapes(ctx->input(0), ctx->input(1)));
  // TODO(02.8) end

  // TODO(02.8) begin
  op.Input("x: T").Input("y: T").Input("pow: T").Output("z: T");
  op.Attr("T: {float, double, int32, int64}");
  // TODO(02.8) end
