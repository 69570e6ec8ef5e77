// The definition of PowerDifference.
//
// Exercise   exercises/02_registry

#include "minitf/ops/cwise/power_difference.h"

#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

void PowerDifferenceShape(InferenceContext* ctx) {
  // LAB(02.8) begin: check pow, and set output 0
  ctx->WithRank(2, 0, "pow");
  ctx->set_output(0, BroadcastShapes(ctx->input(0), ctx->input(1)));
  // LAB(02.8) end
}

}  // namespace

OpDefBuilder DefinePowerDifference() {
  OpDefBuilder op("PowerDifference");
  op.SetShapeFn(PowerDifferenceShape);
  op.Doc("The difference x - y to the power of the scalar pow; x and y broadcast.");
  // LAB(02.8) begin: add the inputs, the output and the attribute
  op.Input("x: T").Input("y: T").Input("pow: T").Output("z: T");
  op.Attr("T: {float, double, int32, int64}");
  // LAB(02.8) end
  return op;
}

static const OpRegistrar kPowerDifferenceRegistrar = DefinePowerDifference();

}  // namespace minitf
