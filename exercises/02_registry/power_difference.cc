// The definition of PowerDifference.
//
// Exercise   exercises/02_registry

#include "minitf/ops/cwise/power_difference.h"

#include "minitf/base/lab.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

void PowerDifferenceShape(InferenceContext* ctx) {
  // TODO(02.8) begin: check pow, and set output 0
  MINITF_TODO("02.8");
  // TODO(02.8) end
}

}  // namespace

OpDefBuilder DefinePowerDifference() {
  OpDefBuilder op("PowerDifference");
  op.SetShapeFn(PowerDifferenceShape);
  op.Doc("The difference x - y to the power of the scalar pow; x and y broadcast.");
  // TODO(02.8) begin: add the inputs, the output and the attribute
  MINITF_TODO("02.8");
  // TODO(02.8) end
  return op;
}

static const OpRegistrar kPowerDifferenceRegistrar = DefinePowerDifference();

}  // namespace minitf
