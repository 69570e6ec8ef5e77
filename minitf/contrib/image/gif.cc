// GIF by hand: LZW codes (Welch, 1984) in blocks of up to 255 bytes.
//
// A file is a header, perhaps a table of colours, and pieces. Pictures are drawn on a
// canvas one after another; each makes a frame, a copy of the canvas. Extensions are
// skipped, except for the transparent colour of the next picture.
//
// The canvas is as large as the widest and the highest picture; many files have a wrong
// size in their header. As in TensorFlow, the part of a picture beyond the canvas is cut.
//
// A code stands for a string of pixels, which is an earlier string and one pixel more. As
// both follow each other in the result, the table needs no copy: it keeps for each code
// where its string begins in the result, and how long it is.
//
// Compare    tensorflow/core/lib/gif/gif_io.cc, which has giflib do it
// Read next  minitf/io/records/crc32c.h

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "minitf/base/status.h"
#include "minitf/contrib/image/image.h"

namespace minitf {
namespace {

constexpr int kMaxCodes = 4096;
constexpr int kMaxCodeBits = 12;
constexpr uint8_t kPicture = 0x2c;
constexpr uint8_t kExtension = 0x21;
constexpr uint8_t kEnd = 0x3b;
constexpr uint8_t kGraphicControl = 0xf9;
constexpr int kOpaque = -1;

[[noreturn]] void Refuse(size_t num_bytes, std::string_view reason) {
  ThrowInvalidArgument("Invalid GIF data (size ", num_bytes, "), ", reason);
}

// A place in the file.
class Bytes {
 public:
  explicit Bytes(std::string_view file) : file_(file), rest_(file) {}

  bool AtEnd() const { return rest_.empty(); }
  uint8_t Byte() { return static_cast<uint8_t>(Take(1)[0]); }
  int Short() {
    const int low = Byte();
    return low + 256 * Byte();
  }
  std::string_view Take(size_t count) {
    if (count > rest_.size()) Refuse(file_.size(), "the data end too early");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  // Blocks, each behind its length, up to one of length 0.
  std::string Blocks() {
    std::string all;
    while (const uint8_t length = Byte()) all += Take(length);
    return all;
  }
  [[noreturn]] void Fail(std::string_view reason) const { Refuse(file_.size(), reason); }

 private:
  std::string_view file_;
  std::string_view rest_;
};

struct Picture {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  bool is_interlaced = false;
  int transparent = kOpaque;
  std::string_view colors;  // three bytes each
  int code_bits = 0;
  std::string codes;
};

// Takes the bits of codes, the lowest first.
class CodeReader {
 public:
  explicit CodeReader(std::string_view bytes) : bytes_(bytes) {}

  // -1 when there are no more.
  int Read(int bits) {
    while (count_ < bits) {
      if (bytes_.empty()) return -1;
      bits_ |= static_cast<uint32_t>(static_cast<uint8_t>(bytes_[0])) << count_;
      bytes_.remove_prefix(1);
      count_ += 8;
    }
    const int code = static_cast<int>(bits_ & ((1U << bits) - 1));
    bits_ >>= bits;
    count_ -= bits;
    return code;
  }

 private:
  std::string_view bytes_;
  uint32_t bits_ = 0;
  int count_ = 0;
};

// The colours, as numbers, of the pixels of a picture; empty if the codes make no sense.
std::vector<uint8_t> Unpack(const Picture& picture) {
  const size_t size = static_cast<size_t>(picture.width) * picture.height;
  std::vector<uint8_t> pixels;
  const int clear = 1 << picture.code_bits;
  struct String {
    size_t begin;
    size_t length;
  };
  std::vector<String> strings;  // of the codes from clear + 2 on
  CodeReader reader(picture.codes);
  int bits = picture.code_bits + 1;
  String last = {0, 0};
  while (pixels.size() < size) {
    const int code = reader.Read(bits);
    if (code < 0 || code == clear + 1) return {};
    if (code == clear) {
      strings.clear();
      bits = picture.code_bits + 1;
      last.length = 0;
      continue;
    }
    // The string of the code before and the first pixel of this one is a new string; it
    // stands in the result already, as the two follow each other.
    const size_t begin = pixels.size();
    const size_t next = strings.size() + static_cast<size_t>(clear) + 2;
    const bool makes_string = last.length > 0 && next < kMaxCodes;
    if (makes_string) strings.push_back({last.begin, last.length + 1});
    if (code < clear) {
      pixels.push_back(static_cast<uint8_t>(code));
      last = {begin, 1};
    } else {
      const auto entry = static_cast<size_t>(code - clear - 2);
      if (entry >= strings.size()) return {};
      const String found = strings[entry];
      for (size_t i = 0; i < found.length && pixels.size() < size; ++i) {
        pixels.push_back(pixels[found.begin + i]);
      }
      last = {begin, found.length};
    }
    const size_t codes = strings.size() + static_cast<size_t>(clear) + 2;
    if (codes == (size_t{1} << bits) && bits < kMaxCodeBits) ++bits;
  }
  return pixels;
}

// Row i of an interlaced picture of `height` rows, by the order in which they come.
std::vector<int> RowOrder(int height, bool is_interlaced) {
  std::vector<int> rows;
  if (!is_interlaced) {
    for (int y = 0; y < height; ++y) rows.push_back(y);
    return rows;
  }
  constexpr struct {
    int first;
    int step;
  } kPasses[] = {{0, 8}, {4, 8}, {2, 4}, {1, 2}};
  for (const auto& pass : kPasses) {
    for (int y = pass.first; y < height; y += pass.step) rows.push_back(y);
  }
  return rows;
}

class GifReader {
 public:
  explicit GifReader(std::string_view file) : bytes_(file) {
    const std::string_view name = bytes_.Take(6);
    if (name != "GIF87a" && name != "GIF89a") bytes_.Fail("it is no GIF file");
    bytes_.Take(4);  // the size of the screen
    const uint8_t flags = bytes_.Byte();
    bytes_.Take(2);  // the background, and the shape of pixels
    colors_ = ReadColors(flags);
    ReadPieces();
  }

