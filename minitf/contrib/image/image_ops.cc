// Images: decoding and encoding files, scaling, and colours.
//
// An image is [height, width, channels], a batch of them [N,H,W,C].
//
// Kernels    minitf/contrib/image/image_codec.cc, resize.cc, image_color.cc
// Gradients  minitf/gradients/data/io_grad.cc
// Compare    tensorflow/core/ops/image_ops.cc
// Read next  minitf/gradients/math/math_grad.cc

#include "minitf/contrib/families.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

const FamilyRegistrar kImageFamily("image");

// ---- Files ---------------------------------------------------------------------------

// [?,?,channels], from the attribute; 0 says that the file decides.
void DecodedShape(InferenceContext* ctx) {
  ctx->WithRank(0, 0, "contents");
  const auto channels = ctx->attr<int64_t>("channels");
  Require(0 <= channels && channels <= 4 && channels != 2,
          "channels must be 0, 1, 3, or 4, got ", channels);
  ctx->set_output(0, {kUnknown, kUnknown, channels == 0 ? kUnknown : channels});
}

void EncodedShape(InferenceContext* ctx) {
  ctx->WithRank(0, 3, "image");
  ScalarShape(ctx);
}

REGISTER_OP("DecodeJpeg")
    .Input("contents: string")
    .Output("image: uint8")
    .Attr("channels: int = 0")
    .Attr("ratio: int = 1")
    .Attr("fancy_upscaling: bool = true")
    .Attr("try_recover_truncated: bool = false")
    .Attr("acceptable_fraction: float = 1.0")
    .Attr("dct_method: string = ''")
    .SetShapeFn(DecodedShape)
    .Doc("The pixels [height, width, channels] of a JPEG file, `ratio` times smaller.");

REGISTER_OP("ExtractJpegShape")
    .Input("contents: string")
    .Output("image_shape: output_type")
    .Attr("output_type: {int32, int64} = int32")
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->WithRank(0, 0, "contents");
      ctx->set_output(0, {3});
    })
    .Doc("The height, width and number of channels of a JPEG file, without decoding it.");

REGISTER_OP("EncodeJpeg")
    .Input("image: uint8")
    .Output("contents: string")
    .Attr("format: {'', 'grayscale', 'rgb'} = ''")
    .Attr("quality: int = 95")
    .Attr("progressive: bool = false")
    .Attr("optimize_size: bool = false")
    .Attr("chroma_downsampling: bool = true")
    .Attr("density_unit: {'in', 'cm'} = 'in'")
    .Attr("x_density: int = 300")
    .Attr("y_density: int = 300")
    .Attr("xmp_metadata: string = ''")
    .SetShapeFn(EncodedShape)
    .Doc("A JPEG file, as a string, of an image [height, width, 1 or 3].");

REGISTER_OP("DecodePng")
    .Input("contents: string")
    .Output("image: dtype")
    .Attr("channels: int = 0")
    .Attr("dtype: {uint8, uint16} = uint8")
    .SetShapeFn(DecodedShape)
    .Doc("The pixels [height, width, channels] of a PNG file.");

REGISTER_OP("EncodePng")
    .Input("image: T")
    .Output("contents: string")
    .Attr("compression: int = -1")
    .Attr("T: {uint8, uint16} = uint8")
    .SetShapeFn(EncodedShape)
    .Doc("A PNG file, as a string, of an image [height, width, 1 to 4].");

REGISTER_OP("DecodeBmp")
    .Input("contents: string")
    .Output("image: uint8")
    .Attr("channels: int = 0")
    .SetShapeFn(DecodedShape)
    .Doc("The pixels [height, width, channels] of a BMP file that is not compressed.");

REGISTER_OP("DecodeGif")
    .Input("contents: string")
    .Output("image: uint8")
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->WithRank(0, 0, "contents");
      ctx->set_output(0, {kUnknown, kUnknown, kUnknown, 3});
    })
    .Doc("The pixels [frames, height, width, 3] of a GIF file.");

// ---- Scaling -------------------------------------------------------------------------

// [N,h,w,C], with `size` [h,w] at input 1.
void ResizedShape(InferenceContext* ctx) {
  const PartialShape& images = ctx->WithRank(0, 4, "images");
  const PartialShape& size = ctx->WithRank(1, 1, "size");
  Require(size.dim(0) == kUnknown || size.dim(0) == 2,
          "size must have two elements, its shape is ", size);
  PartialShape result = {images.dim(0), kUnknown, kUnknown, images.dim(3)};
  if (const Tensor* value = ctx->input_value(1)) {
    const std::vector<int64_t> sides = IntegersOf(*value);
    Require(sides.size() == 2 && sides[0] > 0 && sides[1] > 0,
            "output dimensions must be positive, are ", Join(sides, " x "));
    result = {images.dim(0), sides[0], sides[1], images.dim(3)};
  }
  ctx->set_output(0, result);
}

