// CRC-32C: eight bytes an instruction where the processor can, else eight tables.
//
// The tables answer "what does this byte, k bytes before the end, add to the rest?", so
// that eight bytes take eight look-ups that do not wait for each other.
//
// Compare    tensorflow/core/lib/hash/crc32c.cc
// Read next  minitf/io/records/byte_stream.h

#include "minitf/io/records/crc32c.h"

#include <array>
#include <cstring>
#ifdef __SSE4_2__
#include <nmmintrin.h>
#endif

namespace minitf {
namespace {

constexpr int kStep = 8;  // bytes taken at once

#ifdef __SSE4_2__

uint32_t ExtendByOne(uint32_t rest, uint8_t byte) { return _mm_crc32_u8(rest, byte); }
uint32_t ExtendByStep(uint32_t rest, const char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, kStep);
  return static_cast<uint32_t>(_mm_crc32_u64(rest, word));
}

#else

constexpr uint32_t kPolynomial = 0x82F63B78U;  // bit 31 is the coefficient of 1

using Table = std::array<std::array<uint32_t, 256>, kStep>;

// kTable[k][b]: what is left of byte b after it and k bytes of 0 were divided.
constexpr Table kTable = [] {
  Table table{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t rest = b;
    for (int bit = 0; bit < 8; ++bit) {
      rest = (rest >> 1) ^ ((rest & 1) != 0 ? kPolynomial : 0);
    }
    table[0][b] = rest;
  }
  for (int k = 1; k < kStep; ++k) {
    for (int b = 0; b < 256; ++b) {
      const uint32_t before = table[k - 1][b];
      table[k][b] = (before >> 8) ^ table[0][before & 0xff];
    }
  }
  return table;
}();

uint32_t ExtendByOne(uint32_t rest, uint8_t byte) {
  return (rest >> 8) ^ kTable[0][(rest ^ byte) & 0xff];
}
uint32_t ExtendByStep(uint32_t rest, const char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, kStep);
  word ^= rest;
  uint32_t result = 0;
  for (int i = 0; i < kStep; ++i) {
    result ^= kTable[kStep - 1 - i][(word >> (8 * i)) & 0xff];
  }
  return result;
}

#endif

}  // namespace

uint32_t ExtendCrc32c(uint32_t crc, std::string_view data) {
  uint32_t rest = ~crc;
  while (data.size() >= kStep) {
    rest = ExtendByStep(rest, data.data());
    data.remove_prefix(kStep);
  }
  for (const char byte : data) rest = ExtendByOne(rest, static_cast<uint8_t>(byte));
  return ~rest;
}

}  // namespace minitf
