// Arrays of numpy as tensors and back, for drivers of labs. Each side owns its memory.

#pragma once

#include <array>
#include <cstdint>
#include <malloc.h>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "minitf/tensor/allocator.h"
#include "python/bindings/numpy_bridge.h"

namespace minitf {

// A copy of `array`, so that the guard knows where the tensor ends.
inline Tensor TensorOf(const pybind11::array& array) {
  return TensorFromArray(array).Clone();
}

// A copy of `tensor`.
inline pybind11::object ArrayOf(const Tensor& tensor) {
  return ArrayFromTensor(tensor.Clone(), Sharing::kNever);
}

// Bytes in use by tensors, and by everything that malloc has given. Tensors may have
// their memory from there, or not.
inline std::array<int64_t, 2> BytesInUse() {
  const struct mallinfo2 info = mallinfo2();
  return {CpuAllocator().stats().bytes_in_use,
          static_cast<int64_t>(info.uordblks + info.hblkhd)};
}

}  // namespace minitf
