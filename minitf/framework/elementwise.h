// The loops of element-wise ops: what a kernel does to a piece of plain memory.
//
// The kernel of Exp allocates, asks for threads, and calls a loop for each piece. That
// loop is all that differs between Exp and Sin, and it is of use to others: a chain of
// element-wise ops runs faster if one kernel calls all their loops on a piece that stays
// in the cache. So kernels put their loops into this table, by device, op and element
// type. A kernel library for another device has a table of its own in this way: what is
// fused there is what it has loops for.
//
// Compare    tensorflow/core/kernels/cwise_ops_common.h; XLA fuses by compiling instead
// Read next  minitf/framework/random.h

#pragma once

#include <cstdint>
#include <string_view>

#include "minitf/framework/op_kernel.h"
#include "minitf/tensor/dtype.h"

namespace minitf {

/// y[i] from x[i], for `count` elements. x and y may be the same memory.
using UnaryLoop = void (*)(const void* x, void* y, int64_t count);

/// One row of a result: z[i] from x[i] and y[i]; or from x[0] at every i, if x stands
/// still, and likewise for y. z may be the memory of an input that moves.
using BinaryLoop = void (*)(const void* x, const void* y, void* z, int64_t count,
                            bool x_moves, bool y_moves);

/// Exactly one of the two is set.
struct ElementwiseLoop {
  UnaryLoop unary = nullptr;
  BinaryLoop binary = nullptr;
  int64_t cost = 1;  ///< nanoseconds for one element
};

/// Adds the loop of `op` for elements of `dtype`, which kernels of `device` may call.
/// Throws AlreadyExists if there is one.
void AddElementwiseLoop(Device device, std::string_view op, DType dtype,
                        const ElementwiseLoop& loop);

/// The loop of `op` on `device` for inputs and an output of `dtype`; null if there is
/// none, or if the op has inputs, outputs or attributes that the loop does not know.
const ElementwiseLoop* FindElementwiseLoop(Device device, std::string_view op,
                                           DType dtype);

}  // namespace minitf
