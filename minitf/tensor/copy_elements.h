// Copying elements from one tensor to another of the same type.
//
// Read next  minitf/tensor/resource_handle.h

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "minitf/tensor/resource_handle.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

/// Copies `count` elements of `from`, from element `from_first` on, to `to`. Requires:
/// both have the same dtype, and so many elements.
inline void CopyElements(const Tensor& from, int64_t from_first, int64_t count,
                         Tensor* to, int64_t to_first) {
  if (count == 0) return;
  if (IsPlain(from.dtype())) {
    const size_t size = SizeOf(from.dtype());
    std::memcpy(static_cast<char*>(to->mutable_data()) + to_first * size,
                static_cast<const char*>(from.data()) + from_first * size, count * size);
  } else if (from.dtype() == DType::kString) {
    std::ranges::copy(from.flat<std::string>().subspan(from_first, count),
                      to->mutable_flat<std::string>().begin() + to_first);
  } else {
    std::ranges::copy(from.flat<ResourceHandle>().subspan(from_first, count),
                      to->mutable_flat<ResourceHandle>().begin() + to_first);
  }
}

}  // namespace minitf
