// Numbers in text, for ops that parse.
//
// Compare    tensorflow/core/lib/strings/numbers.h
// Read next  kernels/cpu/data/decode_text.cc

#pragma once

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace minitf {

/// Reads `text`, with spaces around it, as a number. Returns false if it is none.
template <typename T>
bool ReadNumber(std::string_view text, T* value) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  const size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return false;
  text = text.substr(first, text.find_last_not_of(kSpaces) + 1 - first);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  if constexpr (std::is_floating_point_v<T>) {
    const size_t sign = text[0] == '-' ? 1 : 0;
    const std::string_view mark = text.substr(sign, 2);
    if (mark == "0x" || mark == "0X") {
      const std::string_view digits = text.substr(sign + 2);
      const auto [end, error] = std::from_chars(
          digits.data(), digits.data() + digits.size(), *value, std::chars_format::hex);
      if (sign == 1) *value = -*value;
      return error == std::errc() && end == digits.data() + digits.size() &&
             digits[0] != '-';
    }
  }
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), *value);
  if constexpr (std::is_floating_point_v<T>) {
    // Too large or too small is infinity or zero, as a compiler would have it.
    if (error == std::errc::result_out_of_range) {
      *value = static_cast<T>(std::strtod(std::string(text).c_str(), nullptr));
      return end == text.data() + text.size();
    }
  }
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace minitf
