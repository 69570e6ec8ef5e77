// Example on the wire: a cursor over bytes, and one function for each message.
//
// Exercise   exercises/14_input
// Compare    tensorflow/core/util/example_proto_fast_parsing.cc
// Read next  minitf/io/records/file_system.h

#include "minitf/io/messages/example_wire.h"

#include <algorithm>
#include <cstring>

namespace minitf {
namespace {

enum class WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

struct Tag {
  uint32_t field;
  WireType type;
};

bool operator==(Tag a, Tag b) { return a.field == b.field && a.type == b.type; }

constexpr Tag BytesField(uint32_t field) { return {field, WireType::kBytes}; }

constexpr int kMaxVarintBytes = 10;  // 64 bits, 7 a byte

// A place in a message. Each Read returns false, and may stay anywhere, if the bytes that
// follow are not what is asked for.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool AtEnd() const { return at_ == end_; }
  std::string_view rest() const { return {at_, left()}; }

  bool ReadVarint(uint64_t* value) {
    // LAB(14.5) begin: seven bits a byte; false after kMaxVarintBytes, or at the end
    uint64_t result = 0;
    for (int i = 0; i < kMaxVarintBytes && at_ < end_; ++i) {
      const auto byte = static_cast<uint8_t>(*at_++);
      result |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
      if (byte < 0x80) {
        *value = result;
        return true;
      }
    }
    return false;
    // LAB(14.5) end
  }

  // A tag has 32 bits, and no field has the number 0.
  bool ReadTag(Tag* tag) {
    // LAB(14.5) begin: take the number apart
    uint64_t number;
    if (!ReadVarint(&number) || number > UINT32_MAX) return false;
    *tag = {static_cast<uint32_t>(number >> 3), static_cast<WireType>(number & 7)};
    return tag->field != 0;
    // LAB(14.5) end
  }

  // A length, and so many bytes.
  bool ReadBytes(std::string_view* bytes) {
    // LAB(14.5) begin: a view of the bytes, if they are all there
    uint64_t length;
    if (!ReadVarint(&length) || length > left()) return false;
    *bytes = {at_, static_cast<size_t>(length)};
    at_ += length;
    return true;
    // LAB(14.5) end
  }

  bool ReadFixed(size_t size, const char** bytes) {
    if (size > left()) return false;
    *bytes = at_;
    at_ += size;
    return true;
  }

  // Goes past the value that follows `tag`.
  bool Skip(Tag tag, int depth = 0) {
    uint64_t number;
    std::string_view bytes;
    const char* fixed;
    switch (tag.type) {
      case WireType::kVarint: return ReadVarint(&number);
      case WireType::kFixed64: return ReadFixed(8, &fixed);
      case WireType::kBytes: return ReadBytes(&bytes);
      case WireType::kFixed32: return ReadFixed(4, &fixed);
      case WireType::kGroup: return depth < kMaxGroups && SkipGroup(tag, depth + 1);
      default: return false;
    }
  }

 private:
  size_t left() const { return static_cast<size_t>(end_ - at_); }

  // Goes past the fields of a group, to the end that has its number.
  bool SkipGroup(Tag group, int depth) {
    // LAB(14.5) begin: skip field by field; groups within are one deeper
    Tag tag;
    while (ReadTag(&tag)) {
      if (tag.type == WireType::kEndGroup) return tag.field == group.field;
      if (!Skip(tag, depth)) return false;
    }
    return false;
    // LAB(14.5) end
  }

