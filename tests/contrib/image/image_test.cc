// Images: files that TensorFlow 2.21 writes, and files that are damaged.

#include "minitf/contrib/image/image.h"

#include <vector>

#include "gtest/gtest.h"
#include "minitf/base/status.h"
#include "tests/testing.h"

namespace minitf {
namespace {

using testing::FromHex;

// 2 x 3 gray pixels 0, 40, 80 and 120, 160, 200.
const std::string kPng = FromHex(
    "89504e470d0a1a0a0000000d4948445200000003000000020800000000b81f39c6000000104944415408"
    "996364d0d060acd0d0000003ac011b47a0f94d0000000049454e44ae426082");
// 8 x 8 gray pixels, quality 80, with tables of its own; each row is 0, 30, ..., 210.
const std::string kJpeg = FromHex(
    "ffd8ffe000104a46494600010101012c012c0000ffdb00430006040506050406060506070706080a100a"
    "0a09090a140e0f0c1017141818171416161a1d251f1a1b231c1616202c20232627292a29191f2d302d28"
    "3025282928ffc0000b080008000801011100ffc40014000100000000000000000000000000000005ffc4"
    "0017100003010000000000000000000000000000084481ffda0008010100003f000176970fffd9");

struct Image {
  ImageSize size;
  std::vector<uint8_t> pixels;
};

// What `decode` gives. Pixels that it leaves out are 77.
template <typename Decode>
Image Decoded(Decode decode, int bytes_per_value = 1) {
  Image image;
  decode([&](const ImageSize& size) {
    image.size = size;
    image.pixels.assign(
        static_cast<size_t>(size.height * size.width * size.channels * bytes_per_value),
        77);
    return image.pixels.data();
  });
  return image;
}

Image FromPng(std::string_view bytes, int channels = 0) {
  return Decoded([&](const AllocateImage& a) { DecodePng(bytes, channels, false, a); });
}

Image FromJpeg(std::string_view bytes, const JpegDecoding& options = {}) {
  return Decoded([&](const AllocateImage& a) { DecodeJpeg(bytes, options, a); });
}

std::string Refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.status().code(), Code::kInvalidArgument) << error.what();
    return error.what();
  }
  return "";
}

TEST(Png, IsWhatTensorFlowWrites) {
  const std::vector<uint8_t> pixels = {0, 40, 80, 120, 160, 200};
  EXPECT_EQ(EncodePng(pixels.data(), {2, 3, 1}, false), kPng);
  const Image image = FromPng(kPng);
  EXPECT_EQ(image.size.height, 2);
  EXPECT_EQ(image.size.width, 3);
  EXPECT_EQ(image.size.channels, 1);
  EXPECT_EQ(image.pixels, pixels);
}

TEST(Png, ChannelsAreAddedAndLeftOut) {
  EXPECT_EQ(
      FromPng(kPng, 4).pixels,
      (std::vector<uint8_t>{0,   0,   0,   255, 40,  40,  40,  255, 80,  80,  80,  255,
                            120, 120, 120, 255, 160, 160, 160, 255, 200, 200, 200, 255}));
  const std::vector<uint8_t> color = {255, 0, 0, 9, 0, 255, 0, 9};
  const std::string file = EncodePng(color.data(), {1, 2, 4}, false);
  EXPECT_EQ(FromPng(file).pixels, color);
  // 0.299 of red, 0.587 of green
  EXPECT_EQ(FromPng(file, 1).pixels, (std::vector<uint8_t>{76, 149}));
}

TEST(Png, SixteenBitsAreKept) {
  const std::vector<uint16_t> pixels = {0, 1, 256, 65535};
  const std::string file = EncodePng(pixels.data(), {2, 2, 1}, true);
  const Image image =
      Decoded([&](const AllocateImage& a) { DecodePng(file, 0, true, a); }, 2);
  EXPECT_EQ(image.pixels, (std::vector<uint8_t>{0, 0, 1, 0, 0, 1, 255, 255}));
  // and made of eight
  const Image wide =
      Decoded([&](const AllocateImage& a) { DecodePng(kPng, 0, true, a); }, 2);
  EXPECT_EQ(wide.pixels,
            (std::vector<uint8_t>{0, 0, 40, 40, 80, 80, 120, 120, 160, 160, 200, 200}));
}

TEST(Jpeg, DecodesToThePixelsOfTensorFlow) {
  const Image image = FromJpeg(kJpeg);
  EXPECT_EQ(image.size.height, 8);
  EXPECT_EQ(image.size.channels, 1);
  const std::vector<uint8_t> row = {0, 29, 61, 89, 120, 148, 179, 209};
  for (int y = 0; y < 8; ++y) {
    const auto first = image.pixels.begin() + 8 * y;
    EXPECT_EQ(std::vector<uint8_t>(first, first + 8), row) << y;
  }
  JpegDecoding options;
  options.channels = 3;
  options.ratio = 8;
  EXPECT_EQ(FromJpeg(kJpeg, options).pixels.size(), 3U);
  EXPECT_EQ(JpegSize(kJpeg).width, 8);
}

