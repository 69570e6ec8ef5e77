// What ops on images share: sizes for kernels, and the order [N,H,W,C].
//
// Read next  kernels/gpu/ops/conv2d.cc

#pragma once

#include <array>
#include <limits>

#include "kernels/cpu/common/strided_copy.h"
#include "kernels/gpu/conv2d.h"
#include "kernels/gpu/ops/gpu_op.h"
#include "minitf/framework/shapes/conv2d_geometry.h"

namespace minitf::gpu {

/// The geometry as kernels take it. Throws Unimplemented for sizes beyond 2^31 - 1.
inline Conv2dSizes SizesOf(const Conv2dGeometry& g) {
  const auto narrow = [](int64_t size) {
    if (size > std::numeric_limits<int>::max()) {
      throw Error(errors::Unimplemented("a card takes images of at most 2^31 - 1 rows ",
                                        "and columns, not ", size));
    }
    return static_cast<int>(size);
  };
  Conv2dSizes sizes;
  sizes.n = narrow(g.n);
  sizes.h = narrow(g.h);
  sizes.w = narrow(g.w);
  sizes.c = narrow(g.c);
  sizes.r = narrow(g.r);
  sizes.s = narrow(g.s);
  sizes.k = narrow(g.k);
  sizes.p = narrow(g.p);
  sizes.q = narrow(g.q);
  sizes.stride_h = narrow(g.stride_h);
  sizes.stride_w = narrow(g.stride_w);
  sizes.dilation_h = narrow(g.dilation_h);
  sizes.dilation_w = narrow(g.dilation_w);
  sizes.pad_top = narrow(g.pad_top);
  sizes.pad_left = narrow(g.pad_left);
  sizes.groups = narrow(g.groups);
  return sizes;
}

/// Images as [N,H,W,C], which kernels take: themselves, or a copy of [N,C,H,W].
inline Tensor ToNhwcOnCard(OpKernelContext* ctx, const Tensor& images,
                           DataFormat format) {
  if (format == DataFormat::kNhwc) return images;
  constexpr std::array kPermutation = {0, 2, 3, 1};
  Tensor turned;
  ThrowIfError(ctx->allocate_temp(
      images.dtype(), Shape{images.dim(0), images.dim(2), images.dim(3), images.dim(1)},
      &turned));
  TransposeInto(images, kPermutation, &turned, ctx->threads());
  return turned;
}

/// A result of images: compute(room) writes it as [N,H,W,C], and it comes into `images`
/// in the order of `format`.
template <typename T, typename Function>
void ComputeNhwc(OpKernelContext* ctx, DataFormat format, Tensor* images,
                 Function compute) {
  if (format == DataFormat::kNhwc) return compute(DataOf<T>(images));
  constexpr std::array kPermutation = {0, 3, 1, 2};
  Tensor room;
  ThrowIfError(ctx->allocate_temp(
      images->dtype(),
      Shape{images->dim(0), images->dim(2), images->dim(3), images->dim(1)}, &room));
  compute(DataOf<T>(&room));
  TransposeInto(room, kPermutation, images, ctx->threads());
}

}  // namespace minitf::gpu
