// Shapes of a batch normalization: what its inputs must be, and what lies where.
//
//   y = scale * (x - mean) / sqrt(variance + epsilon) + offset
//
// x and y are images [N,H,W,C] or [N,C,H,W], the others vectors [C]: a channel is
// normalized by its own mean and variance. In memory both formats are [outer,C,inner]:
//
//   [N,H,W,C]   outer = N * H * W, inner = 1
//   [N,C,H,W]   outer = N, inner = H * W
//
// Compare    tensorflow/core/framework/common_shape_fns.cc (FusedBatchNormShape)
// Read next  minitf/framework/resource.h

#pragma once

#include <array>

#include "minitf/framework/attrs.h"
#include "minitf/framework/shapes/conv2d_geometry.h"
#include "minitf/tensor/shape.h"

namespace minitf {

class OpKernelContext;

/// What a node says, of FusedBatchNorm or its gradient.
struct BatchNormAttrs {
  DataFormat format = DataFormat::kNhwc;
  float epsilon = 0;
  bool is_training = true;  ///< mean and variance are those of x, not those given
  float exponential_avg_factor = 1;  ///< how much of them goes into the running ones

  static BatchNormAttrs Of(const Attrs& attrs);
};

/// The first five inputs of FusedBatchNorm, x, scale, offset, mean and variance; or those
/// of its gradient, dy, x, scale, mean and variance.
using BatchNormInputs = std::array<PartialShape, 5>;

/// What is known of x, also from the other inputs. Mean and variance are of no use, and
/// of any size, where the moments of x are all that counts. Throws InvalidArgument,
/// naming the input, where they do not fit each other.
PartialShape BatchNormImages(const BatchNormAttrs& attrs, const BatchNormInputs& inputs);
PartialShape BatchNormGradImages(const BatchNormAttrs& attrs,
                                 const BatchNormInputs& inputs);

/// For a kernel: checks the shapes of its inputs, and allocates all its outputs.
Status AllocateBatchNorm(const BatchNormAttrs& attrs, OpKernelContext* ctx);
Status AllocateBatchNormGrad(const BatchNormAttrs& attrs, OpKernelContext* ctx);

/// What is known of a vector with one number for each channel of `images`.
PartialShape BatchNormVector(const PartialShape& images, DataFormat format);

struct BatchNormSizes {
  int64_t outer, channels, inner;

  /// Of no elements outer is 0, since a product of the other sizes may overflow.
  static BatchNormSizes Of(const Shape& images, DataFormat format);
  int64_t per_channel() const { return outer * inner; }
};

}  // namespace minitf
