// BMP images: pixels, or an Error.

#include <cstdint>
#include <vector>

#include "minitf/contrib/image/image.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return minitf::testing::FuzzOnce(data, size, [](std::string_view bytes) {
    std::vector<uint8_t> pixels;
    const auto allocate = [&](const minitf::ImageSize& image) -> void* {
      // The pixels of a BMP file are not packed.
      const size_t count = image.height * image.width * image.channels;
      if (count > bytes.size()) __builtin_trap();
      pixels.resize(count);
      return pixels.data();
    };
    minitf::DecodeBmp(bytes, static_cast<int>(bytes.size() % 5), allocate);
  });
}
