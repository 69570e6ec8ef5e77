  // TODO(14.1) begin
  // The rest of every byte value, eight steps ahead.
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> rests{};
    for (uint32_t byte = 0; byte < 256; ++byte) {
      uint32_t rest = byte;
      for (int bit = 0; bit < 8; ++bit) {
        rest = (rest & 1) != 0 ? (rest >> 1) ^ 0x82F63B78U : rest >> 1;
      }
      rests[byte] = rest;
    }
    return rests;
  }();
  uint32_t rest = ~crc;
  for (const char c : data) {
    const auto byte = static_cast<uint8_t>(c);
    rest = (rest >> 8) ^ table[(rest ^ byte) & 0xFF];
  }
  return ~rest;
  // TODO(14.1) end
