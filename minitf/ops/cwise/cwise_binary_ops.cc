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

// An op of two inputs. `types` is what T may be, and `what` the result.
OpDefBuilder BinaryOp(std::string_view name, std::string_view types,
                      std::string_view what, std::string_view output = "z: T") {
  return OpDefBuilder(name)
      .Input("x: T")
      .Input("y: T")
      .Output(output)
      .Attr(types)
      .SetShapeFn(BroadcastShapeFn)
      .Doc(StrCat(what, ", element by element, with broadcasting."));
}

const OpRegistrar kBinaryOps[] = {
    BinaryOp("Add", kAddTypes, "x + y, or strings put one after the other"),
    BinaryOp("AddV2", kMore, "x + y").SetIsCommutative(),
    BinaryOp("Sub", kMore, "x - y"),
    BinaryOp("Mul", kMore, "x * y").SetIsCommutative(),
    BinaryOp("Div", kMore, "x / y, rounded toward zero for integers"),
    BinaryOp("RealDiv", kRealAndComplex, "x / y for real and complex numbers"),
    BinaryOp("TruncateDiv", kDivisible, "x / y, rounded toward zero for integers"),
    BinaryOp("FloorDiv", kDivisible, "x / y, rounded down"),
    BinaryOp("DivNoNan", kRealAndComplex, "x / y, and 0 where y is 0"),
    BinaryOp("MulNoNan", kRealAndComplex,
             "x * y, and 0 where y is 0 even if x is infinite or not a number"),
    BinaryOp("Xdivy", kRealAndComplex, "x / y, and 0 where x is 0"),
    BinaryOp("Xlogy", kRealAndComplex, "x * log(y), and 0 where x is 0"),
    BinaryOp("Mod", kModTypes,
             "What remains of x / y rounded toward zero, so that it has the sign of x"),
    BinaryOp("TruncateMod", kModTypes,
             "What remains of x / y rounded toward zero, so that it has the sign of x"),
    BinaryOp("FloorMod", kModTypes,
             "What remains of x / y rounded down, so that it has the sign of y"),
    BinaryOp("Pow", kPowTypes, "x to the power of y"),
    BinaryOp("SquaredDifference", kPowTypes,
             "(x - y) * (x - y), with one factor conjugated for complex numbers")
        .SetIsCommutative(),
    BinaryOp("Maximum", kOrdered, "The larger of x and y"),
    BinaryOp("Minimum", kOrdered, "The smaller of x and y"),
};

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

// Whether something is so.
OpDefBuilder Comparison(std::string_view name, std::string_view types,
                        std::string_view what) {
  return BinaryOp(name, types, what, "z: bool");
}

const OpRegistrar kComparisons[] = {
    Comparison("Less", kOrdered, "Whether x < y"),
    Comparison("LessEqual", kOrdered, "Whether x <= y"),
    Comparison("Greater", kOrdered, "Whether x > y"),
    Comparison("GreaterEqual", kOrdered, "Whether x >= y"),
    Comparison("Equal", kAnything, "Whether x == y").SetIsCommutative(),
    Comparison("NotEqual", kAnything, "Whether x != y").SetIsCommutative(),
};

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

const OpRegistrar kBitOps[] = {
    BinaryOp("BitwiseAnd", kBits, "The bits of x and y, joined by and")
        .SetIsCommutative(),
    BinaryOp("BitwiseOr", kBits, "The bits of x and y, joined by or").SetIsCommutative(),
    BinaryOp("BitwiseXor", kBits, "The bits of x and y, joined by exclusive or")
        .SetIsCommutative(),
    BinaryOp("LeftShift", kBits,
             "x with its bits moved y places to the left, y being brought into [0, bits "
             "of T)"),
    BinaryOp("RightShift", kBits,
             "x with its bits moved y places to the right, keeping the sign, y being "
             "brought into [0, bits of T)"),
};

}  // namespace
}  // namespace minitf
