    // TODO(14.5) begin
    uint64_t number = 0;
    for (int i = 0; i < kMaxVarintBytes && at_ != end_; ++i) {
      const auto byte = static_cast<uint8_t>(*at_++);
      number |= static_cast<uint64_t>(byte & 0x7F) << (7 * i);
      if (byte < 0x80) {
        *value = number;
        return true;
      }
    }
    return false;
    // TODO(14.5) end

    // TODO(14.5) begin
    uint64_t number;
    if (!ReadVarint(&number) || number > 0xFFFFFFFFU) return false;
    tag->field = static_cast<uint32_t>(number >> 3);
    tag->type = static_cast<WireType>(number & 7);
    return tag->field != 0;
    // TODO(14.5) end

    // TODO(14.5) begin
    uint64_t length;
    if (!ReadVarint(&length) || length > left()) return false;
    *bytes = {at_, static_cast<size_t>(length)};
    at_ += length;
    return true;
    // TODO(14.5) end

    // TODO(14.5) begin
    while (!AtEnd()) {
      Tag tag;
      if (!ReadTag(&tag)) return false;
      if (tag.type == WireType::kEndGroup) return tag.field == group.field;
      if (!Skip(tag, depth)) return false;
    }
    return false;
    // TODO(14.5) end

  // TODO(14.6) begin
  *key = {};
  *value = {};
  return ForEachBytesField(entry, [&](uint32_t field, std::string_view bytes) {
    if (field == 1) *key = bytes;
    if (field == 2) *value = bytes;
    return true;
  });
  // TODO(14.6) end

  // TODO(14.6) begin
  *feature = {};
  Cursor cursor(message);
  while (!cursor.AtEnd()) {
    const std::string_view from_here = cursor.rest();
    Tag tag;
    if (!cursor.ReadTag(&tag) || !cursor.Skip(tag)) return false;
    if (tag.type != WireType::kBytes || tag.field > 3) continue;
    const auto kind = static_cast<FeatureKind>(tag.field);
    if (kind != feature->kind) *feature = {kind, from_here};
  }
  return true;
  // TODO(14.6) end

    // TODO(14.7) begin
    int num_bytes = 0;  // of the varint that has begun
    for (const char c : packed) {
      if (++num_bytes > kMaxVarintBytes) return false;
      if ((static_cast<uint8_t>(c) & 0x80) != 0) continue;
      ++*count;
      num_bytes = 0;
    }
    return num_bytes == 0;
    // TODO(14.7) end

    // TODO(14.7) begin
    if (packed.size() % sizeof(float) != 0) return false;
    *count += static_cast<int64_t>(packed.size() / sizeof(float));
    return true;
    // TODO(14.7) end

    // TODO(14.7) begin
    const size_t n = packed.size() / sizeof(float);
    if (packed.size() % sizeof(float) != 0 || n > values.size() - i) return false;
    if (n > 0) std::memcpy(values.data() + i, packed.data(), packed.size());
    i += n;
    return true;
    // TODO(14.7) end

    // TODO(14.7) begin
    uint64_t number;
    if (i == values.size() || !cursor.ReadVarint(&number)) return false;
    values[i++] = static_cast<int64_t>(number);
    return true;
    // TODO(14.7) end

  // TODO(14.8) begin
  while (value >= 0x80) {
    out->push_back(static_cast<char>((value & 0x7F) | 0x80));
    value >>= 7;
  }
  out->push_back(static_cast<char>(value));
  // TODO(14.8) end

  // TODO(14.8) begin
  PutVarint(uint64_t{field} << 3 | static_cast<uint64_t>(WireType::kBytes), out);
  PutVarint(bytes.size(), out);
  out->append(bytes);
  // TODO(14.8) end

  // TODO(14.8) begin
  std::string all;
  for (const auto& [name, values] : features) {
    const std::string list = std::visit([](const auto& v) { return ListBytes(v); }, values);
    std::string feature;
    PutBytes(static_cast<uint32_t>(values.index() + 1), list, &feature);
    std::string entry;
    PutBytes(1, name, &entry);
    PutBytes(2, feature, &entry);
    PutBytes(1, entry, &all);
  }
  std::string example;
  PutBytes(1, all, &example);
  return example;
  // TODO(14.8) end
