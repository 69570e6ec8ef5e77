// CRC-32C against the published check value and those of RFC 3720.

#include "minitf/io/records/crc32c.h"

#include <string>

#include "gtest/gtest.h"

namespace minitf {
namespace {

TEST(Crc32c, HasTheCheckValueOfItsDefinition) {
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283U);
}

TEST(Crc32c, HasTheValuesOfRfc3720) {
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  std::string up;
  for (int i = 0; i < 32; ++i) up += static_cast<char>(i);
  EXPECT_EQ(Crc32c(up), 0x46dd794eU);
}

// The definition, a bit at a time.
uint32_t BitByBit(const std::string& data) {
  uint32_t rest = 0xffffffffU;
  for (const unsigned char byte : data) {
    rest ^= byte;
    for (int i = 0; i < 8; ++i) rest = (rest >> 1) ^ (0x82f63b78U & -(rest & 1));
  }
  return ~rest;
}

TEST(Crc32c, AgreesWithItsDefinitionAtEveryLength) {
  std::string data;
  for (int length = 0; length < 100; ++length) {
    EXPECT_EQ(Crc32c(data), BitByBit(data)) << length;
    data += static_cast<char>(37 * length + 11);
  }
}

TEST(Crc32c, OfAWholeIsThatOfItsPartsInTurn) {
  const std::string data = "a record in two pieces";
  for (size_t cut = 0; cut <= data.size(); ++cut) {
    const std::string_view whole = data;
    EXPECT_EQ(ExtendCrc32c(Crc32c(whole.substr(0, cut)), whole.substr(cut)),
              Crc32c(whole));
  }
}

TEST(MaskCrc, IsUndoneByUnmaskCrc) {
  for (const uint32_t crc : {0U, 1U, 0xe3069283U, 0xffffffffU}) {
    EXPECT_EQ(UnmaskCrc(MaskCrc(crc)), crc);
    EXPECT_NE(MaskCrc(crc), crc);
  }
}

}  // namespace
}  // namespace minitf