TEST(Jpeg, IsWhatTensorFlowWrites) {
  std::vector<uint8_t> pixels;
  for (int i = 0; i < 64; ++i) pixels.push_back(static_cast<uint8_t>(i % 8 * 30));
  JpegEncoding options;
  options.quality = 80;
  options.optimize_size = true;
  EXPECT_EQ(EncodeJpeg(pixels.data(), {8, 8, 1}, options), kJpeg);
}

TEST(Jpeg, MayBeCutIfAsked) {
  // 64 rows of noise, which needs many bytes
  std::vector<uint8_t> pixels;
  for (unsigned i = 0; i < 64 * 64; ++i) {
    pixels.push_back(static_cast<uint8_t>(i * 2654435761U >> 24));
  }
  const std::string file = EncodeJpeg(pixels.data(), {64, 64, 1}, {});
  const std::string_view half = std::string_view(file).substr(0, file.size() / 2);
  EXPECT_NE(Refusal([&] { FromJpeg(half); }), "");
  JpegDecoding options;
  options.try_recover_truncated = true;
  const Image whole = FromJpeg(file);
  const Image recovered = FromJpeg(half, options);
  EXPECT_TRUE(std::equal(whole.pixels.begin(), whole.pixels.begin() + 64 * 16,
                         recovered.pixels.begin()));
  options.try_recover_truncated = false;
  options.acceptable_fraction = 0.25;
  const Image accepted = FromJpeg(half, options);
  EXPECT_EQ(accepted.pixels.back(), 0);  // black
  options.acceptable_fraction = 0.9F;
  EXPECT_NE(Refusal([&] { FromJpeg(half, options); }), "");
}

// A BMP file of 2 x 1 pixels: blue, green, red of each, in rows of four bytes.
std::string Bmp() {
  std::string bytes(54, '\0');
  bytes.replace(0, 2, "BM");
  bytes[10] = 54;
  bytes[18] = 2;
  bytes[22] = 1;
  bytes[28] = 24;
  return bytes + std::string("\x01\x02\x03\x04\x05\x06\0\0", 8);
}

TEST(Bmp, IsReadFromTheLastRow) {
  const auto decode = [](const std::string& bytes) {
    return Decoded([&](const AllocateImage& a) { DecodeBmp(bytes, 0, a); }).pixels;
  };
  EXPECT_EQ(decode(Bmp()), (std::vector<uint8_t>{3, 2, 1, 6, 5, 4}));
  EXPECT_NE(Refusal([&] { decode(Bmp().substr(0, 59)); }), "");
  std::string huge = Bmp();
  huge[20] = huge[21] = huge[24] = 127;
  EXPECT_NE(Refusal([&] { decode(huge); }), "");
}

TEST(Images, TooLargeOnesAreRefusedBeforeThereIsMemory) {
  std::string png = kPng;
  png[16] = 0x7f;  // the width; its checksum is no longer right, either
  EXPECT_NE(Refusal([&] { FromPng(png); }), "");
  std::string jpeg = kJpeg;
  const size_t frame = jpeg.find("\xff\xc0");
  for (size_t i = frame + 5; i < frame + 9; ++i) jpeg[i] = '\xff';  // 65535 x 65535
  EXPECT_EQ(Refusal([&] { FromJpeg(jpeg); }).substr(0, 29),
            "Invalid JPEG data or crop win");
  for (size_t i = frame + 5; i < frame + 9; ++i) jpeg[i] = '\x7f';  // 32639 x 32639
  EXPECT_EQ(
      Refusal([&] { FromJpeg(jpeg); }),
      "JPEG: the image is too large: 32639 x 32639 x 1 values, at most 536870912 are "
      "allowed");
}

TEST(Images, DamagedFilesDoNoHarm) {
  const auto try_all = [](std::string_view bytes) {
    JpegDecoding options;
    options.try_recover_truncated = true;
    const auto quiet = [](const std::function<void()>& call) {
      try {
        call();
      } catch (const Error&) {  // as it should be
      }
    };
    quiet([&] { FromPng(bytes); });
    quiet([&] { FromPng(bytes, 4); });
    quiet([&] { FromJpeg(bytes); });
    quiet([&] { FromJpeg(bytes, options); });
    quiet([&] { Decoded([&](const AllocateImage& a) { DecodeBmp(bytes, 0, a); }); });
  };
  for (const std::string& good : {kPng, kJpeg, Bmp()}) {
    for (size_t length = 0; length < good.size(); ++length) {
      try_all(std::string(good.substr(0, length)));
    }
    for (size_t i = 0; i < good.size(); ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string bad = good;
        bad[i] ^= static_cast<char>(1 << bit);
        // A larger image takes time and finds no error.
        const bool is_size = good == kJpeg && i >= good.find("\xff\xc0") + 5 &&
                             i < good.find("\xff\xc0") + 9;
        if (!is_size) try_all(bad);
      }
    }
  }
}

TEST(Images, TheFirstBytesSayWhich) {
  EXPECT_EQ(FormatOfImage(kPng), ImageFormat::kPng);
  EXPECT_EQ(FormatOfImage(kJpeg), ImageFormat::kJpeg);
  EXPECT_EQ(FormatOfImage(Bmp()), ImageFormat::kBmp);
  EXPECT_EQ(FormatOfImage("GIF89a"), ImageFormat::kGif);
  EXPECT_EQ(FormatOfImage(""), ImageFormat::kUnknown);
}

}  // namespace
}  // namespace minitf
