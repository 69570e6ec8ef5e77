// What a thread knows of itself, barriers, and the exchange of values within a warp.
//
// Read next  kernels/simt/cuda_atomics.h

#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/simt/cuda_types.h"

#if defined(__SANITIZE_THREAD__)
#define SIMT_CHECK
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SIMT_CHECK
#endif
#endif

#ifdef SIMT_CHECK
// Compilers put in no hook for what they leave as a call, be it written in a kernel or a
// copy of a struct, so these names stand for the hooks in all of this file.
__asm__("memcpy = __tsan_memcpy\n memmove = __tsan_memmove\n memset = __tsan_memset");
#endif

namespace simt {

/// Where the running thread is. One for each thread of the operating system.
struct Position {
  uint3 thread, block;
  uint3 block_size, grid_size;
};
extern constinit thread_local Position position;

// The same, out of line: for check mode, where reading `position` would be an access that
// a hook sees. They are constant for a thread, so a compiler may call them once.
__attribute__((const)) uint3 UnseenThreadIndex();
__attribute__((const)) uint3 UnseenBlockIndex();
__attribute__((const)) uint3 UnseenBlockSize();
__attribute__((const)) uint3 UnseenGridSize();

/// What a warp does together. The names are those of the functions below.
enum class WarpOp : uint8_t {
  kSync,
  kShuffle,
  kShuffleUp,
  kShuffleDown,
  kShuffleXor,
  kBallot,
  kMatchAny,
  kMatchAll,
  kReduceAdd,
  kReduceMin,
  kReduceMax,
  kReduceMinSigned,
  kReduceMaxSigned,
  kReduceAnd,
  kReduceOr,
  kReduceXor,
};

/// What a lane brings, and gets.
struct WarpCall {
  WarpOp op;
  unsigned mask;       ///< the lanes that take part
  uint64_t value = 0;  ///< and, afterwards, the result
  int parameter = 0;   ///< a lane or a distance
  int width = 32;      ///< lanes of a segment: a power of two
};

/// Waits until all lanes of the mask have come with the same op.
uint64_t MeetInWarp(WarpCall call, Site site);

/// Waits for all threads of the block. Returns how many came with a predicate != 0.
int MeetInBlock(int predicate, Site site);

/// Orders what a thread has written before what it will write, for all who look.
void Fence();

/// The dynamic shared memory of the running block, on a boundary of 16 bytes.
void* DynamicShared();

/// What `assert` and `__trap` end in: reports, and gives up the launch.
[[noreturn]] void FailAssertion(const char* text, const char* function, Site site);

/// Whether this is called from a kernel.
bool IsInKernel();

template <typename T>
uint64_t AsBits(T value) {
  static_assert(sizeof(T) <= 8, "a shuffle moves up to 8 bytes");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <typename T>
T FromBits(uint64_t bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

}  // namespace simt

#if defined(SIMT_CHECK)
#define threadIdx (simt::UnseenThreadIndex())
#define blockIdx (simt::UnseenBlockIndex())
#define blockDim (dim3(simt::UnseenBlockSize()))
#define gridDim (dim3(simt::UnseenGridSize()))
#else
#define threadIdx (simt::position.thread)
#define blockIdx (simt::position.block)
#define blockDim (dim3(simt::position.block_size))
#define gridDim (dim3(simt::position.grid_size))
#endif
#define SIMT_DYNAMIC_SHARED(T, name) \
  T* const name = static_cast<T*>(simt::DynamicShared())

inline constexpr int warpSize = 32;

// ---- All threads of a block -----------------------------------------------------------

inline void __syncthreads(SIMT_SITE) { simt::MeetInBlock(0, SIMT_HERE); }
inline int __syncthreads_count(int predicate, SIMT_SITE) {
  return simt::MeetInBlock(predicate, SIMT_HERE);
}
inline int __syncthreads_or(int predicate, SIMT_SITE) {
  return simt::MeetInBlock(predicate, SIMT_HERE) > 0;
}
inline int __syncthreads_and(int predicate, SIMT_SITE) {
  return simt::MeetInBlock(!predicate, SIMT_HERE) == 0;
}
inline void __threadfence() { simt::Fence(); }
inline void __threadfence_block() { simt::Fence(); }
inline void __threadfence_system() { simt::Fence(); }

// ---- The lanes of a warp --------------------------------------------------------------

namespace simt {
inline constexpr unsigned kAllLanes = 0xffffffffU;
}

inline void __syncwarp(unsigned mask = simt::kAllLanes, SIMT_SITE) {
  simt::MeetInWarp({simt::WarpOp::kSync, mask}, SIMT_HERE);
}

#define SIMT_SHUFFLE(name, op, Parameter)                                          \
  template <typename T>                                                            \
  T name(unsigned mask, T value, Parameter parameter, int width = 32, SIMT_SITE) { \
    return simt::FromBits<T>(                                                      \
        simt::MeetInWarp({simt::WarpOp::op, mask, simt::AsBits(value),             \
                          static_cast<int>(parameter), width},                     \
                         SIMT_HERE));                                              \
  }
SIMT_SHUFFLE(__shfl_sync, kShuffle, int)
SIMT_SHUFFLE(__shfl_up_sync, kShuffleUp, unsigned)
SIMT_SHUFFLE(__shfl_down_sync, kShuffleDown, unsigned)
SIMT_SHUFFLE(__shfl_xor_sync, kShuffleXor, int)

inline unsigned __ballot_sync(unsigned mask, int predicate, SIMT_SITE) {
  return static_cast<unsigned>(
      simt::MeetInWarp({simt::WarpOp::kBallot, mask, predicate != 0}, SIMT_HERE));
}
inline int __any_sync(unsigned mask, int predicate, SIMT_SITE) {
  return simt::MeetInWarp({simt::WarpOp::kBallot, mask, predicate != 0}, SIMT_HERE) != 0;
}
inline int __all_sync(unsigned mask, int predicate, SIMT_SITE) {
  return simt::MeetInWarp({simt::WarpOp::kBallot, mask, predicate == 0}, SIMT_HERE) == 0;
}
template <typename T>
unsigned __match_any_sync(unsigned mask, T value, SIMT_SITE) {
  return static_cast<unsigned>(
      simt::MeetInWarp({simt::WarpOp::kMatchAny, mask, simt::AsBits(value)}, SIMT_HERE));
}
template <typename T>
unsigned __match_all_sync(unsigned mask, T value, int* predicate, SIMT_SITE) {
  const auto same = static_cast<unsigned>(
      simt::MeetInWarp({simt::WarpOp::kMatchAll, mask, simt::AsBits(value)}, SIMT_HERE));
  *predicate = same != 0;
  return same;
}

#define SIMT_REDUCE(name, T, op)                                             \
  inline T name(unsigned mask, T value, SIMT_SITE) {                         \
    return static_cast<T>(simt::MeetInWarp(                                  \
        {simt::WarpOp::op, mask, static_cast<unsigned>(value)}, SIMT_HERE)); \
  }
SIMT_REDUCE(__reduce_add_sync, unsigned, kReduceAdd)
SIMT_REDUCE(__reduce_add_sync, int, kReduceAdd)
SIMT_REDUCE(__reduce_min_sync, unsigned, kReduceMin)
SIMT_REDUCE(__reduce_min_sync, int, kReduceMinSigned)
SIMT_REDUCE(__reduce_max_sync, unsigned, kReduceMax)
SIMT_REDUCE(__reduce_max_sync, int, kReduceMaxSigned)
SIMT_REDUCE(__reduce_and_sync, unsigned, kReduceAnd)
SIMT_REDUCE(__reduce_or_sync, unsigned, kReduceOr)
SIMT_REDUCE(__reduce_xor_sync, unsigned, kReduceXor)

/// The threads that run together with this one: here each runs by itself.
inline unsigned __activemask() {
  const uint3 thread = threadIdx, size = blockDim;
  return 1U << ((thread.z * size.y + thread.y) * size.x + thread.x) % 32;
}

[[noreturn]] inline void __trap(SIMT_SITE) {
  simt::FailAssertion("__trap()", "", SIMT_HERE);
}

#undef assert
#if defined(NDEBUG)
#define assert(condition) (static_cast<void>(0))
#else
#define assert(condition)             \
  ((condition) ? static_cast<void>(0) \
               : simt::FailAssertion(#condition, __func__, {__FILE__, __LINE__}))
#endif
