// Ops that compute each element of the result from one element of the input.
//
// Result and input have the same shape, whatever it is. At the end stand the ops that
// pass a gradient back through one of these. They take y and not x: the derivative of
// tanh, 1 - y * y, costs no second tanh, and x need not be kept until then.
//
// Kernels    kernels/cpu/cwise/cwise_unary.cc
// Gradients  minitf/gradients/cwise/cwise_unary_grad.cc
// Compare    tensorflow/core/ops/math_ops.cc
// Read next  minitf/ops/cwise/cwise_binary_ops.cc

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/ops/type_lists.h"

namespace minitf {
namespace {

constexpr char kSigned[] =
    "T: {bfloat16, half, float, double, int8, int16, int32, int64}";
constexpr char kUnaryNumbers[] =
    "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, "
    "complex128}";

// ---- Numbers to numbers ---------------------------------------------------------------

// An op of one input. `types` is what T may be, and `what` the result.
OpDefBuilder UnaryOp(std::string_view name, std::string_view types, std::string_view what,
                     std::string_view output = "y: T") {
  return OpDefBuilder(name)
      .Input("x: T")
      .Output(output)
      .Attr(types)
      .SetShapeFn(UnchangedShape)
      .Doc(StrCat(what, ", element by element."));
}

const OpRegistrar kUnaryOps[] = {
    UnaryOp("Abs", kSigned, "The absolute value of x"),
    UnaryOp("Neg", kUnaryNumbers, "-x"),
    UnaryOp("Reciprocal", kRealAndComplex, "1 / x"),
    UnaryOp("Inv", kRealAndComplex, "The older name of Reciprocal: 1 / x"),
    UnaryOp("Square", kUnaryNumbers, "x * x"),
    UnaryOp("Sign", kUnaryNumbers,
            "-1, 0 or 1 for the sign of x, or x / |x| for complex x and 0 for 0"),
    UnaryOp("Sqrt", kRealAndComplex, "The square root of x"),
    UnaryOp("Rsqrt", kRealAndComplex, "1 / sqrt(x)"),
    UnaryOp("Exp", kRealAndComplex, "e to the power of x"),
    UnaryOp("Expm1", kRealAndComplex, "exp(x) - 1, exact for x near 0"),
    UnaryOp("Log", kRealAndComplex, "The natural logarithm of x"),
    UnaryOp("Log1p", kRealAndComplex, "log(1 + x), exact for x near 0"),
    UnaryOp("Sin", kRealAndComplex, "The sine of x, an angle in radians"),
    UnaryOp("Cos", kRealAndComplex, "The cosine of x, an angle in radians"),
    UnaryOp("Tan", kRealAndComplex, "The tangent of x, an angle in radians"),
    UnaryOp("Asin", kRealAndComplex, "The inverse sine of x, in radians"),
    UnaryOp("Acos", kRealAndComplex, "The inverse cosine of x, in radians"),
    UnaryOp("Atan", kRealAndComplex, "The inverse tangent of x, in radians"),
    UnaryOp("Sinh", kRealAndComplex, "The hyperbolic sine of x"),
    UnaryOp("Cosh", kRealAndComplex, "The hyperbolic cosine of x"),
    UnaryOp("Tanh", kRealAndComplex, "The hyperbolic tangent of x"),
    UnaryOp("Asinh", kRealAndComplex, "The inverse hyperbolic sine of x"),
    UnaryOp("Acosh", kRealAndComplex, "The inverse hyperbolic cosine of x"),
    UnaryOp("Atanh", kRealAndComplex, "The inverse hyperbolic tangent of x"),
    UnaryOp("Sigmoid", kRealAndComplex, "1 / (1 + exp(-x))"),
    UnaryOp("Erf", kReal, "The error function of x"),
    UnaryOp("Erfc", kReal, "1 - erf(x), exact where erf(x) is near 1"),
    UnaryOp("Lgamma", kReal,
            "The logarithm of the absolute value of the gamma function of x"),
    UnaryOp("Digamma", kReal, "The derivative of Lgamma at x"),
    UnaryOp("Floor", kReal, "The largest integer that is not above x"),
    UnaryOp("Ceil", kReal, "The smallest integer that is not below x"),
    UnaryOp("Rint", kReal, "The integer next to x, of two the even one"),
    UnaryOp("Round", kSigned, "The integer next to x, of two the even one"),
};

// ---- Yes or no, and bits --------------------------------------------------------------

const OpRegistrar kTests[] = {
    UnaryOp("Invert", kBits, "x with every bit turned over"),
    UnaryOp("IsNan", kReal, "Whether x is not a number", "y: bool"),
    UnaryOp("IsInf", kReal, "Whether x is infinite", "y: bool"),
    UnaryOp("IsFinite", kReal, "Whether x is neither infinite nor not a number",
            "y: bool"),
};

REGISTER_OP("LogicalNot")
    .Input("x: bool")
    .Output("y: bool")
    .SetShapeFn(UnchangedShape)
    .Doc("Not x, element by element.");

// ---- Complex numbers ------------------------------------------------------------------

REGISTER_OP("Conj")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {complex64, complex128} = complex64")
    .SetShapeFn(UnchangedShape)
    .Doc("The complex conjugate of the input, element by element.");

// A real number that belongs to a complex one.
OpDefBuilder PartOp(std::string_view name, std::string_view what) {
  return OpDefBuilder(name)
      .Input("input: T")
      .Output("output: Tout")
      .Attr("T: {complex64, complex128} = complex64")
      .Attr("Tout: {float, double} = float")
      .SetShapeFn(UnchangedShape)
      .Doc(StrCat(what, " of complex numbers, element by element."));
}

const OpRegistrar kParts[] = {
    PartOp("Real", "The real part"),
    PartOp("Imag", "The imaginary part"),
    PartOp("Angle", "The angle, in radians,"),
};

REGISTER_OP("ComplexAbs")
    .Input("x: T")
    .Output("y: Tout")
    .Attr("T: {complex64, complex128} = complex64")
    .Attr("Tout: {float, double} = float")
    .SetShapeFn(UnchangedShape)
    .Doc("The absolute value of complex numbers, element by element.");

REGISTER_OP("Complex")
    .Input("real: T")
    .Input("imag: T")
    .Output("out: Tout")
    .Attr("T: {float, double} = float")
    .Attr("Tout: {complex64, complex128} = complex64")
    .SetShapeFn(BroadcastShapeFn)
    .Doc("The complex number real + i imag, element by element, with broadcasting.");

// ---- Gradients of the above -----------------------------------------------------------

// The gradient of x by that of y = f(x), in terms of y.
OpDefBuilder GradOp(std::string_view name, std::string_view what) {
  return OpDefBuilder(name)
      .Input("y: T")
      .Input("dy: T")
      .Output("z: T")
      .Attr(kRealAndComplex)
      .SetShapeFn(MergedShape)
      .Doc(StrCat(what, ", element by element."));
}

const OpRegistrar kGradOps[] = {
    GradOp("ReciprocalGrad", "dL/dx for y = 1 / x: -dy * y * y"),
    GradOp("InvGrad", "dL/dx for y = 1 / x: -dy * y * y"),
    GradOp("SqrtGrad", "dL/dx for y = sqrt(x): dy / (2 y)"),
    GradOp("RsqrtGrad", "dL/dx for y = rsqrt(x): -dy * y * y * y / 2"),
    GradOp("SigmoidGrad", "dL/dx for y = sigmoid(x): dy * y * (1 - y)"),
    GradOp("TanhGrad", "dL/dx for y = tanh(x): dy * (1 - y * y)"),
};

}  // namespace
}  // namespace minitf
