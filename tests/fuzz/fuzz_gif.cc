// GIF images: frames, or an Error.

#include <cstdint>
#include <vector>

#include "minitf/contrib/image/image.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return minitf::testing::FuzzOnce(data, size, [](std::string_view bytes) {
    std::vector<uint8_t> pixels;
    minitf::DecodeGif(bytes, [&](int64_t frames, const minitf::ImageSize& image) {
      // A small file may hold large frames: limits are the caller's business.
      const int64_t count = frames * image.height * image.width * image.channels;
      minitf::Require(count <= (int64_t{1} << 26), "too large: ", count, " bytes");
      pixels.resize(count);
      return static_cast<void*>(pixels.data());
    });
  });
}
