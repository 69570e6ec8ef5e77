// Which elements a StridedSlice takes, for reading them and for changing them.
//
// Read next  kernels/cpu/conv/nhwc.h

#pragma once

#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shapes/strided_slice.h"
#include "minitf/tensor/tensor_view.h"

namespace minitf {

/// What `axes`, one for each axis of `x`, take of a tensor of shape x.
StridedLayout PartOf(const Shape& x, const std::vector<StridedSlicePlan::Axis>& axes);

/// The plan for a tensor of shape `x`; begin, end and strides are inputs from `first` on.
/// Throws InvalidArgument unless these are vectors of one length that fit x.
StridedSlicePlan PlanOf(OpKernelContext* ctx, const Shape& x, int first,
                        const StridedSliceMasks& masks);

}  // namespace minitf
