// Ops that compute each element of the result from one element of each of two inputs.
//
// The inputs broadcast: their shapes are aligned at the last axis, an axis of size 1
// stretches, and axes that are missing in front count as 1:
//
//   [2,3] + [3]   ->  [2,3]    the same row is added to both rows
//   [2,3] + [2,1] ->  [2,3]    the same column to all three
//
// Division rounds in one of two ways, and so does the remainder: toward zero (Div, Mod),
// as in C++, and down (FloorDiv, FloorMod), as in Python. An integer divided by zero is
// an error.
//
// Kernels    kernels/cpu/cwise/cwise_arithmetic.cc, cwise_compare.cc
// Gradients  minitf/gradients/cwise/cwise_binary_grad.cc, ../math/math_grad.cc
// Compare    tensorflow/core/ops/math_ops.cc, tensorflow/core/ops/bitwise_ops.cc
// Read next  minitf/ops/math/math_ops.cc

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/ops/type_lists.h"

namespace minitf {
namespace {

constexpr char kModTypes[] = "T: {int32, int64, bfloat16, half, float, double}";
constexpr char kPowTypes[] =
    "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}";
constexpr char kDivisible[] =
    "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64}";
constexpr char kMore[] =
    "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, "
    "complex64, complex128}";
constexpr char kAddTypes[] =
    "T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, "
    "complex128, string}";
constexpr char kAnything[] =
    "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, uint32, int32, "
    "uint64, int64, complex64, complex128, bool, string}";

// ---- Numbers to numbers ---------------------------------------------------------------

REGISTER_OP("Add")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kAddTypes)
    .SetShapeFn(BroadcastShapeFn)
    .Doc(
        "x + y, element by element, with broadcasting. Strings are put one after "
        "the other.");

REGISTER_OP("AddV2")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kMore)
    .SetIsCommutative()
    .SetShapeFn(BroadcastShapeFn)
    .Doc("x + y, element by element, with broadcasting.");

REGISTER_OP("Sub")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kMore)
    .SetShapeFn(BroadcastShapeFn)
    .Doc("x - y, element by element, with broadcasting.");

REGISTER_OP("Mul")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kMore)
    .SetIsCommutative()
    .SetShapeFn(BroadcastShapeFn)
    .Doc("x * y, element by element, with broadcasting.");

REGISTER_OP("Div")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kMore)
    .SetShapeFn(BroadcastShapeFn)
    .Doc(
        "x / y, element by element, with broadcasting. Integers are rounded toward "
        "zero.");

REGISTER_OP("RealDiv")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(BroadcastShapeFn)
    .Doc("x / y for real and complex numbers, element by element, with broadcasting.");

REGISTER_OP("TruncateDiv")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kDivisible)
    .SetShapeFn(BroadcastShapeFn)
    .Doc(
        "x / y, rounded toward zero for integers, element by element, with "
        "broadcasting.");

REGISTER_OP("FloorDiv")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kDivisible)
    .SetShapeFn(BroadcastShapeFn)
    .Doc("x / y, rounded down, element by element, with broadcasting.");

REGISTER_OP("DivNoNan")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(BroadcastShapeFn)
    .Doc("x / y, and 0 where y is 0, element by element, with broadcasting.");

REGISTER_OP("MulNoNan")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(BroadcastShapeFn)
    .Doc(
        "x * y, and 0 where y is 0 even if x is infinite or not a number, element "
        "by element, with broadcasting.");

REGISTER_OP("Xdivy")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(BroadcastShapeFn)
    .Doc("x / y, and 0 where x is 0, element by element, with broadcasting.");

REGISTER_OP("Xlogy")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kRealAndComplex)
    .SetShapeFn(BroadcastShapeFn)
    .Doc("x * log(y), and 0 where x is 0, element by element, with broadcasting.");

REGISTER_OP("Mod")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kModTypes)
    .SetShapeFn(BroadcastShapeFn)
    .Doc(
        "What remains of x / y rounded toward zero, so that it has the sign of x, "
        "element by element, with broadcasting.");

REGISTER_OP("TruncateMod")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kModTypes)
    .SetShapeFn(BroadcastShapeFn)
    .Doc(
        "What remains of x / y rounded toward zero, so that it has the sign of x, "
        "element by element, with broadcasting.");

REGISTER_OP("FloorMod")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kModTypes)
    .SetShapeFn(BroadcastShapeFn)
    .Doc(
        "What remains of x / y rounded down, so that it has the sign of y, element "
        "by element, with broadcasting.");

