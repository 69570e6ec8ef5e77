// Bytes in messages, which may hold anything and be very long.
//
// Read next  minitf/base/text.h

#pragma once

#include <string>
#include <string_view>

namespace minitf {

/// Returns `bytes` between quotes, as Python prints them: a zero byte is `\x00`. Shows
/// the first 100 bytes, and the number of bytes if there are more.
std::string QuotedBytes(std::string_view bytes);

}  // namespace minitf
