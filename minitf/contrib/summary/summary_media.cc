// Summaries of images and sounds, as PNG and WAV files.
//
// Op         minitf/contrib/summary/summary_ops.cc
// Compare    tensorflow/core/kernels/summary_image_op.cc, summary_audio_op.cc
// Read next  minitf/contrib/image/image.h

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "minitf/contrib/image/image.h"
#include "minitf/contrib/summary/summary_builder.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

// Of several values under one name, each gets a number.
std::string TagOf(const std::string& base, const char* kind, int64_t i, int64_t most) {
  return most == 1 ? StrCat(base, '/', kind) : StrCat(base, '/', kind, '/', i);
}

// From any numbers to bytes: pixel = number * scale + offset.
struct Range {
  float scale = 0;
  float offset = 0;
};

// Numbers from 0 on fill 0 to 255; if there are negative ones, 0 is in the middle, 128.
Range RangeFor(float least, float most) {
  constexpr float kAlmostZero = 1e-6F;
  if (least < 0) {
    const float largest = std::max(std::abs(least), std::abs(most));
    return {largest < kAlmostZero ? 0 : 127 / largest, 128};
  }
  return {most < kAlmostZero ? 0 : 255 / most, 0};
}

bool IsFinite(const float* pixel, int64_t channels) {
  return std::all_of(pixel, pixel + channels, [](float x) { return std::isfinite(x); });
}

// The bytes of an image of [pixels,channels] numbers.
std::vector<uint8_t> Scaled(const std::vector<float>& image, int64_t channels,
                            std::span<const uint8_t> bad_color) {
  float least = std::numeric_limits<float>::infinity();
  float most = -least;
  const auto size = static_cast<int64_t>(image.size());
  for (int64_t i = 0; i < size; i += channels) {
    if (!IsFinite(&image[i], channels)) continue;
    const auto [low, high] = std::minmax_element(&image[i], &image[i] + channels);
    least = std::min(least, *low);
    most = std::max(most, *high);
  }
  const Range range = RangeFor(least, most);
  std::vector<uint8_t> bytes(size);
  for (int64_t i = 0; i < size; i += channels) {
    const bool is_finite = IsFinite(&image[i], channels);
    for (int64_t k = 0; k < channels; ++k) {
      bytes[i + k] = is_finite
                         ? static_cast<uint8_t>(std::clamp(
                               image[i + k] * range.scale + range.offset, 0.F, 255.F))
                         : bad_color[k];
    }
  }
  return bytes;
}

template <typename T>
class ImageSummaryOp final : public OpKernel {
 public:
  explicit ImageSummaryOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("max_images", &max_images_));
    OP_REQUIRES_OK(construction, construction->GetAttr("bad_color", &bad_color_));
    OP_REQUIRES(construction,
                bad_color_.dtype() == DType::kUint8 && bad_color_.rank() == 1,
                errors::InvalidArgument("bad_color must be a list of uint8, is ",
                                        bad_color_.dtype(), ' ', bad_color_.shape()));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& tag = ctx->input(0);
    const Tensor& images = ctx->input(1);  // [N,H,W,C]
    OP_REQUIRES(ctx, tag.rank() == 0, errors::InvalidArgument("Tags must be a scalar"));
    const int64_t channels = images.rank() == 4 ? images.dim(3) : 0;
    OP_REQUIRES(ctx, channels == 1 || channels == 3 || channels == 4,
                errors::InvalidArgument(
                    "Tensor must be 4-D with last dim 1, 3, or 4, not ", images.shape()));
    OP_REQUIRES(ctx, bad_color_.num_elements() >= channels,
                errors::InvalidArgument("expected depth <= ", bad_color_.num_elements(),
                                        ", the size of bad_color, got ", channels));
    const ImageSize size{images.dim(1), images.dim(2), channels};
    CheckImageSize("PNG", size);
    SummaryBuilder summary;
    for (int64_t n = 0; n < std::min(images.dim(0), max_images_); ++n) {
      summary.AddImage(TagOf(tag.scalar<std::string>(), "image", n, max_images_),
                       size.height, size.width, channels, Encoded(images, n, size));
    }
    ctx->set_output(0, Tensor::Scalar(summary.ToBytes()));
  }

 private:
  std::string Encoded(const Tensor& images, int64_t n, const ImageSize& size) const {
    const int64_t count = size.height * size.width * size.channels;
    const std::span<const T> image = images.flat<T>().subspan(n * count, count);
    if constexpr (std::is_same_v<T, uint8_t>) {
      return EncodePng(image.data(), size, /*is_16_bit=*/false);
    } else {
      std::vector<float> numbers(count);
      std::ranges::transform(image, numbers.begin(),
                             [](const T& x) { return static_cast<float>(x); });
      const auto bytes = Scaled(numbers, size.channels, bad_color_.flat<uint8_t>());
      return EncodePng(bytes.data(), size, /*is_16_bit=*/false);
    }
  }

  int64_t max_images_ = 0;
  Tensor bad_color_;
};
REGISTER_KERNEL(Kernel("ImageSummary").On(Device::kCpu).Type<uint8_t>("T"),
                ImageSummaryOp<uint8_t>);
