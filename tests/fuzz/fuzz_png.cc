// PNG images: pixels, or an Error.

#include <cstdint>
#include <memory>
#include <vector>

#include "minitf/contrib/image/image.h"
#include "tests/fuzz/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return minitf::testing::FuzzOnce(data, size, [](std::string_view bytes) {
    std::vector<uint8_t> pixels;
    const auto allocate = [&](const minitf::ImageSize& image) -> void* {
      // A small file may hold a large picture: limits are the caller's business.
      const int64_t count = image.height * image.width * image.channels * 2;
      minitf::Require(count <= (int64_t{1} << 26), "too large: ", count, " bytes");
      pixels.resize(count);
      return pixels.data();
    };
    const bool is_16_bit = bytes.size() % 2 == 1;
    minitf::DecodePng(bytes, static_cast<int>(bytes.size() / 2 % 5), is_16_bit, allocate);
  });
}
