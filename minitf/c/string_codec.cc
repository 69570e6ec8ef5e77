// Strings in the encoding of TensorFlow 1.15.

#include "minitf/c/string_codec.h"

#include <cstdint>
#include <cstring>

#include "minitf/c/internal.h"

namespace minitf::c {
namespace {

constexpr int kBitsPerByte = 7;
constexpr size_t kMostVarintBytes = 10;

size_t VarintSize(uint64_t value) {
  size_t size = 1;
  while (value >>= kBitsPerByte) ++size;
  return size;
}

// Returns the first byte after the varint.
char* WriteVarint(uint64_t value, char* to) {
  for (; value >= 0x80; value >>= kBitsPerByte) *to++ = static_cast<char>(value | 0x80);
  *to++ = static_cast<char>(value);
  return to;
}

// Removes a varint from the front of `bytes`. Returns false if none is there.
bool ReadVarint(std::string_view* bytes, uint64_t* value) {
  *value = 0;
  for (size_t i = 0; i < bytes->size() && i < kMostVarintBytes; ++i) {
    const auto byte = static_cast<unsigned char>((*bytes)[i]);
    *value |= uint64_t{byte & 0x7fu} << (kBitsPerByte * i);
    if (byte < 0x80) {
      bytes->remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

// The string at the front of `bytes`, without its length. Throws if the bytes end before.
std::string_view ReadString(std::string_view bytes) {
  uint64_t length = 0;
  Require(ReadVarint(&bytes, &length), "the length of a string is not a varint");
  Require(length <= bytes.size(), "a string of ", length, " bytes begins ", bytes.size(),
          " bytes before the end of the data");
  return bytes.substr(0, length);
}

}  // namespace

std::string EncodeStrings(std::span<const std::string> strings) {
  const size_t table = strings.size() * sizeof(uint64_t);
  size_t size = table;
  for (const std::string& string : strings) size += TF_StringEncodedSize(string.size());
  std::string bytes(size, '\0');
  char* to = bytes.data() + table;
  for (size_t i = 0; i < strings.size(); ++i) {
    const uint64_t offset = to - bytes.data() - table;
    std::memcpy(bytes.data() + i * sizeof(offset), &offset, sizeof(offset));
    to = WriteVarint(strings[i].size(), to);
    strings[i].copy(to, strings[i].size());
    to += strings[i].size();
  }
  return bytes;
}

Tensor DecodeStrings(const Shape& shape, std::string_view bytes) {
  const auto count = static_cast<uint64_t>(shape.num_elements());
  Require(count <= bytes.size() / sizeof(uint64_t), "a TF_STRING tensor of ", shape,
          " needs ", count, " offsets of 8 bytes, the data has ", bytes.size(), " bytes");
  const std::string_view data = bytes.substr(count * sizeof(uint64_t));
  Tensor tensor(DType::kString, shape);
  size_t i = 0;
  for (std::string& string : tensor.mutable_flat<std::string>()) {
    uint64_t offset = 0;
    std::memcpy(&offset, bytes.data() + i++ * sizeof(offset), sizeof(offset));
    Require(offset < data.size(), "offset ", offset, " of string ", i - 1,
            " leads out of the data, which has ", data.size(), " bytes");
    string = ReadString(data.substr(offset));
  }
  return tensor;
}

}  // namespace minitf::c

using minitf::Require;
using minitf::c::Guarded;

size_t TF_StringEncodedSize(size_t len) { return minitf::c::VarintSize(len) + len; }

size_t TF_StringEncode(const char* src, size_t src_len, char* dst, size_t dst_len,
                       TF_Status* status) {
  return Guarded<size_t>(status, 0, [&] {
    const size_t size = TF_StringEncodedSize(src_len);
    Require(src_len <= PTRDIFF_MAX, "src_len is ", src_len, ", more than memory has");
    Require(src != nullptr || src_len == 0, "src is null; expected ", src_len, " bytes");
    Require(dst != nullptr && size <= dst_len, "dst_len is ",
            dst == nullptr ? 0 : dst_len, "; a string of ", src_len, " bytes needs ",
            size);
    char* const to = minitf::c::WriteVarint(src_len, dst);
    if (src_len > 0) std::memcpy(to, src, src_len);
    return size;
  });
}

size_t TF_StringDecode(const char* src, size_t src_len, const char** dst, size_t* dst_len,
                       TF_Status* status) {
  return Guarded<size_t>(status, 0, [&] {
    minitf::c::NotNull(src, "src");
    minitf::c::NotNull(dst, "dst");
    minitf::c::NotNull(dst_len, "dst_len");
    const std::string_view string = minitf::c::ReadString({src, src_len});
    *dst = string.data();
    *dst_len = string.size();
    return static_cast<size_t>(string.data() + string.size() - src);
  });
}
