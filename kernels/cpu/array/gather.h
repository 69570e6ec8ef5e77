// Gather: taking slices of a tensor by their indices, for Gather ops and for variables.
//
// Compare    tensorflow/core/kernels/gather_functor.h
// Read next  kernels/cpu/conv/nhwc.h

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "minitf/framework/op_kernel.h"

namespace minitf {

/// Element `i` of a tensor of `shape` as its index, without brackets: "0,2".
std::string IndexText(int64_t i, const Shape& shape);

/// The elements of `indices`. Throws InvalidArgument, naming the first that is not in
/// [0, limit): "indices[1] = 7 is not in [0, 5)".
std::vector<int64_t> CheckedIndices(const Tensor& indices, int64_t limit);

/// Which block of a tensor of `shape` each row of `indices` [..., depth] names: all that
/// lies behind one place in `depth` axes. Throws InvalidArgument for a place outside.
std::vector<int64_t> BlocksAt(const Tensor& indices, const Shape& shape);

/// Makes output 0 the slices of `params` along `axis` that `indices` names; the first
/// batch_dims axes of both run together.
void Gather(OpKernelContext* ctx, const Tensor& params, const Tensor& indices,
            int64_t axis, int64_t batch_dims);

}  // namespace minitf
