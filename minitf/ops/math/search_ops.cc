// Search in sorted rows.
//
// Kernels    kernels/cpu/math/search_sorted.cc
// Gradients  minitf/gradients/math/reduction_grad.cc
// Compare    tensorflow/core/ops/array_ops.cc
// Read next  minitf/ops/math/reduction_ops.cc

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// The shape of the values, [N,V], for sorted rows [N,S].
void SearchShapeFn(InferenceContext* ctx) {
  ctx->WithRank(0, 2, "sorted_inputs");
  ctx->set_output(0, ctx->WithRank(1, 2, "values"));
}

// How many elements of a sorted row are in a `relation` to a value.
OpDefBuilder SearchOp(std::string_view name, std::string_view relation) {
  return OpDefBuilder(name)
      .Input("sorted_inputs: T")
      .Input("values: T")
      .Output("output: out_type")
      .Attr("T: type")
      .Attr("out_type: {int32, int64} = int32")
      .SetShapeFn(SearchShapeFn)
      .Doc(StrCat("For each value in row i of `values`, how many elements of the sorted "
                  "row i of `sorted_inputs` are ",
                  relation, "."));
}

const OpRegistrar kSearchOps[] = {
    SearchOp("LowerBound", "less than it"),
    SearchOp("UpperBound", "not greater than it"),
};

}  // namespace
}  // namespace minitf
