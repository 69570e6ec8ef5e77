// Images: JPEG, PNG, BMP and GIF files, to and from pixels.
//
// Pixels are [height, width, channels], row by row from the top. Channels are gray (1),
// gray and opacity (2), red, green, blue (3), these and opacity (4).
//
// Files may be hostile. The size that a file claims is checked before there is memory for
// it, a file that ends too early or makes no sense is InvalidArgument, and the libraries'
// way of reporting errors, a jump, does not leave the file that calls them.
//
// Compare    tensorflow/core/lib/jpeg/jpeg_mem.h, tensorflow/core/lib/png/png_io.h
// Read next  minitf/io/records/crc32c.h

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace minitf {

/// The most values, height * width * channels, that an image may have.
constexpr int64_t kMaxImageValues = int64_t{1} << 29;

struct ImageSize {
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 0;
};

/// Gives the memory for the pixels of an image, once its size is known.
using AllocateImage = std::function<void*(const ImageSize& size)>;

/// Throws InvalidArgument unless an image may have this size: none is 0, and all together
/// are at most kMaxImageValues. `format` is for the message.
void CheckImageSize(std::string_view format, const ImageSize& size);

enum class ImageFormat { kUnknown, kJpeg, kPng, kBmp, kGif };

/// What the first bytes say.
ImageFormat FormatOfImage(std::string_view bytes);

// ---- JPEG ----------------------------------------------------------------------------

struct JpegDecoding {
  int channels = 0;  ///< 1 or 3; 0: as in the file
  int ratio = 1;     ///< 1, 2, 4 or 8: how much smaller the result is
  bool fancy_upscaling = true;
  bool try_recover_truncated = false;
  /// How much of the lines must be there in a file that ends too early; others are black.
  float acceptable_fraction = 1;
  bool exact_dct = false;  ///< the fast cosine transform differs by a few of 255
};

/// Throws InvalidArgument if the bytes are no JPEG file that can be decoded.
void DecodeJpeg(std::string_view bytes, const JpegDecoding& options,
                const AllocateImage& allocate);

/// The size of the image, without decoding it.
ImageSize JpegSize(std::string_view bytes);

struct JpegEncoding {
  int quality = 95;  ///< 0 to 100
  bool progressive = false;
  bool optimize_size = false;
  bool chroma_downsampling = true;
  bool density_in_cm = false;  ///< else in inches
  int x_density = 300;
  int y_density = 300;
  std::string xmp_metadata;
};

/// A JPEG file of `pixels`, with 1 or 3 channels.
std::string EncodeJpeg(const uint8_t* pixels, const ImageSize& size,
                       const JpegEncoding& options);

// ---- PNG -----------------------------------------------------------------------------

/// Decodes to `channels`, 1 to 4; 0: as in the file. The values are uint16 if
/// `is_16_bit`, else uint8; those of the file are scaled. Throws InvalidArgument.
void DecodePng(std::string_view bytes, int channels, bool is_16_bit,
               const AllocateImage& allocate);

/// A PNG file of `pixels`, which are uint16 if `is_16_bit`, else uint8. `compression` is
/// 0 to 9, or -1 for zlib's usual one. Requires: size.channels is 1 to 4.
std::string EncodePng(const void* pixels, const ImageSize& size, bool is_16_bit,
                      int compression = -1);

// ---- BMP -----------------------------------------------------------------------------

/// Decodes an uncompressed file with 8, 24 or 32 bits a pixel. `channels` is 0 (as in the
/// file), or what the file has. Throws InvalidArgument.
void DecodeBmp(std::string_view bytes, int channels, const AllocateImage& allocate);

// ---- GIF ------------------------------------------------------------------------------

/// Decodes all frames, [frames, height, width, 3]. Throws InvalidArgument.
void DecodeGif(std::string_view bytes,
               const std::function<void*(int64_t frames, const ImageSize&)>& allocate);

}  // namespace minitf
