// The loops of batch normalization: sums over each channel, a formula for each number.
//
// Images are of float32; or of 16 bits, and computed as floats. Of no elements mean and
// variance are NaN; the other functions need some. Channels are vectors [C].
//
// Read next  kernels/cpu/conv/conv2d.h

#pragma once

#include "minitf/base/thread_pool.h"
#include "minitf/framework/shapes/batch_norm_shapes.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

using Channels = std::vector<double>;

struct ChannelMoments {
  Channels mean, variance;  ///< the variance over all n numbers, not n - 1
};
ChannelMoments MomentsOf(const BatchNormSizes& sizes, const Tensor& x,
                         ThreadPool& threads);

struct ChannelGradients {
  Channels dy, dy_by_distance;  ///< the sums of dy, and of dy * (x - mean)
};
ChannelGradients GradientSumsOf(const BatchNormSizes& sizes, const Tensor& dy,
                                const Tensor& x, const Channels& mean,
                                ThreadPool& threads);

/// y = (x - mean) * factor + offset.
struct NormalFormula {
  Channels mean, factor, offset;
};
void Normalize(const BatchNormSizes& sizes, const NormalFormula& by, const Tensor& x,
               Tensor* y, ThreadPool& threads);

/// dx = (dy - mean_dy - (x - mean) * slope) * factor; or dy * factor, if slope is empty.
struct GradientFormula {
  Channels mean_dy, mean, slope, factor;
};
void StoreGradient(const BatchNormSizes& sizes, const GradientFormula& by,
                   const Tensor& dy, const Tensor& x, Tensor* dx, ThreadPool& threads);

}  // namespace minitf
