// Product shapes: the shape of a product of matrices, one or many at once.
//
// Compare    tensorflow/core/framework/common_shape_fns.cc
// Read next  minitf/framework/shapes/gather_shapes.h

#pragma once

#include "minitf/tensor/shape.h"

namespace minitf {

/// MatMul: [m,n], the shape of the product of a [m,k] and b [k,n]. With transpose_a a is
/// [k,m], with transpose_b b is [n,k]. Throws InvalidArgument "Matrix size-incompatible"
/// when the inner sizes differ. Requires: both have rank 2, or an unknown one.
PartialShape MatMulShape(const PartialShape& a, const PartialShape& b, bool transpose_a,
                         bool transpose_b);

/// BatchMatMul: [...,m,n] of x [...,m,k] and y [...,k,n], or [...,k,m] with adj_x and
/// [...,n,k] with adj_y. The axes in front broadcast if `broadcasts`, or else must agree.
/// If one rank is not known, nothing is known of the result; but where the axes in front
/// must agree, the other shape tells the rank. Throws InvalidArgument, naming x and y,
/// when they do not fit, or have no two axes.
PartialShape BatchMatMulShape(PartialShape x, PartialShape y, bool adj_x, bool adj_y,
                              bool broadcasts);

}  // namespace minitf
