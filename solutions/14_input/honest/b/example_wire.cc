#include <utility>
#include <iterator>
#include <initializer_list>

    // TODO(14.5) begin
    *value = 0;
    for (int i = 0; i < kMaxVarintBytes && !AtEnd(); ++i) {
      const auto byte = static_cast<unsigned char>(*at_++);
      *value |= uint64_t{byte & 0x7fU} << (7 * i);
      if (byte < 0x80) return true;
    }
    return false;
    // TODO(14.5) end

    // TODO(14.5) begin
    uint64_t number;
    if (!ReadVarint(&number) || number >> 32 != 0 || number >> 3 == 0) return false;
    *tag = {static_cast<uint32_t>(number >> 3), static_cast<WireType>(number & 7)};
    return true;
    // TODO(14.5) end

    // TODO(14.5) begin
    uint64_t length;
    const char* data;
    if (!ReadVarint(&length) || !ReadFixed(length, &data)) return false;
    *bytes = {data, length};
    return true;
    // TODO(14.5) end

    // TODO(14.5) begin
    Tag tag;
    if (!ReadTag(&tag)) return false;
    while (tag.type != WireType::kEndGroup) {
      if (!Skip(tag, depth) || !ReadTag(&tag)) return false;
    }
    return tag.field == group.field;
    // TODO(14.5) end

  // TODO(14.6) begin
  *key = *value = {};
  std::string_view* const places[] = {key, value};
  return ForEachBytesField(entry, [&](uint32_t field, std::string_view bytes) {
    if (field <= std::size(places)) *places[field - 1] = bytes;
    return true;
  });
  // TODO(14.6) end

  // TODO(14.6) begin
  *feature = {};
  std::string_view rest = message;
  for (Cursor cursor(message); !cursor.AtEnd(); rest = cursor.rest()) {
    Tag tag;
    if (!cursor.ReadTag(&tag) || !cursor.Skip(tag)) return false;
    const bool is_list = tag.type == WireType::kBytes && tag.field <= 3;
    const auto kind = is_list ? static_cast<FeatureKind>(tag.field) : feature->kind;
    if (kind != feature->kind) *feature = {kind, rest};
  }
  return true;
  // TODO(14.6) end

    // TODO(14.7) begin
    int open = 0;  // bytes of the number that is not over yet
    for (const char c : packed) {
      const bool is_last = (static_cast<unsigned char>(c) & 0x80) == 0;
      if (++open > kMaxVarintBytes) return false;
      if (!is_last) continue;
      open = 0;
      ++*count;
    }
    return open == 0;
    // TODO(14.7) end

    // TODO(14.7) begin
    *count += static_cast<int64_t>(packed.size() / sizeof(float));
    return packed.size() % sizeof(float) == 0;
    // TODO(14.7) end

    // TODO(14.7) begin
    const size_t n = packed.size() / sizeof(float);
    if (packed.size() % sizeof(float) != 0 || n > values.size() - i) return false;
    const std::span<float> places = values.subspan(i, n);
    if (n > 0) std::memcpy(places.data(), packed.data(), places.size_bytes());
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
  const uint64_t rest = value >> 7;
  out->push_back(static_cast<char>((value & 0x7f) | (rest != 0 ? 0x80 : 0)));
  if (rest != 0) PutVarint(rest, out);
  // TODO(14.8) end

  // TODO(14.8) begin
  PutVarint(uint64_t{field} << 3 | static_cast<uint64_t>(WireType::kBytes), out);
  PutVarint(bytes.size(), out);
  out->append(bytes);
  // TODO(14.8) end

  // TODO(14.8) begin
  using Field = std::pair<size_t, std::string_view>;
  const auto message = [](std::initializer_list<Field> fields) {
    std::string bytes;
    for (const auto& [number, value] : fields) {
      PutBytes(static_cast<uint32_t>(number), value, &bytes);
    }
    return bytes;
  };
  std::string entries;
  for (const auto& [name, values] : features) {
    const std::string list = std::visit([](const auto& v) { return ListBytes(v); }, values);
    // The kinds of the variant stand in the order of the numbers of their fields.
    const std::string feature = message({{values.index() + 1, list}});
    entries += message({{1, message({{1, name}, {2, feature}})}});
  }
  return message({{1, entries}});
  // TODO(14.8) end
