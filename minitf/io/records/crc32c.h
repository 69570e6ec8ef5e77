// CRC-32C: the checksum that guards records, after Castagnoli (1993).
//
// A message is read as a polynomial over bits and divided by a fixed one of degree 32:
// the rest is the checksum. Any change of up to 32 neighbouring bits changes it. The
// polynomial is 0x1EDC6F41, read backwards 0x82F63B78, which processors with SSE 4.2
// divide by in one instruction for 8 bytes.
//
// A file that holds checksums of data that holds checksums would make them weak, so what
// is stored is a masked one: rotated by 15 bits, plus a constant.
//
// Compare    tensorflow/core/lib/hash/crc32c.h
// Read next  minitf/io/records/record_file.h

#pragma once

#include <cstdint>
#include <string_view>

namespace minitf {

/// The checksum of the bytes that `crc` is the checksum of, followed by `data`.
uint32_t ExtendCrc32c(uint32_t crc, std::string_view data);

/// The checksum of `data`: e3069283 for "123456789".
inline uint32_t Crc32c(std::string_view data) { return ExtendCrc32c(0, data); }

/// What is stored in a file for a checksum.
inline uint32_t MaskCrc(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

/// The checksum that is stored as `masked`.
inline uint32_t UnmaskCrc(uint32_t masked) {
  const uint32_t turned = masked - 0xa282ead8U;
  return (turned >> 17) | (turned << 15);
}

}  // namespace minitf
