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

REGISTER_OP("Abs")
    .Input("x: T")
    .Output("y: T")
    .Attr(kSigned)
    .SetShapeFn(UnchangedShape)
    .Doc("The absolute value of x, element by element.");

REGISTER_OP("Neg")
    .Input("x: T")
    .Output("y: T")
    .Attr(kUnaryNumbers)
    .SetShapeFn(UnchangedShape)
    .Doc("-x, element by element.");

REGISTER_OP("Reciprocal")
    .Input("x: T")
    .Output("y: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(UnchangedShape)
    .Doc("1 / x, element by element.");

REGISTER_OP("Inv")
    .Input("x: T")
    .Output("y: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(UnchangedShape)
    .Doc("1 / x, element by element: the older name of Reciprocal.");

REGISTER_OP("Square")
    .Input("x: T")
    .Output("y: T")
    .Attr(kUnaryNumbers)
    .SetShapeFn(UnchangedShape)
    .Doc("x * x, element by element.");

REGISTER_OP("Sign")
    .Input("x: T")
    .Output("y: T")
    .Attr(kUnaryNumbers)
    .SetShapeFn(UnchangedShape)
    .Doc(
        "-1, 0 or 1 for the sign of x, element by element; x / |x| for complex x, "
        "and 0 for 0.");

REGISTER_OP("Sqrt")
    .Input("x: T")
    .Output("y: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(UnchangedShape)
    .Doc("The square root of x, element by element.");

REGISTER_OP("Rsqrt")
    .Input("x: T")
    .Output("y: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(UnchangedShape)
    .Doc("1 / sqrt(x), element by element.");

REGISTER_OP("Exp")
    .Input("x: T")
    .Output("y: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(UnchangedShape)
    .Doc("e to the power of x, element by element.");

REGISTER_OP("Expm1")
    .Input("x: T")
    .Output("y: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(UnchangedShape)
    .Doc("exp(x) - 1, element by element, exact for x near 0.");

REGISTER_OP("Log")
    .Input("x: T")
    .Output("y: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(UnchangedShape)
    .Doc("The natural logarithm of x, element by element.");

REGISTER_OP("Log1p")
    .Input("x: T")
    .Output("y: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(UnchangedShape)
    .Doc("log(1 + x), element by element, exact for x near 0.");

REGISTER_OP("Sin")
    .Input("x: T")
    .Output("y: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(UnchangedShape)
    .Doc("The sine of x, an angle in radians, element by element.");

REGISTER_OP("Cos")
    .Input("x: T")
    .Output("y: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(UnchangedShape)
    .Doc("The cosine of x, an angle in radians, element by element.");

REGISTER_OP("Tan")
    .Input("x: T")
    .Output("y: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(UnchangedShape)
    .Doc("The tangent of x, an angle in radians, element by element.");

REGISTER_OP("Asin")
    .Input("x: T")
    .Output("y: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(UnchangedShape)
    .Doc("The inverse sine of x, in radians, element by element.");

REGISTER_OP("Acos")
    .Input("x: T")
    .Output("y: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(UnchangedShape)
    .Doc("The inverse cosine of x, in radians, element by element.");

REGISTER_OP("Atan")
    .Input("x: T")
    .Output("y: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(UnchangedShape)
    .Doc("The inverse tangent of x, in radians, element by element.");

REGISTER_OP("Sinh")
    .Input("x: T")
    .Output("y: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(UnchangedShape)
    .Doc("The hyperbolic sine of x, element by element.");

REGISTER_OP("Cosh")
    .Input("x: T")
    .Output("y: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(UnchangedShape)
    .Doc("The hyperbolic cosine of x, element by element.");

REGISTER_OP("Tanh")
    .Input("x: T")
    .Output("y: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(UnchangedShape)
    .Doc("The hyperbolic tangent of x, element by element.");

REGISTER_OP("Asinh")
    .Input("x: T")
    .Output("y: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(UnchangedShape)
    .Doc("The inverse hyperbolic sine of x, element by element.");

REGISTER_OP("Acosh")
    .Input("x: T")
    .Output("y: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(UnchangedShape)
    .Doc("The inverse hyperbolic cosine of x, element by element.");

REGISTER_OP("Atanh")
    .Input("x: T")
    .Output("y: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(UnchangedShape)
    .Doc("The inverse hyperbolic tangent of x, element by element.");

REGISTER_OP("Sigmoid")
    .Input("x: T")
    .Output("y: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(UnchangedShape)
    .Doc("1 / (1 + exp(-x)), element by element.");

REGISTER_OP("Erf")
    .Input("x: T")
    .Output("y: T")
    .Attr(kReal)
    .SetShapeFn(UnchangedShape)
    .Doc("The error function of x, element by element.");

REGISTER_OP("Erfc")
    .Input("x: T")
    .Output("y: T")
    .Attr(kReal)
    .SetShapeFn(UnchangedShape)
    .Doc("1 - erf(x), element by element, exact where erf(x) is near 1.");

REGISTER_OP("Lgamma")
    .Input("x: T")
    .Output("y: T")
    .Attr(kReal)
    .SetShapeFn(UnchangedShape)
    .Doc(
        "The logarithm of the absolute value of the gamma function of x, element by "
        "element.");

REGISTER_OP("Digamma")
    .Input("x: T")
    .Output("y: T")
    .Attr(kReal)
    .SetShapeFn(UnchangedShape)
    .Doc("The derivative of Lgamma at x, element by element.");

REGISTER_OP("Floor")
    .Input("x: T")
    .Output("y: T")
    .Attr(kReal)
    .SetShapeFn(UnchangedShape)
    .Doc("The largest integer that is not above x, element by element.");

REGISTER_OP("Ceil")
    .Input("x: T")
    .Output("y: T")
    .Attr(kReal)
    .SetShapeFn(UnchangedShape)
    .Doc("The smallest integer that is not below x, element by element.");

REGISTER_OP("Rint")
    .Input("x: T")
    .Output("y: T")
    .Attr(kReal)
    .SetShapeFn(UnchangedShape)
    .Doc("The integer next to x, element by element; of two, the even one.");

REGISTER_OP("Round")
    .Input("x: T")
    .Output("y: T")
    .Attr(kSigned)
    .SetShapeFn(UnchangedShape)
    .Doc("The integer next to x, element by element; of two, the even one.");

// ---- Yes or no, and bits --------------------------------------------------------------

REGISTER_OP("IsNan")
    .Input("x: T")
    .Output("y: bool")
    .Attr(kReal)
    .SetShapeFn(UnchangedShape)
    .Doc("Whether x is not a number, element by element.");

REGISTER_OP("IsInf")
    .Input("x: T")
    .Output("y: bool")
    .Attr(kReal)
    .SetShapeFn(UnchangedShape)
    .Doc("Whether x is infinite, element by element.");

REGISTER_OP("IsFinite")
    .Input("x: T")
    .Output("y: bool")
    .Attr(kReal)
    .SetShapeFn(UnchangedShape)
    .Doc("Whether x is neither infinite nor not a number, element by element.");

REGISTER_OP("LogicalNot")
    .Input("x: bool")
    .Output("y: bool")
    .SetShapeFn(UnchangedShape)
    .Doc("Not x, element by element.");

REGISTER_OP("Invert")
    .Input("x: T")
    .Output("y: T")
    .Attr(kBits)
    .SetShapeFn(UnchangedShape)
    .Doc("x with every bit turned over, element by element.");

// ---- Complex numbers ------------------------------------------------------------------

REGISTER_OP("Conj")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {complex64, complex128} = complex64")
    .SetShapeFn(UnchangedShape)
    .Doc("The complex conjugate of the input, element by element.");

REGISTER_OP("Real")
    .Input("input: T")
    .Output("output: Tout")
    .Attr("T: {complex64, complex128} = complex64")
    .Attr("Tout: {float, double} = float")
    .SetShapeFn(UnchangedShape)
    .Doc("The real part of complex numbers, element by element.");

REGISTER_OP("Imag")
    .Input("input: T")
    .Output("output: Tout")
    .Attr("T: {complex64, complex128} = complex64")
    .Attr("Tout: {float, double} = float")
    .SetShapeFn(UnchangedShape)
    .Doc("The imaginary part of complex numbers, element by element.");

REGISTER_OP("Angle")
    .Input("input: T")
    .Output("output: Tout")
    .Attr("T: {complex64, complex128} = complex64")
    .Attr("Tout: {float, double} = float")
    .SetShapeFn(UnchangedShape)
    .Doc("The angle, in radians, of complex numbers, element by element.");

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

REGISTER_OP("ReciprocalGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(MergedShape)
    .Doc("dL/dx for y = 1 / x: -dy * y * y, element by element.");

REGISTER_OP("InvGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(MergedShape)
    .Doc("dL/dx for y = 1 / x: -dy * y * y, element by element.");

REGISTER_OP("SqrtGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(MergedShape)
    .Doc("dL/dx for y = sqrt(x): dy / (2 y), element by element.");

REGISTER_OP("RsqrtGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(MergedShape)
    .Doc("dL/dx for y = rsqrt(x): -dy * y * y * y / 2, element by element.");

REGISTER_OP("SigmoidGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(MergedShape)
    .Doc("dL/dx for y = sigmoid(x): dy * y * (1 - y), element by element.");

REGISTER_OP("TanhGrad")
    .Input("y: T")
    .Input("dy: T")
    .Output("z: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(MergedShape)
    .Doc("dL/dx for y = tanh(x): dy * (1 - y * y), element by element.");

}  // namespace
}  // namespace minitf