REGISTER_KERNEL(Kernel("ImageSummary").On(Device::kCpu).Type<float>("T"),
                ImageSummaryOp<float>);
REGISTER_KERNEL(Kernel("ImageSummary").On(Device::kCpu).Type<float16>("T"),
                ImageSummaryOp<float16>);
REGISTER_KERNEL(Kernel("ImageSummary").On(Device::kCpu).Type<double>("T"),
                ImageSummaryOp<double>);

// A number in `bytes` bytes, the lowest first.
void AppendLittleEndian(uint32_t value, int bytes, std::string* file) {
  for (; bytes > 0; --bytes, value >>= 8) file->push_back(static_cast<char>(value & 255));
}

// A WAV file of [frames,channels] samples of 16 bits.
std::string EncodeWav(std::span<const float> samples, uint32_t rate, uint32_t channels) {
  constexpr int kBytesPerSample = 2;
  const auto data_bytes = static_cast<uint32_t>(samples.size() * kBytesPerSample);
  std::string file = "RIFF";
  AppendLittleEndian(36 + data_bytes, 4, &file);
  file += "WAVEfmt ";
  AppendLittleEndian(16, 4, &file);  // bytes of this chunk
  AppendLittleEndian(1, 2, &file);   // samples are plain numbers
  AppendLittleEndian(channels, 2, &file);
  AppendLittleEndian(rate, 4, &file);
  AppendLittleEndian(rate * channels * kBytesPerSample, 4, &file);
  AppendLittleEndian(channels * kBytesPerSample, 2, &file);
  AppendLittleEndian(8 * kBytesPerSample, 2, &file);
  file += "data";
  AppendLittleEndian(data_bytes, 4, &file);
  for (const float sample : samples) {
    const float scaled = std::isnan(sample) ? 0 : std::round(sample * 32768);
    const auto number = static_cast<int16_t>(std::clamp(scaled, -32768.F, 32767.F));
    AppendLittleEndian(static_cast<uint16_t>(number), kBytesPerSample, &file);
  }
  return file;
}

class AudioSummaryOp final : public OpKernel {
 public:
  explicit AudioSummaryOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("max_outputs", &max_outputs_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& tag = ctx->input(0);
    const Tensor& sounds = ctx->input(1);  // [N,frames,channels] or [N,frames]
    OP_REQUIRES(ctx, tag.rank() == 0, errors::InvalidArgument("Tag must be a scalar"));
    OP_REQUIRES(
        ctx, sounds.rank() == 2 || sounds.rank() == 3,
        errors::InvalidArgument("Tensor must be 3-D or 2-D, got: ", sounds.shape()));
    const auto rate = ctx->input(2).scalar<float>();
    constexpr float kMostRate = 1 << 30;
    OP_REQUIRES(ctx, rate > 0 && rate < kMostRate,
                errors::InvalidArgument("sample_rate must be > 0 and < ", kMostRate,
                                        ", is ", rate));
    const int64_t frames = sounds.dim(1);
    const int64_t channels = sounds.rank() == 2 ? 1 : sounds.dim(2);
    constexpr int64_t kMostSamples = int64_t{1} << 30;
    OP_REQUIRES(ctx, channels > 0 && channels < 65536 && frames * channels < kMostSamples,
                errors::InvalidArgument("no WAV file holds ", frames, " frames of ",
                                        channels, " channels"));
    SummaryBuilder summary;
    const auto samples = sounds.flat<float>();
    for (int64_t n = 0; n < std::min(sounds.dim(0), max_outputs_); ++n) {
      const auto sound = samples.subspan(n * frames * channels, frames * channels);
      summary.AddAudio(TagOf(tag.scalar<std::string>(), "audio", n, max_outputs_), rate,
                       channels, frames,
                       EncodeWav(sound, static_cast<uint32_t>(std::lround(rate)),
                                 static_cast<uint32_t>(channels)));
    }
    ctx->set_output(0, Tensor::Scalar(summary.ToBytes()));
  }

 private:
  int64_t max_outputs_ = 0;
};
REGISTER_KERNEL(Kernel("AudioSummaryV2").On(Device::kCpu), AudioSummaryOp);

}  // namespace
}  // namespace minitf
