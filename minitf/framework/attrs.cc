// Attrs: looking up, comparing and printing settings.

#include "minitf/framework/attrs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

namespace minitf {
namespace {

// In the order of the alternatives of AttrValue.
constexpr std::array<std::string_view, std::variant_size_v<AttrValue>> kKinds = {
    "bool",         "int",        "float",      "string",    "type",
    "shape",        "tensor",     "list(bool)", "list(int)", "list(float)",
    "list(string)", "list(type)", "list(shape)"};

template <typename T>
void PrintOne(std::ostream& out, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    out << (value ? "true" : "false");
  } else if constexpr (std::is_same_v<T, std::string>) {
    out << '\'' << value << '\'';
  } else if constexpr (std::is_same_v<T, Tensor>) {
    out << value.DebugString();
  } else {
    out << value;
  }
}

template <typename T>
void PrintOne(std::ostream& out, const std::vector<T>& list) {
  out << '[';
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out << ", ";
    PrintOne(out, T(list[i]));
  }
  out << ']';
}

// Bytes that tell one value from every other of its type: of a fixed length, or with the
// length in front.
template <typename T>
void AppendBytes(const T& value, std::string* key) {
  static_assert(std::is_trivially_copyable_v<T>);
  key->append(reinterpret_cast<const char*>(&value), sizeof(value));
}
void AppendBytes(const std::string& text, std::string* key) {
  AppendBytes(text.size(), key);
  key->append(text);
}
void AppendBytes(const PartialShape& shape, std::string* key) {
  AppendBytes(shape.has_rank() ? shape.rank() : -1, key);
  for (const int64_t size : shape.sizes()) AppendBytes(size, key);
}
void AppendBytes(const Tensor& tensor, std::string* key) {
  AppendBytes(tensor.dtype(), key);
  AppendBytes(PartialShape(tensor.shape()), key);
  if (tensor.dtype() == DType::kString) {
    for (const std::string& text : tensor.flat<std::string>()) AppendBytes(text, key);
  } else if (IsPlain(tensor.dtype())) {
    key->append(static_cast<const char*>(tensor.data()), tensor.num_bytes());
  } else {
    AppendBytes(tensor.data(), key);
  }
}
template <typename T>
void AppendBytes(const std::vector<T>& list, std::string* key) {
  AppendBytes(list.size(), key);
  for (const auto& element : list) AppendBytes(T(element), key);
}

// Bit by bit: a 0 is not a -0, and what is not a number is equal to itself.
bool SameBits(float a, float b) {
  return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

bool SameElements(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (a.dtype() == DType::kString) {
    return std::ranges::equal(a.flat<std::string>(), b.flat<std::string>());
  }
  if (!IsPlain(a.dtype())) return a.SharesBufferWith(b);
  return a.num_bytes() == 0 || std::memcmp(a.data(), b.data(), a.num_bytes()) == 0;
}

}  // namespace

std::string_view KindOf(const AttrValue& value) { return kKinds[value.index()]; }

std::ostream& operator<<(std::ostream& out, const AttrValue& value) {
  std::visit([&out](const auto& held) { PrintOne(out, held); }, value);
  return out;
}

bool AttrEquals(const AttrValue& a, const AttrValue& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&b](const auto& held) {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, Tensor>) {
          return SameElements(held, std::get<T>(b));
        } else if constexpr (std::is_same_v<T, float>) {
          return SameBits(held, std::get<T>(b));
        } else if constexpr (std::is_same_v<T, std::vector<float>>) {
          return std::ranges::equal(held, std::get<T>(b), SameBits);
        } else {
          return held == std::get<T>(b);
        }
      },
      a);
}

void AppendKey(const AttrValue& value, std::string* key) {
  key->push_back(static_cast<char>(value.index()));
  std::visit([key](const auto& held) { AppendBytes(held, key); }, value);
}

Attrs::Attrs() = default;
Attrs::Attrs(std::initializer_list<Entry> entries) : entries_(entries) {}
Attrs::Attrs(const Attrs& other) = default;
Attrs::Attrs(Attrs&& other) noexcept = default;
Attrs& Attrs::operator=(const Attrs& other) = default;
Attrs& Attrs::operator=(Attrs&& other) noexcept = default;
Attrs::~Attrs() = default;

void Attrs::Set(std::string_view name, AttrValue value) {
  for (Entry& entry : entries_) {
    if (entry.first == name) {
      entry.second = std::move(value);
      return;
    }
  }
  entries_.emplace_back(std::string(name), std::move(value));
}

const AttrValue* Attrs::Find(std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (entry.first == name) return &entry.second;
  }
  return nullptr;
}

}  // namespace minitf
