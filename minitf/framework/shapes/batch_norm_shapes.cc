// Shapes of a batch normalization: the checks.

#include "minitf/framework/shapes/batch_norm_shapes.h"

#include <string>
#include <string_view>
#include <vector>

#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

PartialShape ImagesWithRank(const PartialShape& images, std::string_view name) {
  Require(!images.has_rank() || images.rank() == 4, name,
          " must be 4-dimensional: ", images);
  return images.MergedWith(PartialShape::OfRank(4));
}

void RequireVector(const PartialShape& vector, std::string_view name) {
  Require(!vector.has_rank() || vector.rank() == 1, name,
          " must be 1-dimensional: ", vector);
}

// `images` with the number of channels that `vector` has.
PartialShape WithChannelsOf(const PartialShape& images, DataFormat format,
                            const PartialShape& vector, std::string_view name) {
  RequireVector(vector, name);
  Require(vector.IsCompatibleWith(BatchNormVector(images, format)), name,
          " must have a number for each channel of x: ", vector, " vs. ", images);
  if (!vector.has_rank()) return images;
  std::vector<int64_t> sizes(4, kUnknown);
  sizes[OrderOf(format).c] = vector.dim(0);
  return images.MergedWith(PartialShape(sizes));
}

BatchNormInputs ShapesOf(const OpKernelContext& ctx) {
  BatchNormInputs shapes;
  for (size_t i = 0; i < shapes.size(); ++i) {
    shapes[i] = ctx.input(static_cast<int>(i)).shape();
  }
  return shapes;
}

// The first output has the shape of `images`, those before `end_of_vectors` that of
// `vector`, and the others `rest`.
Status Allocate(OpKernelContext* ctx, const Tensor& images, const Tensor& vector,
                int end_of_vectors, const Shape& rest) {
  Status status;
  for (int i = 0; i < ctx->num_outputs() && status.ok(); ++i) {
    const Shape& others = i < end_of_vectors ? vector.shape() : rest;
    Tensor* output = nullptr;
    status = ctx->allocate_output(i, i == 0 ? images.shape() : others, &output);
  }
  return status;
}

}  // namespace

BatchNormAttrs BatchNormAttrs::Of(const Attrs& attrs) {
  BatchNormAttrs result;
  result.format = DataFormatFrom(attrs.Get<std::string>("data_format"));
  result.epsilon = attrs.Get<float>("epsilon");
  result.is_training = attrs.Get<bool>("is_training");
  if (attrs.Find("exponential_avg_factor") != nullptr) {
    result.exponential_avg_factor = attrs.Get<float>("exponential_avg_factor");
  }
  return result;
}

PartialShape BatchNormImages(const BatchNormAttrs& attrs, const BatchNormInputs& inputs) {
  const auto& [x, scale, offset, mean, variance] = inputs;
  PartialShape images = ImagesWithRank(x, "x");
  images = WithChannelsOf(images, attrs.format, scale, "scale");
  images = WithChannelsOf(images, attrs.format, offset, "offset");
  if (attrs.is_training && attrs.exponential_avg_factor == 1) {
    RequireVector(mean, "mean");
    RequireVector(variance, "variance");
    return images;
  }
  images = WithChannelsOf(images, attrs.format, mean, "mean");
  return WithChannelsOf(images, attrs.format, variance, "variance");
}

PartialShape BatchNormGradImages(const BatchNormAttrs& attrs,
                                 const BatchNormInputs& inputs) {
  const auto& [dy, x, scale, mean, variance] = inputs;
  PartialShape images = ImagesWithRank(x, "x");
  Require(dy.IsCompatibleWith(images), "y_backprop must have the shape of x: ", dy,
          " vs. ", images);
  images = images.MergedWith(dy);
  images = WithChannelsOf(images, attrs.format, scale, "scale");
  images = WithChannelsOf(images, attrs.format, mean, "reserve_space_1");
  return WithChannelsOf(images, attrs.format, variance, "reserve_space_2");
}

Status AllocateBatchNorm(const BatchNormAttrs& attrs, OpKernelContext* ctx) {
  BatchNormImages(attrs, ShapesOf(*ctx));
  // y; two pairs of moments [C]; reserve_space_3 []
  return Allocate(ctx, ctx->input(0), ctx->input(1), 5, Shape{});
}

Status AllocateBatchNormGrad(const BatchNormAttrs& attrs, OpKernelContext* ctx) {
  BatchNormGradImages(attrs, ShapesOf(*ctx));
  // dx; dscale and doffset [C]; nothing, twice
  return Allocate(ctx, ctx->input(1), ctx->input(2), 3, Shape{0});
}

PartialShape BatchNormVector(const PartialShape& images, DataFormat format) {
  return {images.dim(OrderOf(format).c)};
}

BatchNormSizes BatchNormSizes::Of(const Shape& images, DataFormat format) {
  const int64_t n = images.dim(0);
  const int64_t channels = images.dim(OrderOf(format).c);
  if (images.num_elements() == 0) return {0, channels, 1};
  if (format == DataFormat::kNchw) {
    return {n, channels, images.dim(2) * images.dim(3)};
  }
  return {n * images.dim(1) * images.dim(2), channels, 1};
}

}  // namespace minitf
