// Lanes: functions of Eigen, with the same bits wherever an element stands.
//
// Eigen computes 4 to 16 elements at a time, in the lanes of a vector register, and those
// that are left over one by one, by another formula. So the exp of the 9th of 9 elements
// would differ from that of the 9th of 16. Here every element goes through lanes: those
// left over are put into a full set of lanes, the rest of which is not read.
//
// Read next  kernels/cpu/cwise/cwise.h

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/cpu/common/eigen_view.h"

namespace minitf {

/// As many elements as fit the widest vector register there is, or several of a narrower.
template <typename T>
using Lanes = Eigen::Array<T, 64 / sizeof(T), 1>;

/// y[i] = f(x[i]), for `count` elements; x and y may be the same memory. f gets Lanes,
/// and returns Lanes or an Eigen expression of their size.
template <typename T, typename Function>
void ForLanes(const T* x, T* y, int64_t count, const Function& f) {
  constexpr int64_t kSize = Lanes<T>::SizeAtCompileTime;
  int64_t i = 0;
  for (; i + kSize <= count; i += kSize) {
    const Lanes<T> lanes = Eigen::Map<const Lanes<T>>(x + i);
    Eigen::Map<Lanes<T>>(y + i) = f(lanes);
  }
  if (i == count) return;
  Lanes<T> lanes = Lanes<T>::Ones();
  std::copy(x + i, x + count, lanes.data());
  const Lanes<T> results = f(lanes);
  std::copy_n(results.data(), count - i, y + i);
}

/// The first `count` elements at `from`, at most as many as there are lanes, and zeros.
template <typename T>
Lanes<T> LoadLanes(const T* from, int64_t count) {
  if (count >= Lanes<T>::SizeAtCompileTime) return Eigen::Map<const Lanes<T>>(from);
  Lanes<T> lanes = Lanes<T>::Zero();
  std::copy_n(from, count, lanes.data());
  return lanes;
}

/// Writes the first `count` lanes to `to`, or all if there are not so many.
template <typename T>
void StoreLanes(const Lanes<T>& lanes, int64_t count, T* to) {
  if (count >= Lanes<T>::SizeAtCompileTime) {
    Eigen::Map<Lanes<T>> memory(to);
    memory = lanes;
  } else {
    std::copy_n(lanes.data(), count, to);
  }
}

// ---- Functions of which Eigen's own are not right everywhere --------------------------

namespace internal {

// One element, or the packet of elements that Eigen has in a register.
template <typename T>
struct ExactSqrt {
  T operator()(const T& x) const { return std::sqrt(x); }

  template <typename Packet>
  Packet packetOp(const Packet& x) const {
    alignas(64) T elements[Eigen::internal::unpacket_traits<Packet>::size];
    Eigen::internal::pstore(elements, x);
    for (T& element : elements) element = std::sqrt(element);  // one instruction for all
    return Eigen::internal::pload<Packet>(elements);
  }
};

template <typename T>
struct ExactLog {
  T operator()(const T& x) const { return std::log(x); }

  template <typename Packet>
  Packet packetOp(const Packet& x) const {
    namespace eigen = Eigen::internal;
    constexpr T kGrowth = T(1 << 30) * T(1 << 30);
    constexpr auto kLogOfGrowth = T(41.588830833596718565);  // 60 log 2
    const auto all = [](T number) { return eigen::pset1<Packet>(number); };
    const Packet is_small = eigen::pcmp_lt(x, all(std::numeric_limits<T>::min()));
    if (!eigen::predux_any(is_small)) [[likely]]
      return eigen::plog(x);
    const Packet grown = eigen::pselect(is_small, eigen::pmul(x, all(kGrowth)), x);
    return eigen::psub(eigen::plog(grown), eigen::pand(is_small, all(kLogOfGrowth)));
  }
};

}  // namespace internal

/// e^x. Eigen's exp does not go below the smallest normal number; its square goes to 0.
template <typename Array>
auto ExpOf(const Array& x) {
  return (x * typename Array::Scalar(0.5)).exp().square();
}

/// The root of x. That of Eigen is an estimate made better: nan for infinity, 0 for the
/// smallest numbers. The processor's own is exact.
template <typename Array>
auto SqrtOf(const Array& x) {
  return x.unaryExpr(internal::ExactSqrt<typename Array::Scalar>());
}

/// The natural logarithm. Eigen takes all numbers below the smallest normal one for that
/// one, so they are made larger first.
template <typename Array>
auto LogOf(const Array& x) {
  return x.unaryExpr(internal::ExactLog<typename Array::Scalar>());
}

}  // namespace minitf

namespace Eigen::internal {

// Tells Eigen that the two have a packetOp.
template <typename T>
struct functor_traits<minitf::internal::ExactSqrt<T>> {
  enum { Cost = functor_traits<scalar_sqrt_op<T>>::Cost, PacketAccess = 1 };  // NOLINT
};
template <typename T>
struct functor_traits<minitf::internal::ExactLog<T>> {
  enum { Cost = functor_traits<scalar_log_op<T>>::Cost, PacketAccess = 1 };  // NOLINT
};

}  // namespace Eigen::internal
