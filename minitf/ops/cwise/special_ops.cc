// Special functions of two inputs, and the neighbour of a number.
//
// Kernels    kernels/cpu/cwise/cwise_special.cc
// Gradients  minitf/gradients/cwise/special_grad.cc
// Compare    tensorflow/core/ops/math_ops.cc
// Read next  minitf/ops/cwise/cwise_binary_ops.cc

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// A function of two inputs, which are named here.
OpDefBuilder SpecialOp(std::string_view name, std::string_view x, std::string_view y,
                       std::string_view what) {
  return OpDefBuilder(name)
      .Input(x)
      .Input(y)
      .Output("z: T")
      .Attr("T: {float, double}")
      .SetShapeFn(BroadcastShapeFn)
      .Doc(StrCat(what, ", element by element, with broadcasting."));
}

const OpRegistrar kSpecialOps[] = {
    SpecialOp("Igamma", "a: T", "x: T",
              "The regularized lower incomplete gamma function P(a, x), the part of the "
              "integral of t^(a-1) exp(-t) up to x"),
    SpecialOp("IgammaGradA", "a: T", "x: T", "The derivative of Igamma by `a`"),
    SpecialOp("Igammac", "a: T", "x: T",
              "The regularized upper incomplete gamma function, 1 - Igamma(a, x)"),
    SpecialOp("Zeta", "x: T", "q: T",
              "The Hurwitz zeta function, the sum of (q + n)^-x over n = 0, 1, ..."),
    SpecialOp("Polygamma", "a: T", "x: T",
              "The derivative of order `a`, a whole number that is not negative, of "
              "Digamma at x"),
};

REGISTER_OP("NextAfter")
    .Input("x1: T")
    .Input("x2: T")
    .Output("output: T")
    .Attr("T: {double, float} = float")
    .SetShapeFn(BroadcastShapeFn)
    .Doc(
        "The number of type T next to x1 in the direction of x2, element by element, "
        "with broadcasting.");

}  // namespace
}  // namespace minitf
