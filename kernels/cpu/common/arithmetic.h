// Arithmetic on elements that no input can make undefined: integers wrap around, as the
// processor does it, where C++ leaves the result of an overflow open.
//
// Read next  kernels/cpu/common/element_types.h

#pragma once

#include <complex>
#include <type_traits>

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

}  // namespace minitf
