// Bytes in messages, which may hold anything and be very long.
//
// Read next  minitf/base/text.h

#pragma once

#include <string>
#include <string_view>

namespace minitf {

/// `bytes` between quotes, as Python shows them: a zero byte is `\x00`. Of more than 100
/// the first ones, and how many there are.
std::string QuotedBytes(std::string_view bytes);

}  // namespace minitf
