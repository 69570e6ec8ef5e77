  // TODO(14.1) begin
  // The rests of the sixteen half bytes; a byte is two of them, the low one first.
  static constexpr std::array<uint32_t, 16> kRests = [] {
    std::array<uint32_t, 16> rests{};
    for (uint32_t half = 0; half < rests.size(); ++half) {
      uint32_t rest = half;
      for (int bit = 0; bit < 4; ++bit) {
        rest = rest >> 1 ^ ((rest & 1) != 0 ? 0x82F63B78U : 0U);
      }
      rests[half] = rest;
    }
    return rests;
  }();
  uint32_t rest = ~crc;
  for (const char c : data) {
    rest ^= static_cast<unsigned char>(c);
    rest = rest >> 4 ^ kRests[rest & 15];
    rest = rest >> 4 ^ kRests[rest & 15];
  }
  return ~rest;
  // TODO(14.1) end