// The definition of a method that gives float32.
OpDefBuilder ResizeOp(const std::string& name, const std::string& doc) {
  return OpDefBuilder(name)
      .Input("images: T")
      .Input("size: int32")
      .Output("resized_images: float")
      .Attr(
          "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}")
      .Attr("align_corners: bool = false")
      .SetShapeFn(ResizedShape)
      .Doc(doc);
}

const OpRegistrar kResizeOps[] = {
    ResizeOp("ResizeBilinear",
             "Images [N,H,W,C] at another size [h,w]: each pixel is a mean of the four "
             "around its place, by distance.")
        .Attr("half_pixel_centers: bool = false"),
    ResizeOp("ResizeBicubic",
             "Images [N,H,W,C] at another size [h,w], by a cubic polynomial through four "
             "pixels on each axis.")
        .Attr("half_pixel_centers: bool = false"),
    ResizeOp("ResizeArea",
             "Images [N,H,W,C] at another size [h,w]: each pixel is the mean of the area "
             "that it covers."),
};

REGISTER_OP("ResizeNearestNeighbor")
    .Input("images: T")
    .Input("size: int32")
    .Output("resized_images: T")
    .Attr("T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .SetShapeFn(ResizedShape)
    .Doc("Images [N,H,W,C] at another size [h,w]: each pixel is the nearest one.");

// The gradient has the shape of the image before, whose images and channels are those of
// `grads`.
void ResizeGradShape(InferenceContext* ctx) {
  const PartialShape& grads = ctx->WithRank(0, 4, "grads");
  const PartialShape& image = ctx->WithRank(1, 4, "original_image");
  const auto known = PartialShape::OfRank(4).MergedWith(image);
  const PartialShape both = {grads.dim(0), kUnknown, kUnknown, grads.dim(3)};
  ctx->set_output(0, known.MergedWith(both));
}

OpDefBuilder ResizeGradOp(const std::string& name, const std::string& types,
                          const std::string& doc) {
  return OpDefBuilder(name)
      .Input("grads: float")
      .Input("original_image: T")
      .Output("output: T")
      .Attr("T: " + types)
      .Attr("align_corners: bool = false")
      .Attr("half_pixel_centers: bool = false")
      .SetShapeFn(ResizeGradShape)
      .Doc(doc);
}

const OpRegistrar kResizeGradOps[] = {
    ResizeGradOp("ResizeBilinearGrad", "{float, double, half, bfloat16}",
                 "The gradient of ResizeBilinear: each of `grads` [N,h,w,C] goes back to "
                 "the pixels of [N,H,W,C] that it came from."),
    ResizeGradOp("ResizeBicubicGrad", "{float, double}",
                 "The gradient of ResizeBicubic: each of `grads` [N,h,w,C] goes back to "
                 "the pixels of [N,H,W,C] that it came from."),
};

REGISTER_OP("ResizeNearestNeighborGrad")
    .Input("grads: T")
    .Input("size: int32")
    .Output("output: T")
    .Attr("T: {uint8, int8, int32, half, float, double, bfloat16}")
    .Attr("align_corners: bool = false")
    .Attr("half_pixel_centers: bool = false")
    .SetShapeFn(ResizedShape)
    .Doc(
        "The gradient of ResizeNearestNeighbor for images of `size` [H,W]: what went to "
        "several pixels comes back as their sum.");

// ---- Colours -------------------------------------------------------------------------

void ColorShape(InferenceContext* ctx) {
  const PartialShape& images = ctx->input(0);
  if (images.has_rank()) {
    Require(images.rank() >= 1, "input must be at least 1-D, its shape is ", images);
    const int64_t channels = images.dim(images.rank() - 1);
    Require(channels == kUnknown || channels == 3, "input must have 3 channels but has ",
            channels, ": its shape is ", images);
    std::vector<int64_t> sizes(images.sizes().begin(), images.sizes().end());
    sizes.back() = 3;
    ctx->set_output(0, PartialShape(sizes));
  }
}

REGISTER_OP("RGBToHSV")
    .Input("images: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double} = float")
    .SetShapeFn(ColorShape)
    .Doc(
        "Hue, saturation and value, all in [0, 1], of colours [...,3] in red, green and "
        "blue.");

REGISTER_OP("HSVToRGB")
    .Input("images: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double} = float")
    .SetShapeFn(ColorShape)
    .Doc("Red, green and blue of colours [...,3] in hue, saturation and value.");

}  // namespace
}  // namespace minitf
