// Traced: a float that tells somebody each time that it is read or written.
//
// How many products a tier makes can be counted on paper; which lines of memory it moves
// for them depends on the order in which it asks for numbers. So the tiers are compiled
// for this type too, and a model of a cache (tests/labs/08_matmul/cache_model.h) listens.
// It computes as a float does, and it is as large as one.
//
// Read next  kernels/cpu/gemm/micro_kernel.h

#pragma once

#include "minitf/tensor/dtype.h"

namespace minitf {

class Traced {
 public:
  /// Is told an address, and whether it is written. One thread at a time may use Traced.
  using Listener = void (*)(const void* address, bool is_written);

  /// Who is told from now on; nobody if null, as at first.
  static void TellTo(Listener listener);

  Traced() = default;                     // as a float: not set
  Traced(float value) { *this = value; }  // NOLINT: implicit, it stands for a float
  Traced(const Traced& other) { *this = other; }
  Traced& operator=(const Traced& other) { return *this = float{other}; }
  Traced& operator=(float value) {
    value_ = value;
    Tell(true);
    return *this;
  }
  Traced& operator+=(float value) { return *this = *this + value; }
  Traced& operator-=(float value) { return *this = *this - value; }
  Traced& operator*=(float value) { return *this = *this * value; }

  operator float() const {  // NOLINT: implicit, as above
    Tell(false);
    return value_;
  }

 private:
  void Tell(bool is_written) const;

  float value_;
};

/// Memory for them is that of floats.
template <>
constexpr DType DTypeOf<Traced>() {
  return DType::kFloat32;
}

}  // namespace minitf
