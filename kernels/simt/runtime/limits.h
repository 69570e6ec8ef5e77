// The limits of a device: those of compute capability 9.0.
//
// Compare    CUDA C++ Programming Guide, section 21.2 (technical specifications)
// Read next  kernels/simt/launch.h

#pragma once

#include <cstddef>

namespace simt::limits {

inline constexpr int kMajor = 9, kMinor = 0;  // what it can, as CUDA counts it
inline constexpr int kWarpSize = 32;
inline constexpr unsigned kThreads = 1024;  // of a block
inline constexpr unsigned kBlockZ = 64;
inline constexpr unsigned kGridX = 2147483647;
inline constexpr unsigned kGridYZ = 65535;
inline constexpr size_t kSharedUsual = 48 << 10;  // bytes of a block
inline constexpr size_t kSharedMost = 227 << 10;
inline constexpr size_t kSharedOfProcessor = 228 << 10;
inline constexpr size_t kSharedReserved = 1 << 10;  // of each block
inline constexpr int kThreadsOfProcessor = 2048;
inline constexpr int kBlocksOfProcessor = 32;
inline constexpr int kProcessors = 132;
inline constexpr size_t kConstant = 64 << 10;
inline constexpr int kRegisters = 65536;

}  // namespace simt::limits
