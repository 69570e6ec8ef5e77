// Bytes in messages.

#include "minitf/base/quoted_bytes.h"

#include <cstdint>

namespace minitf {
namespace {

constexpr size_t kMostBytesShown = 100;

}  // namespace

std::string QuotedBytes(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string shown = "'";
  for (const char c : bytes.substr(0, kMostBytesShown)) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '\'' && c != '\\') {
      shown += c;
    } else {
      shown += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  shown += '\'';
  if (bytes.size() > kMostBytesShown) {
    shown += "... (" + std::to_string(bytes.size()) + " bytes)";
  }
  return shown;
}

}  // namespace minitf
