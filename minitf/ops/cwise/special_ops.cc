// Special functions of two inputs, the neighbour of a number, and search in sorted rows.
//
// Kernels    kernels/cpu/cwise/cwise_special.cc, kernels/cpu/math/search_sorted.cc
// Gradients  minitf/gradients/cwise/special_grad.cc
// Compare    tensorflow/core/ops/math_ops.cc, tensorflow/core/ops/array_ops.cc
// Read next  minitf/ops/cwise/cwise_binary_ops.cc

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

REGISTER_OP("Igamma")
    .Input("a: T")
    .Input("x: T")
    .Output("z: T")
    .Attr("T: {float, double}")
    .SetShapeFn(BroadcastShapeFn)
    .Doc(
        "The regularized lower incomplete gamma function P(a, x), element by element, "
        "with broadcasting: the part of the integral of t^(a-1) exp(-t) up to x.");

REGISTER_OP("IgammaGradA")
    .Input("a: T")
    .Input("x: T")
    .Output("z: T")
    .Attr("T: {float, double}")
    .SetShapeFn(BroadcastShapeFn)
    .Doc("The derivative of Igamma by `a`, element by element, with broadcasting.");

REGISTER_OP("Igammac")
    .Input("a: T")
    .Input("x: T")
    .Output("z: T")
    .Attr("T: {float, double}")
    .SetShapeFn(BroadcastShapeFn)
    .Doc(
        "The regularized upper incomplete gamma function, 1 - Igamma(a, x), element by "
        "element, with broadcasting.");

REGISTER_OP("Zeta")
    .Input("x: T")
    .Input("q: T")
    .Output("z: T")
    .Attr("T: {float, double}")
    .SetShapeFn(BroadcastShapeFn)
    .Doc(
        "The Hurwitz zeta function, the sum of (q + n)^-x over n = 0, 1, ..., element by "
        "element, with broadcasting.");

REGISTER_OP("Polygamma")
    .Input("a: T")
    .Input("x: T")
    .Output("z: T")
    .Attr("T: {float, double}")
    .SetShapeFn(BroadcastShapeFn)
    .Doc(
        "The derivative of order `a` of Digamma at x, element by element, with "
        "broadcasting. An order is a whole number that is not negative.");

REGISTER_OP("NextAfter")
    .Input("x1: T")
    .Input("x2: T")
    .Output("output: T")
    .Attr("T: {double, float} = float")
    .SetShapeFn(BroadcastShapeFn)
    .Doc(
        "The number of type T next to x1 in the direction of x2, element by element, "
        "with broadcasting.");

// The shape of the values, [N,V], for sorted rows [N,S].
void SearchShapeFn(InferenceContext* ctx) {
  ctx->WithRank(0, 2, "sorted_inputs");
  ctx->set_output(0, ctx->WithRank(1, 2, "values"));
}

REGISTER_OP("LowerBound")
    .Input("sorted_inputs: T")
    .Input("values: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = int32")
    .SetShapeFn(SearchShapeFn)
    .Doc(
        "For each value in row i of `values`, how many elements of the sorted row i of "
        "`sorted_inputs` are less than it.");

REGISTER_OP("UpperBound")
    .Input("sorted_inputs: T")
    .Input("values: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = int32")
    .SetShapeFn(SearchShapeFn)
    .Doc(
        "For each value in row i of `values`, how many elements of the sorted row i of "
        "`sorted_inputs` are not greater than it.");

}  // namespace
}  // namespace minitf
