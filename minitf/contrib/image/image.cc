// Images: what all formats share, and BMP.
//
// Compare    tensorflow/core/kernels/decode_bmp_op.cc, decode_image_op.cc
// Read next  minitf/contrib/image/jpeg.cc

#include "minitf/contrib/image/image.h"

#include <cstring>

#include "minitf/base/status.h"

namespace minitf {
namespace {

constexpr size_t kBmpHeaderBytes = 34;  // as far as it is read
// Values of the field "compression" of files whose pixels are not compressed.
constexpr uint32_t kRgb = 0;
constexpr uint32_t kBitFields = 3;
constexpr uint32_t kAlphaBitFields = 6;

template <typename Number>
Number At(std::string_view bytes, size_t place) {
  Number number;
  std::memcpy(&number, bytes.data() + place, sizeof number);
  return number;
}

// A row of `width` pixels of blue, green, red, and perhaps opacity; or gray ones.
void CopyBmpRow(const uint8_t* from, const ImageSize& size, uint8_t* to) {
  const int64_t channels = size.channels;
  for (int64_t i = 0; i < size.width; ++i, from += channels, to += channels) {
    std::memcpy(to, from, static_cast<size_t>(channels));
    if (channels >= 3) {
      to[0] = from[2];
      to[2] = from[0];
    }
  }
}

}  // namespace

void CheckImageSize(std::string_view format, const ImageSize& size) {
  Require(size.height > 0 && size.width > 0 && size.channels > 0, format,
          ": the image has no pixels, its size is ", size.height, " x ", size.width);
  Require(size.height <= kMaxImageValues / size.width / size.channels, format,
          ": the image is too large: ", size.height, " x ", size.width, " x ",
          size.channels, " values, at most ", kMaxImageValues, " are allowed");
}

ImageFormat FormatOfImage(std::string_view bytes) {
  if (bytes.starts_with("\xff\xd8\xff")) return ImageFormat::kJpeg;
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return ImageFormat::kPng;
  if (bytes.starts_with("BM")) return ImageFormat::kBmp;
  if (bytes.starts_with("GIF8")) return ImageFormat::kGif;
  return ImageFormat::kUnknown;
}

void DecodeBmp(std::string_view bytes, int channels, const AllocateImage& allocate) {
  Require(bytes.size() >= kBmpHeaderBytes && bytes.starts_with("BM"),
          "BMP: incomplete header: ", bytes.size(), " bytes");
  const auto start = At<uint32_t>(bytes, 10);
  const auto width = At<int32_t>(bytes, 18);
  const auto height = At<int32_t>(bytes, 22);  // negative: rows from the top
  const auto bits = At<uint16_t>(bytes, 28);
  const auto compression = At<uint32_t>(bytes, 30);
  Require(bits == 8 || bits == 24 || bits == 32, "BMP: ", bits,
          " bits a pixel; only 8, 24 and 32 are decoded");
  // As in TensorFlow, masks of the colors are not read: the order is blue, green, red,
  // opacity.
  Require(compression == kRgb || compression == kBitFields ||
              (compression == kAlphaBitFields && bits == 32),
          "BMP: the compression is ", compression, " at ", bits,
          " bits a pixel; expected 0, 3, or 6 at 32 bits");
  const ImageSize size = {height < 0 ? -int64_t{height} : int64_t{height}, width,
                          bits / 8};
  Require(channels == 0 || channels == size.channels, "channels attribute ", channels,
          " does not match bits per pixel from file ", size.channels);
  CheckImageSize("BMP", size);

  const int64_t row_bytes = (size.width * size.channels + 3) / 4 * 4;
  const int64_t needed =
      start + row_bytes * (size.height - 1) + size.width * size.channels;
  Require(needed <= static_cast<int64_t>(bytes.size()),
          "BMP: incomplete content: ", bytes.size(), " bytes, at least ", needed,
          " are needed");
  const auto* from = reinterpret_cast<const uint8_t*>(bytes.data()) + start;
  auto* to = static_cast<uint8_t*>(allocate(size));
  for (int64_t y = 0; y < size.height; ++y) {
    const int64_t row = height < 0 ? y : size.height - 1 - y;
    CopyBmpRow(from + row * row_bytes, size, to + y * size.width * size.channels);
  }
}

}  // namespace minitf
