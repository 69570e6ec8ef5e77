// JPEG by libjpeg-turbo.
//
// The library reports an error by calling a function that must not return. Ours jumps
// back to where the library was called, and there the error is thrown. So no object with
// a destructor lives between the setjmp and the call; what is to be released belongs to
// the caller of the function that has the setjmp.
//
// Compare    tensorflow/core/lib/jpeg/jpeg_mem.cc, jpeg_handle.cc
// Read next  minitf/contrib/image/png.cc

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <jerror.h>
#include <jpeglib.h>
#include <memory>
#include <vector>

#include "minitf/base/status.h"
#include "minitf/contrib/image/image.h"

namespace minitf {
namespace {

// A progressive file with more scans wastes time on purpose.
constexpr int kMostScans = 500;
constexpr JOCTET kEndMarker[] = {0xff, JPEG_EOI};
constexpr std::string_view kXmpName = "http://ns.adobe.com/xap/1.0/";  // a 0 follows
constexpr size_t kMaxSegmentBytes = 65533;

// Errors of the library: the text is kept, and the jump taken.
struct Errors {
  jpeg_error_mgr base;  // first, so that the library's pointer is one to all of it
  jmp_buf back;
  char message[JMSG_LENGTH_MAX];
};

void KeepAndJump(j_common_ptr info) {
  auto* errors = reinterpret_cast<Errors*>(info->err);
  info->err->format_message(info, errors->message);
  longjmp(errors->back, 1);
}

void KeepQuiet(j_common_ptr, int) {}
void PrintNothing(j_common_ptr) {}

jpeg_error_mgr* SetUp(Errors* errors) {
  jpeg_std_error(&errors->base);
  errors->base.error_exit = KeepAndJump;
  errors->base.emit_message = KeepQuiet;
  errors->base.output_message = PrintNothing;
  errors->message[0] = '\0';
  return &errors->base;
}

// ---- Decoding ------------------------------------------------------------------------

// All that the library needs for one file. Released with its owner.
struct Decompressor {
  explicit Decompressor(std::string_view bytes) {
    std::memset(&info, 0, sizeof info);
    info.err = SetUp(&errors);
    source.next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data());
    source.bytes_in_buffer = bytes.size();
    source.init_source = [](j_decompress_ptr) {};
    source.term_source = [](j_decompress_ptr) {};
    source.resync_to_restart = jpeg_resync_to_restart;
    source.fill_input_buffer = [](j_decompress_ptr d) -> boolean {
      static_cast<Decompressor*>(d->client_data)->EndTooEarly();
      return TRUE;
    };
    source.skip_input_data = [](j_decompress_ptr d, long count) {
      auto& in = static_cast<Decompressor*>(d->client_data)->source;
      const auto skipped = static_cast<size_t>(std::max(count, 0L));
      if (skipped > in.bytes_in_buffer) {
        static_cast<Decompressor*>(d->client_data)->EndTooEarly();
      } else {
        in.next_input_byte += skipped;
        in.bytes_in_buffer -= skipped;
      }
    };
    progress.progress_monitor = [](j_common_ptr c) {
      if (reinterpret_cast<j_decompress_ptr>(c)->input_scan_number > kMostScans) {
        ERREXIT(c, JERR_BAD_PROGRESSION);
      }
    };
  }
  ~Decompressor() { jpeg_destroy_decompress(&info); }
  Decompressor(const Decompressor&) = delete;
  Decompressor& operator=(const Decompressor&) = delete;

  // The library is told that the file ends here, and decodes what has come so far.
  void EndTooEarly() {
    is_truncated = true;
    source.next_input_byte = kEndMarker;
    source.bytes_in_buffer = sizeof kEndMarker;
  }