REGISTER_OP("Pow")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kPowTypes)
    .SetShapeFn(BroadcastShapeFn)
    .Doc("x to the power of y, element by element, with broadcasting.");

REGISTER_OP("SquaredDifference")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kPowTypes)
    .SetIsCommutative()
    .SetShapeFn(BroadcastShapeFn)
    .Doc(
        "(x - y) * (x - y), element by element, with broadcasting. For complex "
        "numbers one factor is conjugated.");

REGISTER_OP("Maximum")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kOrdered)
    .SetShapeFn(BroadcastShapeFn)
    .Doc("The larger of x and y, element by element, with broadcasting.");

REGISTER_OP("Minimum")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kOrdered)
    .SetShapeFn(BroadcastShapeFn)
    .Doc("The smaller of x and y, element by element, with broadcasting.");

REGISTER_OP("Atan2")
    .Input("y: T")
    .Input("x: T")
    .Output("z: T")
    .Attr(kReal)
    .SetShapeFn(BroadcastShapeFn)
    .Doc(
        "The angle of the point (x, y), as of atan(y / x) in the right quadrant, element "
        "by element, with broadcasting.");

// ---- Yes or no ------------------------------------------------------------------------

REGISTER_OP("Less")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr(kOrdered)
    .SetShapeFn(BroadcastShapeFn)
    .Doc("Whether x < y, element by element, with broadcasting.");

REGISTER_OP("LessEqual")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr(kOrdered)
    .SetShapeFn(BroadcastShapeFn)
    .Doc("Whether x <= y, element by element, with broadcasting.");

REGISTER_OP("Greater")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr(kOrdered)
    .SetShapeFn(BroadcastShapeFn)
    .Doc("Whether x > y, element by element, with broadcasting.");

REGISTER_OP("GreaterEqual")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr(kOrdered)
    .SetShapeFn(BroadcastShapeFn)
    .Doc("Whether x >= y, element by element, with broadcasting.");

REGISTER_OP("Equal")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr(kAnything)
    .SetIsCommutative()
    .SetShapeFn(BroadcastShapeFn)
    .Doc("Whether x == y, element by element, with broadcasting.");

REGISTER_OP("NotEqual")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr(kAnything)
    .SetIsCommutative()
    .SetShapeFn(BroadcastShapeFn)
    .Doc("Whether x != y, element by element, with broadcasting.");

REGISTER_OP("ApproximateEqual")
    .Input("x: T")
    .Input("y: T")
    .Output("z: bool")
    .Attr(kMore)
    .Attr("tolerance: float = 0.00001")
    .SetIsCommutative()
    .SetShapeFn(MergedShape)
    .Doc("Whether |x - y| < tolerance, element by element. x and y have one shape.");

REGISTER_OP("LogicalAnd")
    .Input("x: bool")
    .Input("y: bool")
    .Output("z: bool")
    .SetIsCommutative()
    .SetShapeFn(BroadcastShapeFn)
    .Doc("X and y, element by element, with broadcasting.");

REGISTER_OP("LogicalOr")
    .Input("x: bool")
    .Input("y: bool")
    .Output("z: bool")
    .SetIsCommutative()
    .SetShapeFn(BroadcastShapeFn)
    .Doc("X or y, element by element, with broadcasting.");

// ---- Bits -----------------------------------------------------------------------------

REGISTER_OP("BitwiseAnd")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kBits)
    .SetIsCommutative()
    .SetShapeFn(BroadcastShapeFn)
    .Doc("The bits of x and y, joined by and, element by element, with broadcasting.");

REGISTER_OP("BitwiseOr")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kBits)
    .SetIsCommutative()
    .SetShapeFn(BroadcastShapeFn)
    .Doc("The bits of x and y, joined by or, element by element, with broadcasting.");

REGISTER_OP("BitwiseXor")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kBits)
    .SetIsCommutative()
    .SetShapeFn(BroadcastShapeFn)
    .Doc(
        "The bits of x and y, joined by exclusive or, element by element, with "
        "broadcasting.");

REGISTER_OP("LeftShift")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kBits)
    .SetShapeFn(BroadcastShapeFn)
    .Doc(
        "x with its bits moved y places to the left, element by element, with "
        "broadcasting. y is brought into [0, bits of T).");

REGISTER_OP("RightShift")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr(kBits)
    .SetShapeFn(BroadcastShapeFn)
    .Doc(
        "x with its bits moved y places to the right, keeping the sign, element by "
        "element, with broadcasting. y is brought into [0, bits of T).");

}  // namespace
}  // namespace minitf
