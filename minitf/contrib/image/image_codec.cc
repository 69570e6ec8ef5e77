// Decoding and encoding images on the CPU. What a decoder gets may be of another format
// than its name says: the first bytes decide.
//
// Op         minitf/contrib/image/image_ops.cc
// Compare    tensorflow/core/kernels/decode_image_op.cc, encode_jpeg_op.cc,
//            encode_png_op.cc

#include <string>
#include <vector>

#include "minitf/contrib/image/image.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

constexpr size_t kShownBytes = 16;

const std::string& ContentsOf(OpKernelContext* ctx) {
  const Tensor& contents = ctx->input(0);
  Require(contents.rank() == 0, "contents must be scalar, got shape ", contents.shape());
  return contents.scalar<std::string>();
}

std::string Hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes.substr(0, kShownBytes)) {
    const auto byte = static_cast<uint8_t>(c);
    text += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

class DecodeImageOp final : public OpKernel {
 public:
  explicit DecodeImageOp(OpKernelConstruction* c)
      : OpKernel(c), dtype_(c->output_type(0)) {
    int64_t channels = 0;
    OP_REQUIRES_OK(c, c->GetAttr("channels", &channels));
    channels_ = static_cast<int>(channels);
    if (c->op().name == "DecodeJpeg") ReadJpegAttrs(c);
  }

  void Compute(OpKernelContext* ctx) override {
    const std::string& bytes = ContentsOf(ctx);
    const AllocateImage allocate = [ctx](const ImageSize& size) {
      Tensor* image = nullptr;
      ThrowIfError(
          ctx->allocate_output(0, {size.height, size.width, size.channels}, &image));
      return image->mutable_data();
    };
    const ImageFormat format = FormatOfImage(bytes);
    if (format == ImageFormat::kPng) {
      return DecodePng(bytes, channels_, dtype_ == DType::kUint16, allocate);
    }
    OP_REQUIRES(ctx, dtype_ == DType::kUint8,
                errors::InvalidArgument("only PNG files are decoded to uint16"));
    if (format == ImageFormat::kJpeg) {
      JpegDecoding options = jpeg_;
      options.channels = channels_;
      return DecodeJpeg(bytes, options, allocate);
    }
    if (format == ImageFormat::kBmp) return DecodeBmp(bytes, channels_, allocate);
    ctx->SetStatus(errors::InvalidArgument(
        "Expected image (JPEG, PNG or BMP), got ",
        format == ImageFormat::kGif
            ? "a GIF file; decode_gif gives its frames"
            : "unknown format starting with '" + Hex(bytes) + "'"));
  }

 private:
  void ReadJpegAttrs(OpKernelConstruction* c) {
    int64_t ratio = 1;
    std::string dct_method;
    OP_REQUIRES_OK(c, c->GetAttr("ratio", &ratio));
    OP_REQUIRES_OK(c, c->GetAttr("fancy_upscaling", &jpeg_.fancy_upscaling));
    OP_REQUIRES_OK(c, c->GetAttr("try_recover_truncated", &jpeg_.try_recover_truncated));
    OP_REQUIRES_OK(c, c->GetAttr("acceptable_fraction", &jpeg_.acceptable_fraction));
    OP_REQUIRES_OK(c, c->GetAttr("dct_method", &dct_method));
    OP_REQUIRES(c, ratio == 1 || ratio == 2 || ratio == 4 || ratio == 8,
                errors::InvalidArgument("ratio must be 1, 2, 4, or 8, got ", ratio));
    OP_REQUIRES(c, channels_ == 0 || channels_ == 1 || channels_ == 3,
                errors::InvalidArgument("channels must be 0, 1, or 3, got ", channels_));
    OP_REQUIRES(
        c,
        dct_method.empty() || dct_method == "INTEGER_FAST" ||
            dct_method == "INTEGER_ACCURATE",
        errors::InvalidArgument("dct_method must be one of '', 'INTEGER_FAST' and "
                                "'INTEGER_ACCURATE', got '",
                                dct_method, "'"));
    jpeg_.ratio = static_cast<int>(ratio);
    jpeg_.exact_dct = dct_method == "INTEGER_ACCURATE";
  }

  const DType dtype_;
  int channels_ = 0;
  JpegDecoding jpeg_;
};
REGISTER_KERNEL(Kernel("DecodeJpeg").On(Device::kCpu), DecodeImageOp);
REGISTER_KERNEL(Kernel("DecodePng").On(Device::kCpu), DecodeImageOp);
REGISTER_KERNEL(Kernel("DecodeBmp").On(Device::kCpu), DecodeImageOp);

class DecodeGifOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    DecodeGif(ContentsOf(ctx), [ctx](int64_t frames, const ImageSize& size) {
      Tensor* image = nullptr;
      const Shape shape = {frames, size.height, size.width, size.channels};
      ThrowIfError(ctx->allocate_output(0, shape, &image));
      return image->mutable_data();
    });
  }
};
REGISTER_KERNEL(Kernel("DecodeGif").On(Device::kCpu), DecodeGifOp);

class ExtractJpegShapeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const ImageSize size = JpegSize(ContentsOf(ctx));
    const std::vector<int64_t> sides = {size.height, size.width, size.channels};
    if (ctx->output_type(0) == DType::kInt64) {
      ctx->set_output(0, Tensor::Of<int64_t>({3}, sides));
    } else {
      ctx->set_output(0, Tensor::Of<int32_t>({3}, {sides.begin(), sides.end()}));
    }
  }
};
REGISTER_KERNEL(Kernel("ExtractJpegShape").On(Device::kCpu), ExtractJpegShapeOp);

ImageSize SizeOfImage(const Tensor& image) {
  Require(image.rank() == 3, "image must be 3-dimensional, its shape is ", image.shape());
  return {image.dim(0), image.dim(1), image.dim(2)};
}

class EncodeJpegOp final : public OpKernel {
 public:
  explicit EncodeJpegOp(OpKernelConstruction* c) : OpKernel(c) {
    int64_t quality = 0;
    int64_t x_density = 0;
    int64_t y_density = 0;
    std::string unit;
    OP_REQUIRES_OK(c, c->GetAttr("format", &format_));
    OP_REQUIRES_OK(c, c->GetAttr("quality", &quality));
    OP_REQUIRES_OK(c, c->GetAttr("progressive", &options_.progressive));
    OP_REQUIRES_OK(c, c->GetAttr("optimize_size", &options_.optimize_size));
    OP_REQUIRES_OK(c, c->GetAttr("chroma_downsampling", &options_.chroma_downsampling));
    OP_REQUIRES_OK(c, c->GetAttr("density_unit", &unit));
    OP_REQUIRES_OK(c, c->GetAttr("x_density", &x_density));
    OP_REQUIRES_OK(c, c->GetAttr("y_density", &y_density));
    OP_REQUIRES_OK(c, c->GetAttr("xmp_metadata", &options_.xmp_metadata));
    OP_REQUIRES(c, 0 <= quality && quality <= 100,
                errors::InvalidArgument("quality must be in [0,100], got ", quality));
    OP_REQUIRES(c, format_.empty() || format_ == "grayscale" || format_ == "rgb",
                errors::InvalidArgument("format must be '', 'grayscale' or 'rgb', got '",
                                        format_, "'"));
    constexpr int64_t kMost = 65535;
    OP_REQUIRES(
        c, 0 <= x_density && x_density <= kMost && 0 <= y_density && y_density <= kMost,
        errors::InvalidArgument("densities must be in [0,65535], got ", x_density,
                                " and ", y_density));
    options_.quality = static_cast<int>(quality);
    options_.density_in_cm = unit == "cm";
    options_.x_density = static_cast<int>(x_density);
    options_.y_density = static_cast<int>(y_density);
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& image = ctx->input(0);
    const ImageSize size = SizeOfImage(image);
    const int64_t wanted = format_ == "grayscale" ? 1 : format_ == "rgb" ? 3 : 0;
    OP_REQUIRES(ctx, wanted == 0 || size.channels == wanted,
                errors::InvalidArgument("format '", format_, "' expects ", wanted,
                                        " channels, got ", size.channels));
    ctx->set_output(
        0, Tensor::Scalar(EncodeJpeg(image.flat<uint8_t>().data(), size, options_)));
  }

 private:
  std::string format_;
  JpegEncoding options_;
};
REGISTER_KERNEL(Kernel("EncodeJpeg").On(Device::kCpu), EncodeJpegOp);

class EncodePngOp final : public OpKernel {
 public:
  explicit EncodePngOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("compression", &compression_));
    OP_REQUIRES(
        c, -1 <= compression_ && compression_ <= 9,
        errors::InvalidArgument("compression should be in [-1,9], got ", compression_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& image = ctx->input(0);
    const bool is_16_bit = image.dtype() == DType::kUint16;
    ctx->set_output(0,
                    Tensor::Scalar(EncodePng(image.data(), SizeOfImage(image), is_16_bit,
                                             static_cast<int>(compression_))));
  }

 private:
  int64_t compression_ = -1;
};
REGISTER_KERNEL(Kernel("EncodePng").On(Device::kCpu), EncodePngOp);

}  // namespace
}  // namespace minitf