  jpeg_decompress_struct info;
  Errors errors;
  jpeg_source_mgr source{};
  jpeg_progress_mgr progress{};
  bool is_truncated = false;
};

// Each of these calls the library, and returns false if it jumped back.

bool ReadHeader(Decompressor* d) {
  if (setjmp(d->errors.back) != 0) return false;
  jpeg_create_decompress(&d->info);
  d->info.client_data = d;
  d->info.src = &d->source;
  d->info.progress = &d->progress;
  jpeg_read_header(&d->info, TRUE);
  return true;
}

bool Start(Decompressor* d) {
  if (setjmp(d->errors.back) != 0) return false;
  jpeg_start_decompress(&d->info);
  return true;
}

bool ReadLine(Decompressor* d, JSAMPROW line) {
  if (setjmp(d->errors.back) != 0) return false;
  return jpeg_read_scanlines(&d->info, &line, 1) == 1;
}

[[noreturn]] void Refuse(const Decompressor& d, std::string_view bytes) {
  const char* reason = d.errors.message[0] != '\0' ? d.errors.message
                       : d.is_truncated            ? "the data end too early"
                                                   : "no reason is given";
  ThrowInvalidArgument("Invalid JPEG data or crop window, data size ", bytes.size(), ": ",
                       reason);
}

int ChannelsOf(const Decompressor& d) { return std::min(d.info.num_components, 3); }

// Four inks to three lights. Adobe's programs store how much ink is not there.
void CmykToRgb(const JSAMPLE* from, int64_t count, bool is_inverted, uint8_t* to) {
  for (int64_t i = 0; i < count; ++i, from += 4, to += 3) {
    for (int c = 0; c < 3; ++c) {
      const int paper = is_inverted ? from[c] : 255 - from[c];
      const int black = is_inverted ? from[3] : 255 - from[3];
      to[c] = static_cast<uint8_t>(black * paper / 255);
    }
  }
}

// Reads all lines to `to`, and says how many came before the data ended.
int64_t ReadLines(Decompressor* d, std::string_view bytes, const ImageSize& size,
                  uint8_t* to) {
  const bool is_cmyk = d->info.out_color_space == JCS_CMYK;
  const auto width = static_cast<size_t>(size.width);
  std::vector<JSAMPLE> inks(is_cmyk ? 4 * width : 0);
  int64_t whole = size.height;
  for (int64_t y = 0; y < size.height; ++y, to += size.width * size.channels) {
    if (!ReadLine(d, is_cmyk ? inks.data() : to)) Refuse(*d, bytes);
    if (is_cmyk) {
      CmykToRgb(inks.data(), size.width, d->info.saw_Adobe_marker != 0, to);
    }
    if (d->is_truncated) whole = std::min(whole, y);
  }
  return whole;
}

// ---- Encoding ------------------------------------------------------------------------

struct Compressor {
  Compressor() {
    std::memset(&info, 0, sizeof info);
    info.err = SetUp(&errors);
  }
  ~Compressor() {
    jpeg_destroy_compress(&info);
    free(bytes);
  }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  jpeg_compress_struct info;
  Errors errors;
  unsigned char* bytes = nullptr;  // made by the library
  unsigned long num_bytes = 0;     // the library's type
};

void Configure(Compressor* c, const ImageSize& size, const JpegEncoding& options) {
  jpeg_compress_struct& info = c->info;
  info.image_width = static_cast<JDIMENSION>(size.width);
  info.image_height = static_cast<JDIMENSION>(size.height);
  info.input_components = static_cast<int>(size.channels);
  info.in_color_space = size.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  info.optimize_coding = options.optimize_size ? TRUE : FALSE;
  info.density_unit = options.density_in_cm ? 2 : 1;
  info.X_density = static_cast<UINT16>(options.x_density);
  info.Y_density = static_cast<UINT16>(options.y_density);
  if (!options.chroma_downsampling) {
    for (int i = 0; i < info.num_components; ++i) {
      info.comp_info[i].h_samp_factor = 1;
      info.comp_info[i].v_samp_factor = 1;
    }
  }
  jpeg_set_quality(&info, options.quality, TRUE);
  if (options.progressive) jpeg_simple_progression(&info);
}

// Returns false if the library jumped back.
bool Compress(Compressor* c, const uint8_t* pixels, const ImageSize& size,
              const JpegEncoding& options, const JOCTET* xmp, unsigned xmp_bytes) {
  if (setjmp(c->errors.back) != 0) return false;
  jpeg_create_compress(&c->info);
  jpeg_mem_dest(&c->info, &c->bytes, &c->num_bytes);
  Configure(c, size, options);
  jpeg_start_compress(&c->info, TRUE);
  if (xmp_bytes > 0) jpeg_write_marker(&c->info, JPEG_APP0 + 1, xmp, xmp_bytes);
  while (c->info.next_scanline < c->info.image_height) {
    const int64_t place = c->info.next_scanline * size.width * size.channels;
    auto* line = const_cast<JSAMPROW>(pixels + place);  // the library only reads
    jpeg_write_scanlines(&c->info, &line, 1);
  }
  jpeg_finish_compress(&c->info);
  return true;
}

}  // namespace

