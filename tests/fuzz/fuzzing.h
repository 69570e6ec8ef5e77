// What all fuzz targets share: an input is good, or it is refused with an Error.
//
// Anything else, a crash, a hang, another exception, or memory beyond the limit that
// ./lab fuzz sets, ends the run with a report and the bytes that did it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "minitf/base/status.h"

namespace minitf::testing {

/// Calls `read` with the bytes; an Error that it throws is a good answer.
template <typename Read>
int FuzzOnce(const uint8_t* data, size_t size, Read read) {
  try {
    read(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const Error&) {
    return 0;
  }
  return 0;
}

}  // namespace minitf::testing
