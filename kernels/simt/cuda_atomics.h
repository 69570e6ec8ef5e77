// Atomics: read, change and write, with nobody in between.
//
// Each is a loop of compare-and-swap on the bits of the number, as on a GPU that has no
// instruction for it. The order is relaxed, as there: only a fence orders other memory.
//
// Read next  kernels/simt/cuda_math.h

#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/simt/cuda_types.h"

namespace simt {

template <size_t kSize>
using BitsOfSize = std::conditional_t<kSize == 2, uint16_t,
                                      std::conditional_t<kSize == 4, uint32_t, uint64_t>>;

/// *p = change(*p); returns what was there before.
template <typename T, typename Change>
__attribute__((always_inline)) inline T Atomically(T* p, Change change) {
  using Bits = BitsOfSize<sizeof(T)>;
  auto* const memory = reinterpret_cast<Bits*>(p);
  Bits before = __atomic_load_n(memory, __ATOMIC_RELAXED);
  for (;;) {
    T old;
    __builtin_memcpy(&old, &before, sizeof(T));
    const T changed = change(old);
    Bits after;
    __builtin_memcpy(&after, &changed, sizeof(T));
    if (__atomic_compare_exchange_n(memory, &before, after, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
      return old;
    }
  }
}

template <typename T>
__attribute__((always_inline)) inline T CompareAndSwap(T* p, T expected, T value) {
  using Bits = BitsOfSize<sizeof(T)>;
  Bits before, after;
  __builtin_memcpy(&before, &expected, sizeof(T));
  __builtin_memcpy(&after, &value, sizeof(T));
  __atomic_compare_exchange_n(reinterpret_cast<Bits*>(p), &before, after, false,
                              __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  T old;
  __builtin_memcpy(&old, &before, sizeof(T));
  return old;
}

}  // namespace simt

// Three functions: for all threads of a device, of a block, and of the system. Always
// inline, so that a report names the line of who calls.
#define SIMT_INLINE __attribute__((always_inline)) inline

#define SIMT_ATOMIC(name, T, result)                                    \
  SIMT_INLINE T name(T* p, T value) {                                   \
    return simt::Atomically(p, [value](T old) -> T { return result; }); \
  }                                                                     \
  SIMT_INLINE T name##_block(T* p, T value) { return name(p, value); }  \
  SIMT_INLINE T name##_system(T* p, T value) { return name(p, value); }

#define SIMT_ATOMIC_CAS(T)                                    \
  SIMT_INLINE T atomicCAS(T* p, T expected, T value) {        \
    return simt::CompareAndSwap(p, expected, value);          \
  }                                                           \
  SIMT_INLINE T atomicCAS_block(T* p, T expected, T value) {  \
    return atomicCAS(p, expected, value);                     \
  }                                                           \
  SIMT_INLINE T atomicCAS_system(T* p, T expected, T value) { \
    return atomicCAS(p, expected, value);                     \
  }

namespace simt {
using Ulonglong = unsigned long long;
}

SIMT_ATOMIC(atomicAdd, int, static_cast<int>(static_cast<unsigned>(old) + value))
SIMT_ATOMIC(atomicAdd, unsigned, old + value)
SIMT_ATOMIC(atomicAdd, simt::Ulonglong, old + value)
SIMT_ATOMIC(atomicAdd, float, old + value)
SIMT_ATOMIC(atomicAdd, double, old + value)
SIMT_ATOMIC(atomicSub, int, static_cast<int>(static_cast<unsigned>(old) - value))
SIMT_ATOMIC(atomicSub, unsigned, old - value)
SIMT_ATOMIC(atomicExch, int, (static_cast<void>(old), value))
SIMT_ATOMIC(atomicExch, unsigned, (static_cast<void>(old), value))
SIMT_ATOMIC(atomicExch, simt::Ulonglong, (static_cast<void>(old), value))
SIMT_ATOMIC(atomicExch, float, (static_cast<void>(old), value))
SIMT_ATOMIC(atomicMin, int, old < value ? old : value)
SIMT_ATOMIC(atomicMin, unsigned, old < value ? old : value)
SIMT_ATOMIC(atomicMin, long long, old < value ? old : value)
SIMT_ATOMIC(atomicMin, simt::Ulonglong, old < value ? old : value)
SIMT_ATOMIC(atomicMax, int, old > value ? old : value)
SIMT_ATOMIC(atomicMax, unsigned, old > value ? old : value)
SIMT_ATOMIC(atomicMax, long long, old > value ? old : value)
SIMT_ATOMIC(atomicMax, simt::Ulonglong, old > value ? old : value)
SIMT_ATOMIC(atomicInc, unsigned, old >= value ? 0U : old + 1)
SIMT_ATOMIC(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)
SIMT_ATOMIC(atomicAnd, int, old& value)
SIMT_ATOMIC(atomicAnd, unsigned, old& value)
SIMT_ATOMIC(atomicAnd, simt::Ulonglong, old& value)
SIMT_ATOMIC(atomicOr, int, old | value)
SIMT_ATOMIC(atomicOr, unsigned, old | value)
SIMT_ATOMIC(atomicOr, simt::Ulonglong, old | value)
SIMT_ATOMIC(atomicXor, int, old ^ value)
SIMT_ATOMIC(atomicXor, unsigned, old ^ value)
SIMT_ATOMIC(atomicXor, simt::Ulonglong, old ^ value)
SIMT_ATOMIC_CAS(int)
SIMT_ATOMIC_CAS(unsigned)
SIMT_ATOMIC_CAS(simt::Ulonglong)
SIMT_ATOMIC_CAS(unsigned short)