void DecodeJpeg(std::string_view bytes, const JpegDecoding& options,
                const AllocateImage& allocate) {
  Decompressor d(bytes);
  if (!ReadHeader(&d)) Refuse(d, bytes);
  const int channels = options.channels == 0 ? ChannelsOf(d) : options.channels;
  Require(channels == 1 || channels == 3, "channels must be 0, 1, or 3 for JPEG, got ",
          channels);
  const bool is_cmyk =
      d.info.jpeg_color_space == JCS_CMYK || d.info.jpeg_color_space == JCS_YCCK;
  d.info.out_color_space = channels == 1 ? JCS_GRAYSCALE : is_cmyk ? JCS_CMYK : JCS_RGB;
  d.info.do_fancy_upsampling = options.fancy_upscaling ? TRUE : FALSE;
  d.info.scale_num = 1;
  d.info.scale_denom = static_cast<unsigned>(options.ratio);
  d.info.dct_method = options.exact_dct ? JDCT_ISLOW : JDCT_IFAST;
  // The claimed size first: starting takes memory for it.
  CheckImageSize("JPEG", {d.info.image_height, d.info.image_width, channels});
  if (!Start(&d)) Refuse(d, bytes);

  const ImageSize size = {d.info.output_height, d.info.output_width, channels};
  auto* pixels = static_cast<uint8_t*>(allocate(size));
  const int64_t whole = ReadLines(&d, bytes, size, pixels);
  if (options.try_recover_truncated || whole == size.height) return;
  const double fraction = static_cast<double>(whole) / static_cast<double>(size.height);
  if (fraction < options.acceptable_fraction || whole == 0) Refuse(d, bytes);
  const int64_t row = size.width * size.channels;
  std::fill(pixels + whole * row, pixels + size.height * row, uint8_t{0});
}

ImageSize JpegSize(std::string_view bytes) {
  Decompressor d(bytes);
  if (!ReadHeader(&d)) Refuse(d, bytes);
  return {d.info.image_height, d.info.image_width, d.info.num_components};
}

std::string EncodeJpeg(const uint8_t* pixels, const ImageSize& size,
                       const JpegEncoding& options) {
  CheckImageSize("JPEG", size);
  Require(size.channels == 1 || size.channels == 3, "JPEG: image must have 1 or 3 ",
          "channels, has ", size.channels);
  Require(size.height <= JPEG_MAX_DIMENSION && size.width <= JPEG_MAX_DIMENSION,
          "JPEG: no side may be longer than ", JPEG_MAX_DIMENSION,
          " pixels, the image is ", size.height, " x ", size.width);
  std::string xmp;
  if (!options.xmp_metadata.empty()) {
    xmp.append(kXmpName).append(1, '\0').append(options.xmp_metadata);
    Require(xmp.size() <= kMaxSegmentBytes, "JPEG: xmp_metadata has ",
            options.xmp_metadata.size(), " bytes, more than fit");
  }
  Compressor c;
  if (!Compress(&c, pixels, size, options, reinterpret_cast<const JOCTET*>(xmp.data()),
                static_cast<unsigned>(xmp.size()))) {
    throw Error(errors::Internal("JPEG encoding failed: ", c.errors.message));
  }
  return {reinterpret_cast<const char*>(c.bytes), c.num_bytes};
}

}  // namespace minitf
