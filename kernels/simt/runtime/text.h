// Text: parts, one after the other, as a string.
//
// Read next  kernels/simt/runtime/observer.h

#pragma once

#include <cstdint>
#include <ios>
#include <sstream>
#include <string>

namespace simt {

template <typename... Parts>
std::string Text(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

/// 0x1f
inline std::string Hex(uint64_t number) {
  std::ostringstream out;
  out << "0x" << std::hex << number;
  return out.str();
}

}  // namespace simt
