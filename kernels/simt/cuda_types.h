// CUDA's words and vector types, for a C++ compiler.
//
// A block-scope `thread_local` is static and exists once for each thread of the operating
// system. As such a thread runs one block at a time, that is just what __shared__ means.
//
// float4 and the like are copied as one vector of 8 or 16 bytes, as a GPU does it. So
// check mode sees one access, of which it can tell whether it is aligned, and in how many
// sectors it lies.
//
// Read next  kernels/simt/cuda_threads.h

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __shared__ thread_local
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) alignas(n)

// The place of a call, as default arguments of the function that is called.
#define SIMT_SITE \
  const char *site_file = __builtin_FILE(), int site_line = __builtin_LINE()
#define SIMT_HERE \
  simt::Site { site_file, site_line }

namespace simt {

/// A place in a source file; no file if it is not known.
struct Site {
  const char* file = nullptr;
  int line = 0;
};

/// What only the host can do stands behind this. `what` is "calls cudaFree" and the like:
/// a kernel that does so ends here. `caller`: where the call returns to, if there is no
/// site.
void OnlyOnHost(const char* what, Site site, const void* caller = nullptr);

/// Copies N bytes in one access, whatever their types are.
template <size_t N>
__attribute__((always_inline)) inline void CopyWhole(void* to, const void* from) {
  if constexpr (N == 16 || N == 8) {
    using Whole __attribute__((vector_size(N), may_alias)) = char;
    *static_cast<Whole*>(to) = *static_cast<const Whole*>(from);
  } else if constexpr (N == 4) {
    using Whole __attribute__((may_alias)) = uint32_t;
    *static_cast<Whole*>(to) = *static_cast<const Whole*>(from);
  } else {
    using Whole __attribute__((may_alias)) = uint16_t;
    *static_cast<Whole*>(to) = *static_cast<const Whole*>(from);
  }
}

}  // namespace simt

// A vector that is aligned to its size and copied whole. Last comes its constructor.
#define SIMT_WHOLE_VECTOR(Name, size, members, ...)                     \
  struct alignas(size) Name {                                           \
    members;                                                            \
    __VA_ARGS__                                                         \
    Name() = default;                                                   \
    __attribute__((always_inline)) Name(const Name& other) {            \
      simt::CopyWhole<size>(this, &other);                              \
    }                                                                   \
    __attribute__((always_inline)) Name& operator=(const Name& other) { \
      simt::CopyWhole<size>(this, &other);                              \
      return *this;                                                     \
    }                                                                   \
  };

#define SIMT_VECTORS(T, Name)                                                     \
  struct Name##1 {                                                                \
    T x;                                                                          \
  };                                                                              \
  SIMT_WHOLE_VECTOR(Name##2, 2 * sizeof(T), T x; T y, constexpr Name##2(T x, T y) \
                    : x(x), y(y){})                                               \
  struct Name##3 {                                                                \
    T x, y, z;                                                                    \
  };                                                                              \
  inline Name##1 make_##Name##1(T x) { return {x}; }                              \
  inline Name##2 make_##Name##2(T x, T y) { return {x, y}; }                      \
  inline Name##3 make_##Name##3(T x, T y, T z) { return {x, y, z}; }

#define SIMT_VECTOR_OF_4(T, Name)                              \
  SIMT_WHOLE_VECTOR(Name##4, 4 * sizeof(T), T x; T y; T z;     \
                    T w, constexpr Name##4(T x, T y, T z, T w) \
                    : x(x), y(y), z(z), w(w){})                \
  inline Name##4 make_##Name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

// Four numbers of 8 bytes are two accesses on a GPU as well.
#define SIMT_WIDE_VECTOR_OF_4(T, Name) \
  struct alignas(16) Name##4 {         \
    T x, y, z, w;                      \
  };                                   \
  inline Name##4 make_##Name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

SIMT_VECTORS(signed char, char)
SIMT_VECTORS(unsigned char, uchar)
SIMT_VECTORS(short, short)
SIMT_VECTORS(unsigned short, ushort)
SIMT_VECTORS(int, int)
SIMT_VECTORS(unsigned int, uint)
SIMT_VECTORS(long long, longlong)
SIMT_VECTORS(unsigned long long, ulonglong)
SIMT_VECTORS(float, float)
SIMT_VECTORS(double, double)
SIMT_VECTOR_OF_4(signed char, char)
SIMT_VECTOR_OF_4(unsigned char, uchar)
SIMT_VECTOR_OF_4(short, short)
SIMT_VECTOR_OF_4(unsigned short, ushort)
SIMT_VECTOR_OF_4(int, int)
SIMT_VECTOR_OF_4(unsigned int, uint)
SIMT_VECTOR_OF_4(float, float)
SIMT_WIDE_VECTOR_OF_4(long long, longlong)
SIMT_WIDE_VECTOR_OF_4(unsigned long long, ulonglong)
SIMT_WIDE_VECTOR_OF_4(double, double)

/// The sizes of a grid or a block; those not given are 1.
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 sizes) : x(sizes.x), y(sizes.y), z(sizes.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
