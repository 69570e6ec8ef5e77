// Arithmetic on elements that no input can make undefined: integers wrap around, as the
// processor does it, where C++ leaves the result of an overflow open. Numbers of 16 bits
// are computed as floats; of float16, a whole row is rounded at a time.
//
// Read next  kernels/cpu/common/element_types.h

#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "minitf/tensor/half.h"

namespace minitf {

template <typename T>
inline constexpr bool kIsComplex = false;
template <typename T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

namespace internal {

// An unsigned type as wide as T, and not so narrow that C++ would widen it to int, which
// may overflow again.
template <typename T>
struct Unsigned {
  using type = std::conditional_t<(sizeof(T) < sizeof(int)), unsigned int,
                                  std::make_unsigned_t<T>>;
};

}  // namespace internal

template <typename T>
constexpr T WrapAdd(const T& x, const T& y) {
  if constexpr (std::is_integral_v<T>) {
    using Wide = typename internal::Unsigned<T>::type;
    return static_cast<T>(static_cast<Wide>(x) + static_cast<Wide>(y));
  } else {
    return x + y;
  }
}

template <typename T>
constexpr T WrapSubtract(const T& x, const T& y) {
  if constexpr (std::is_integral_v<T>) {
    using Wide = typename internal::Unsigned<T>::type;
    return static_cast<T>(static_cast<Wide>(x) - static_cast<Wide>(y));
  } else {
    return x - y;
  }
}

template <typename T>
constexpr T WrapMultiply(const T& x, const T& y) {
  if constexpr (std::is_integral_v<T>) {
    using Wide = typename internal::Unsigned<T>::type;
    return static_cast<T>(static_cast<Wide>(x) * static_cast<Wide>(y));
  } else {
    return x * y;
  }
}

// ---- Rows -----------------------------------------------------------------------------

/// float for the types that are computed as float, T for all others.
template <typename T>
using ComputeType = std::conditional_t<kIsHalf<T>, float, T>;

/// How many elements are widened at a time: three pieces stay in the first cache.
constexpr int64_t kPiece = 1024;

/// to[i] = f(i) for `count` elements. What `f` gives becomes T; of 16 bits it is a float.
/// `f` is called once for each i, in order, and may read to[i] and what comes after.
template <typename T, typename Function>
void StoreEach(int64_t count, T* to, const Function& f) {
  int64_t i = 0;
  // The compiler rounds several at a time to bfloat16 by itself, but not to float16.
  if constexpr (std::is_same_v<T, float16>) {
    constexpr int64_t kFew = 8;  // are sooner rounded one by one
    float wide[kPiece];
    while (count - i > kFew) {
      const int64_t size = std::min(kPiece, count - i);
      for (int64_t k = 0; k < size; ++k) wide[k] = f(i + k);
      Narrow(wide, to + i, size);
      i += size;
    }
  }
  for (; i < count; ++i) to[i] = static_cast<T>(f(i));
}

/// to[i] = join(to[i], from[i]) for `count` elements. `join` gets two of ComputeType<T>.
template <typename T, typename Join>
void JoinInto(const T* from, int64_t count, T* to, const Join& join) {
  using C = ComputeType<T>;
  StoreEach(count, to, [&](int64_t i) {
    return join(static_cast<C>(to[i]), static_cast<C>(from[i]));
  });
}

}  // namespace minitf