  const char* at_;
  const char* end_;
};

// Calls `visit(field, bytes)` for the fields of `message` that are bytes, until it
// returns false, and skips the others.
template <typename Visit>
bool ForEachBytesField(std::string_view message, Visit visit) {
  Cursor cursor(message);
  while (!cursor.AtEnd()) {
    Tag tag;
    if (!cursor.ReadTag(&tag)) return false;
    if (tag.type == WireType::kBytes) {
      std::string_view bytes;
      if (!cursor.ReadBytes(&bytes) || !visit(tag.field, bytes)) return false;
    } else if (!cursor.Skip(tag)) {
      return false;
    }
  }
  return true;
}

// An entry of a map: `value` is the message that stands under `key`.
bool ReadEntry(std::string_view entry, std::string_view* key, std::string_view* value) {
  // LAB(14.6) begin: fields 1 and 2; one that is missing is empty
  *key = *value = {};
  return ForEachBytesField(entry, [&](uint32_t field, std::string_view bytes) {
    if (field == 1) *key = bytes;
    if (field == 2) *value = bytes;
    return true;
  });
  // LAB(14.6) end
}

// The view begins where the last run of one kind begins: of fields of several kinds the
// last counts, several of one kind are one list.
bool ReadFeature(std::string_view message, FeatureView* feature) {
  // LAB(14.6) begin: the kind that comes last, and where its last run begins
  *feature = {};
  Cursor cursor(message);
  while (!cursor.AtEnd()) {
    const std::string_view here = cursor.rest();
    Tag tag;
    if (!cursor.ReadTag(&tag) || !cursor.Skip(tag)) return false;
    if (tag.type != WireType::kBytes || tag.field > 3) continue;
    const auto kind = static_cast<FeatureKind>(tag.field);
    if (kind != feature->kind) *feature = {kind, here};
  }
  return true;
  // LAB(14.6) end
}

bool ReadFeatures(std::string_view message, std::vector<NamedFeature>* features) {
  return ForEachBytesField(message, [&](uint32_t field, std::string_view entry) {
    if (field != 1) return true;
    std::string_view value;
    NamedFeature& named = features->emplace_back();
    return ReadEntry(entry, &named.name, &value) && ReadFeature(value, &named.feature);
  });
}

bool ReadFeatureLists(std::string_view message, std::vector<NamedFeatureList>* lists) {
  return ForEachBytesField(message, [&](uint32_t field, std::string_view entry) {
    if (field != 1) return true;
    std::string_view list;
    NamedFeatureList& named = lists->emplace_back();
    if (!ReadEntry(entry, &named.name, &list)) return false;
    return ForEachBytesField(list, [&](uint32_t number, std::string_view feature) {
      return number != 1 || ReadFeature(feature, &named.features.emplace_back());
    });
  });
}

// Calls `visit(cursor, tag)` at each value of field 1 of the lists of `feature`. It reads
// the value and returns true; or it returns false.
template <typename Visit>
bool ForEachValue(const FeatureView& feature, Visit visit) {
  const auto number = static_cast<uint32_t>(feature.kind);
  return ForEachBytesField(feature.fields, [&](uint32_t field, std::string_view list) {
    if (field != number) return true;
    Cursor cursor(list);
    while (!cursor.AtEnd()) {
      Tag tag;
      if (!cursor.ReadTag(&tag)) return false;
      if (!(tag.field == 1 ? visit(cursor, tag) : cursor.Skip(tag))) return false;
    }
    return true;
  });
}

bool CountInts(const FeatureView& feature, int64_t* count) {
  return ForEachValue(feature, [count](Cursor& cursor, Tag tag) {
    std::string_view packed;
    if (tag != BytesField(1)) {
      *count += tag.type == WireType::kVarint ? 1 : 0;
      return cursor.Skip(tag);
    }
    if (!cursor.ReadBytes(&packed)) return false;
    // LAB(14.7) begin: add how many varints these are; false unless they are whole
    // A varint ends at a byte whose top bit is 0.
    int length = 0;
    for (const char byte : packed) {
      if (++length > kMaxVarintBytes) return false;
      if ((byte & 0x80) != 0) continue;
      ++*count;
      length = 0;
    }
    return length == 0;
    // LAB(14.7) end
  });
}

bool CountFloats(const FeatureView& feature, int64_t* count) {
  return ForEachValue(feature, [count](Cursor& cursor, Tag tag) {
    std::string_view packed;
    if (tag != BytesField(1)) {
      *count += tag.type == WireType::kFixed32 ? 1 : 0;
      return cursor.Skip(tag);
    }
    if (!cursor.ReadBytes(&packed)) return false;
    // LAB(14.7) begin: add how many floats these are; false unless they are whole
    *count += static_cast<int64_t>(packed.size() / sizeof(float));
    return packed.size() % sizeof(float) == 0;
    // LAB(14.7) end
  });
}

}  // namespace

DType DTypeOfFeature(FeatureKind kind) {
  switch (kind) {
    case FeatureKind::kBytes: return DType::kString;
    case FeatureKind::kFloats: return DType::kFloat32;
    case FeatureKind::kInt64s: return DType::kInt64;
    default: return DType::kInvalid;
  }
}

bool ReadExample(std::string_view example, std::vector<NamedFeature>* features) {
  features->clear();
  return ForEachBytesField(example, [&](uint32_t field, std::string_view bytes) {
    return field != 1 || ReadFeatures(bytes, features);
  });
}

bool ReadSequenceExample(std::string_view example, std::vector<NamedFeature>* context,
                         std::vector<NamedFeatureList>* lists) {
  context->clear();
  lists->clear();
  return ForEachBytesField(example, [&](uint32_t field, std::string_view bytes) {
    if (field == 1) return ReadFeatures(bytes, context);
    return field != 2 || ReadFeatureLists(bytes, lists);
  });
}

