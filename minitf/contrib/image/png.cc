// PNG by libpng.
//
// As in jpeg.cc, the library reports errors by a jump; here too, nothing that has a
// destructor lives where the jump ends.
//
// Compare    tensorflow/core/lib/png/png_io.cc
// Read next  minitf/io/records/crc32c.h

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <png.h>
#include <vector>

#include "minitf/base/status.h"
#include "minitf/contrib/image/image.h"

namespace minitf {
namespace {

constexpr size_t kMessageBytes = 200;
// How much of red and of green makes gray, in units of 1 / 100000 (ITU-R BT.601, 1982).
constexpr int kRedInGray = 29900;
constexpr int kGreenInGray = 58700;
constexpr png_alloc_size_t kMostChunkBytes = png_alloc_size_t{64} << 20;

// What the library's functions for errors get.
struct Message {
  char text[kMessageBytes] = "";
};

void KeepAndJump(png_structp png, png_const_charp text) {
  auto* message = static_cast<Message*>(png_get_error_ptr(png));
  std::strncpy(message->text, text, kMessageBytes - 1);
  png_longjmp(png, 1);
}

void KeepQuiet(png_structp, png_const_charp) {}

// ---- Decoding ------------------------------------------------------------------------

struct Reader {
  explicit Reader(std::string_view file) : bytes(file) {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &message, KeepAndJump, KeepQuiet);
    info = png == nullptr ? nullptr : png_create_info_struct(png);
    if (info == nullptr) {
      png_destroy_read_struct(&png, &info, nullptr);
      throw Error(errors::ResourceExhausted("PNG: no memory"));
    }
  }
  ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  std::string_view bytes;  // not read yet
  Message message;
  png_structp png = nullptr;
  png_infop info = nullptr;
};

void TakeBytes(png_structp png, png_bytep to, size_t count) {
  auto* reader = static_cast<Reader*>(png_get_io_ptr(png));
  if (count > reader->bytes.size()) png_error(png, "the data end too early");
  std::memcpy(to, reader->bytes.data(), count);
  reader->bytes.remove_prefix(count);
}

// Each of these calls the library, and returns false if it jumped back.

bool ReadHeader(Reader* r) {
  if (setjmp(png_jmpbuf(r->png)) != 0) return false;
  png_set_user_limits(r->png, 0x7fffffff, 0x7fffffff);
  png_set_chunk_malloc_max(r->png, kMostChunkBytes);
  png_set_read_fn(r->png, r, TakeBytes);
  png_read_info(r->png, r->info);
  return true;
}

bool SetTransforms(Reader* r, int64_t channels, bool is_16_bit) {
  if (setjmp(png_jmpbuf(r->png)) != 0) return false;
  const int color = png_get_color_type(r->png, r->info);
  const bool has_color = (color & PNG_COLOR_MASK_COLOR) != 0;
  bool has_alpha = (color & PNG_COLOR_MASK_ALPHA) != 0;
  const bool wants_color = channels >= 3;
  const bool wants_alpha = channels % 2 == 0;

  const bool has_transparency = png_get_valid(r->png, r->info, PNG_INFO_tRNS) != 0;
  if (color == PNG_COLOR_TYPE_PALETTE) {
    png_set_palette_to_rgb(r->png);
    has_alpha = has_transparency;  // that of a palette comes with its colours
  }
  if (!has_color) png_set_expand_gray_1_2_4_to_8(r->png);
  if (wants_alpha && has_transparency) {
    png_set_tRNS_to_alpha(r->png);
    has_alpha = true;
  }
  if (has_alpha && !wants_alpha) png_set_strip_alpha(r->png);
  const int depth = png_get_bit_depth(r->png, r->info);
  if (depth == 16 && !is_16_bit) png_set_strip_16(r->png);
  if (wants_alpha && !has_alpha) {
    const bool is_wide = depth == 16 && is_16_bit;
    png_set_add_alpha(r->png, is_wide ? 0xffff : 0xff, PNG_FILLER_AFTER);
  }
  if (has_color && !wants_color) {
    png_set_rgb_to_gray_fixed(r->png, PNG_ERROR_ACTION_NONE, kRedInGray, kGreenInGray);
  }
  if (!has_color && wants_color) png_set_gray_to_rgb(r->png);
  if (depth == 16 && is_16_bit) png_set_swap(r->png);  // to little endian
  png_set_interlace_handling(r->png);
  png_read_update_info(r->png, r->info);
  return true;
}

bool ReadRows(Reader* r, png_bytepp rows) {
  if (setjmp(png_jmpbuf(r->png)) != 0) return false;
  png_read_image(r->png, rows);
  png_read_end(r->png, nullptr);
  return true;
}

[[noreturn]] void Refuse(const Reader& reader, size_t num_bytes) {
  ThrowInvalidArgument("Invalid PNG data, size ", num_bytes, ": ", reader.message.text);
}

// Makes 16 bits of 8, in place: the largest value of one is that of the other.
void Widen(uint8_t* row, int64_t count) {
  for (int64_t i = count - 1; i >= 0; --i) {
    const uint16_t wide = static_cast<uint16_t>(row[i] * 257);
    std::memcpy(row + 2 * i, &wide, sizeof wide);
  }
}

// ---- Encoding ------------------------------------------------------------------------

struct Writer {
  Writer() {
    png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &message, KeepAndJump, KeepQuiet);
    info = png == nullptr ? nullptr : png_create_info_struct(png);
    if (info == nullptr) {
      png_destroy_write_struct(&png, &info);
      throw Error(errors::ResourceExhausted("PNG: no memory"));
    }
  }
  ~Writer() { png_destroy_write_struct(&png, &info); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Message message;
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string bytes;
};

void PutBytes(png_structp png, png_bytep from, size_t count) {
  static_cast<Writer*>(png_get_io_ptr(png))
      ->bytes.append(reinterpret_cast<const char*>(from), count);
}

// Returns false if the library jumped back.
bool WriteRows(Writer* w, png_bytepp rows, const ImageSize& size, bool is_16_bit,
               int compression) {
  static constexpr int kColorTypes[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                        PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  if (setjmp(png_jmpbuf(w->png)) != 0) return false;
  png_set_write_fn(w->png, w, PutBytes, nullptr);
  png_set_user_limits(w->png, 0x7fffffff, 0x7fffffff);
  png_set_compression_level(w->png, compression);
  png_set_IHDR(w->png, w->info, static_cast<png_uint_32>(size.width),
               static_cast<png_uint_32>(size.height), is_16_bit ? 16 : 8,
               kColorTypes[size.channels - 1], PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(w->png, w->info);
  if (is_16_bit) png_set_swap(w->png);  // from little endian
  png_write_image(w->png, rows);
  png_write_end(w->png, w->info);
  return true;
}

// Where each row of an image begins.
std::vector<png_bytep> RowsOf(void* pixels, int64_t height, int64_t row_bytes) {
  std::vector<png_bytep> rows;
  auto* row = static_cast<png_bytep>(pixels);
  for (int64_t y = 0; y < height; ++y, row += row_bytes) rows.push_back(row);
  return rows;
}

}  // namespace

void DecodePng(std::string_view bytes, int channels, bool is_16_bit,
               const AllocateImage& allocate) {
  Reader reader(bytes);
  if (!ReadHeader(&reader)) Refuse(reader, bytes.size());
  const int color = png_get_color_type(reader.png, reader.info);
  int64_t found = png_get_channels(reader.png, reader.info);
  if (color == PNG_COLOR_TYPE_PALETTE) found = 3;
  if (color == PNG_COLOR_TYPE_PALETTE &&
      png_get_valid(reader.png, reader.info, PNG_INFO_tRNS) != 0) {
    found = 4;
  }
  const ImageSize size = {png_get_image_height(reader.png, reader.info),
                          png_get_image_width(reader.png, reader.info),
                          channels == 0 ? found : channels};
  Require(size.channels <= 4, "channels must be 0 to 4 for PNG, got ", channels);
  CheckImageSize("PNG", size);
  const bool is_wide = is_16_bit && png_get_bit_depth(reader.png, reader.info) == 16;
  if (!SetTransforms(&reader, size.channels, is_16_bit)) Refuse(reader, bytes.size());

  const int64_t row_values = size.width * size.channels;
  const auto written = static_cast<int64_t>(png_get_rowbytes(reader.png, reader.info));
  if (written != row_values * (is_wide ? 2 : 1)) {
    throw Error(errors::Internal("PNG: a row has ", written, " bytes"));
  }
  auto* pixels = static_cast<uint8_t*>(allocate(size));
  const auto rows = RowsOf(pixels, size.height, row_values * (is_16_bit ? 2 : 1));
  std::vector<png_bytep> to = rows;
  if (!ReadRows(&reader, to.data())) Refuse(reader, bytes.size());
  if (is_16_bit && !is_wide) {
    for (png_bytep row : rows) Widen(row, row_values);
  }
}

std::string EncodePng(const void* pixels, const ImageSize& size, bool is_16_bit,
                      int compression) {
  CheckImageSize("PNG", size);
  Require(size.channels <= 4, "PNG: image must have 1 to 4 channels, has ",
          size.channels);
  Require(-1 <= compression && compression <= 9, "compression should be in [-1,9], got ",
          compression);
  Writer writer;
  const int64_t row_bytes = size.width * size.channels * (is_16_bit ? 2 : 1);
  // The library only reads.
  std::vector<png_bytep> rows = RowsOf(const_cast<void*>(pixels), size.height, row_bytes);
  if (!WriteRows(&writer, rows.data(), size, is_16_bit, compression)) {
    ThrowInvalidArgument("PNG encoding failed: ", writer.message.text);
  }
  return std::move(writer.bytes);
}

}  // namespace minitf