  ImageSize size() const { return {height_, width_, 3}; }
  const std::vector<Picture>& pictures() const { return pictures_; }

  // Draws picture i on the canvas.
  void Draw(size_t i, uint8_t* canvas) const {
    const Picture& picture = pictures_[i];
    if (picture.colors.empty()) bytes_.Fail("a picture has no table of colours");
    const std::vector<uint8_t> pixels = Unpack(picture);
    if (pixels.empty()) bytes_.Fail("the codes of a picture make no sense");
    const uint8_t* row = pixels.data();
    const int width = std::min(picture.width, width_ - picture.left);
    for (const int y : RowOrder(picture.height, picture.is_interlaced)) {
      const uint8_t* const pixel = std::exchange(row, row + picture.width);
      if (picture.top + y >= height_ || width <= 0) continue;
      const int64_t begin = static_cast<int64_t>(picture.top + y) * width_ + picture.left;
      uint8_t* to = canvas + 3 * begin;
      for (int x = 0; x < width; ++x, to += 3) {
        if (pixel[x] == picture.transparent) continue;
        const size_t place = size_t{3} * pixel[x];
        if (place >= picture.colors.size()) bytes_.Fail("a colour is not in the table");
        std::memcpy(to, picture.colors.data() + place, 3);
      }
    }
  }

 private:
  std::string_view ReadColors(uint8_t flags) {
    return (flags & 0x80) == 0 ? "" : bytes_.Take(size_t{3} << ((flags & 7) + 1));
  }

  void ReadPieces() {
    int transparent = kOpaque;
    while (true) {
      // Some writers leave out the end.
      if (bytes_.AtEnd() && !pictures_.empty()) return;
      const uint8_t kind = bytes_.Byte();
      if (kind == kEnd) return;
      if (kind == kExtension) {
        const uint8_t label = bytes_.Byte();
        const std::string data = bytes_.Blocks();
        if (label != kGraphicControl || data.size() < 4) continue;
        transparent = (data[0] & 1) != 0 ? static_cast<uint8_t>(data[3]) : kOpaque;
      } else if (kind == kPicture) {
        Picture picture = ReadPicture();
        picture.transparent = transparent;
        width_ = std::max(width_, picture.width);
        height_ = std::max(height_, picture.height);
        pictures_.push_back(std::move(picture));
        transparent = kOpaque;
      } else {
        bytes_.Fail("it has a piece of an unknown kind");
      }
    }
  }

  Picture ReadPicture() {
    Picture picture;
    picture.left = bytes_.Short();
    picture.top = bytes_.Short();
    picture.width = bytes_.Short();
    picture.height = bytes_.Short();
    const uint8_t flags = bytes_.Byte();
    picture.is_interlaced = (flags & 0x40) != 0;
    const std::string_view own = ReadColors(flags);
    picture.colors = own.empty() ? colors_ : own;
    picture.code_bits = bytes_.Byte();
    picture.codes = bytes_.Blocks();
    if (picture.width == 0 || picture.height == 0) {
      bytes_.Fail(
          StrCat("the size of a picture is ", picture.height, " x ", picture.width));
    }
    if (picture.code_bits < 1 || picture.code_bits > 8) bytes_.Fail("codes are too long");
    return picture;
  }

  Bytes bytes_;
  int width_ = 0;
  int height_ = 0;
  std::string_view colors_;
  std::vector<Picture> pictures_;
};

}  // namespace

void DecodeGif(std::string_view bytes,
               const std::function<void*(int64_t frames, const ImageSize&)>& allocate) {
  const GifReader reader(bytes);
  const auto frames = static_cast<int64_t>(reader.pictures().size());
  const ImageSize size = reader.size();
  CheckImageSize("GIF", {size.height, size.width, size.channels * frames});
  auto* canvas = static_cast<uint8_t*>(allocate(frames, size));
  const int64_t frame_bytes = size.height * size.width * size.channels;
  std::fill(canvas, canvas + frame_bytes, uint8_t{0});
  for (int64_t i = 0; i < frames; ++i, canvas += frame_bytes) {
    if (i > 0) std::copy(canvas - frame_bytes, canvas, canvas);
    reader.Draw(static_cast<size_t>(i), canvas);
  }
}

}  // namespace minitf
