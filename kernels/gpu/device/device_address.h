// Addresses of a card's memory, as the host holds them.
//
// The host hands such an address around, and must not follow it. On a card a host that
// does crashes. The emulator's memory is the host's own, so there the mistake would go
// unnoticed; so an address that the allocator gives out has a bit set that no address of
// the host has, and following it crashes as well. Whoever launches a kernel or a copy
// takes the bit away.
//
// Read next  kernels/gpu/device/cuda_memory.h

#pragma once

#include <cstdint>

namespace minitf::gpu {

#if defined(MINITF_CUDA)
inline constexpr uintptr_t kHidingBit = 0;
#else
// Processors of 64 bits have addresses of at most 57.
inline constexpr uintptr_t kHidingBit = uintptr_t{1} << 61;
#endif

/// What the host gets for an address of the card.
inline void* Hidden(void* address) {
  return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(address) | kHidingBit);
}

/// The address itself. One of the host's memory stays as it is.
template <typename T>
T* Revealed(T* address) {
  return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(address) & ~kHidingBit);
}

}  // namespace minitf::gpu
