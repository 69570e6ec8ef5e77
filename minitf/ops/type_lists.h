// Lists of element types that several families of ops take, as REGISTER_OP reads them.
//
// Compare    tensorflow/core/framework/types.h: TF_CALL_NUMBER_TYPES and its kin
// Read next  minitf/ops/variable_shape.h

#pragma once

namespace minitf {

inline constexpr char kReal[] = "T: {bfloat16, half, float, double}";

/// The same types, in the order in which ops of neural nets list them.
inline constexpr char kFloatTypes[] = "T: {half, bfloat16, float, double}";

inline constexpr char kRealAndComplex[] =
    "T: {bfloat16, half, float, double, complex64, complex128}";

inline constexpr char kBits[] =
    "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}";

/// All numbers that are less or greater than others.
inline constexpr char kOrdered[] =
    "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, uint32, int32, "
    "uint64, int64}";

inline constexpr char kNumbers[] =
    "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, uint32, int32, "
    "uint64, int64, complex64, complex128}";

}  // namespace minitf