bool CountValues(const FeatureView& feature, int64_t* count) {
  *count = 0;
  switch (feature.kind) {
    case FeatureKind::kFloats: return CountFloats(feature, count);
    case FeatureKind::kInt64s: return CountInts(feature, count);
    case FeatureKind::kBytes:
      return ForEachValue(feature, [count](Cursor& cursor, Tag tag) {
        *count += tag.type == WireType::kBytes ? 1 : 0;
        return cursor.Skip(tag);
      });
    default: return true;
  }
}

bool ReadValues(const FeatureView& feature, std::span<std::string> values) {
  size_t i = 0;
  return ForEachValue(feature, [&](Cursor& cursor, Tag tag) {
    std::string_view bytes;
    if (tag.type != WireType::kBytes) return cursor.Skip(tag);
    if (i == values.size() || !cursor.ReadBytes(&bytes)) return false;
    values[i++] = bytes;
    return true;
  });
}

bool ReadValues(const FeatureView& feature, std::span<float> values) {
  size_t i = 0;
  return ForEachValue(feature, [&](Cursor& cursor, Tag tag) {
    std::string_view packed;
    if (tag.type == WireType::kFixed32) {
      const char* bytes;
      if (!cursor.ReadFixed(sizeof(float), &bytes)) return false;
      packed = {bytes, sizeof(float)};
    } else if (tag.type != WireType::kBytes) {
      return cursor.Skip(tag);
    } else if (!cursor.ReadBytes(&packed)) {
      return false;
    }
    // LAB(14.7) begin: copy them to their place, if there is room
    const size_t count = packed.size() / sizeof(float);
    if (count > values.size() - i) return false;
    if (count > 0) std::memcpy(values.data() + i, packed.data(), count * sizeof(float));
    i += count;
    return true;
    // LAB(14.7) end
  });
}

bool ReadValues(const FeatureView& feature, std::span<int64_t> values) {
  size_t i = 0;
  const auto read = [&](Cursor& cursor) -> bool {
    // LAB(14.7) begin: one value to its place, if there is room
    uint64_t value;
    if (i == values.size() || !cursor.ReadVarint(&value)) return false;
    values[i++] = static_cast<int64_t>(value);
    return true;
    // LAB(14.7) end
  };
  return ForEachValue(feature, [&](Cursor& cursor, Tag tag) {
    if (tag.type == WireType::kVarint) return read(cursor);
    if (tag.type != WireType::kBytes) return cursor.Skip(tag);
    std::string_view packed;
    if (!cursor.ReadBytes(&packed)) return false;
    Cursor inner(packed);
    while (!inner.AtEnd()) {
      if (!read(inner)) return false;
    }
    return true;
  });
}

// ---- Writing -------------------------------------------------------------------------

namespace {

void PutVarint(uint64_t value, std::string* out) {
  // LAB(14.8) begin: seven bits a byte, the lowest first
  while (value >= 0x80) {
    *out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *out += static_cast<char>(value);
  // LAB(14.8) end
}

// A field of kind 2.
void PutBytes(uint32_t field, std::string_view bytes, std::string* out) {
  // LAB(14.8) begin: the tag, the length, the bytes
  PutVarint((field << 3) | static_cast<uint32_t>(WireType::kBytes), out);
  PutVarint(bytes.size(), out);
  out->append(bytes);
  // LAB(14.8) end
}

std::string ListBytes(const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) PutBytes(1, value, &list);
  return list;
}

std::string ListBytes(const std::vector<float>& values) {
  std::string packed(values.size() * sizeof(float), '\0');
  if (!values.empty()) std::memcpy(packed.data(), values.data(), packed.size());
  std::string list;
  if (!values.empty()) PutBytes(1, packed, &list);
  return list;
}

std::string ListBytes(const std::vector<int64_t>& values) {
  std::string packed;
  for (const int64_t value : values) PutVarint(static_cast<uint64_t>(value), &packed);
  std::string list;
  if (!values.empty()) PutBytes(1, packed, &list);
  return list;
}

}  // namespace

std::string ExampleBytes(const std::map<std::string, FeatureValues>& features) {
  // LAB(14.8) begin: a Feature, an entry, Features and Example, each within the next
  std::string entries;
  for (const auto& [name, values] : features) {
    std::string feature;
    const auto kind = static_cast<uint32_t>(values.index() + 1);
    PutBytes(kind, std::visit([](const auto& list) { return ListBytes(list); }, values),
             &feature);
    std::string entry;
    PutBytes(1, name, &entry);
    PutBytes(2, feature, &entry);
    PutBytes(1, entry, &entries);
  }
  std::string example;
  PutBytes(1, entries, &example);
  return example;
  // LAB(14.8) end
}

}  // namespace minitf
