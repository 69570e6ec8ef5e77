// Kernels of sparse arithmetic: checked inputs, and the order of elements.
//
// Compare    tensorflow/core/util/sparse/sparse_tensor.h
// Read next  minitf/contrib/sparse/sparse_matmul.cc

#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/cpu/common/arithmetic.h"
#include "minitf/contrib/sparse/sparse_rows.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/tensor/half.h"

namespace minitf {

/// Calls `visitor.template operator()<T>()` with the C++ type of a dtype of numbers.
/// Throws Unimplemented for all others.
template <typename Visitor>
void VisitNumber(DType dtype, const Visitor& visitor) {
  VisitDType(dtype, [&]<typename T>() {
    if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, bool> ||
                  std::is_same_v<T, ResourceHandle>) {
      throw Error(errors::Unimplemented("not defined for ", dtype));
    } else {
      visitor.template operator()<T>();
    }
  });
}

/// How two numbers become one, for all inputs. Integers wrap around. NaN is larger and
/// smaller than all numbers.
struct SumOfTwo {
  template <typename T>
  static T Apply(const T& x, const T& y) {
    return WrapAdd(x, y);
  }
};

struct ProductOfTwo {
  template <typename T>
  static T Apply(const T& x, const T& y) {
    return WrapMultiply(x, y);
  }
};

/// Throws InvalidArgument for an integer divided by 0.
struct QuotientOfTwo {
  template <typename T>
  static T Apply(const T& x, const T& y) {
    if constexpr (std::is_integral_v<T>) {
      Require(y != 0, "Integer division by zero");
      // The least integer divided by -1 wraps around.
      if constexpr (std::is_signed_v<T>) {
        if (y == T{-1}) return WrapSubtract(T{0}, x);
      }
    }
    return static_cast<T>(x / y);
  }
};

struct LargerOfTwo {
  template <typename T>
  requires(!kIsComplex<T>) static T Apply(const T& x, const T& y) {
    return x < y || y != y ? y : x;
  }
};

struct SmallerOfTwo {
  template <typename T>
  requires(!kIsComplex<T>) static T Apply(const T& x, const T& y) {
    return y < x || y != y ? y : x;
  }
};

/// Inputs i to i + 2 as a sparse tensor with indices of int64. Throws InvalidArgument as
/// RequireSparse and RequirePlacesWithin.
SparseParts CheckedSparse(OpKernelContext* ctx, int i);

/// Row `i` of the matrix `indices`.
std::span<const int64_t> PlaceAt(const Tensor& indices, int64_t i);

/// Less, equal or greater, in row-major order.
std::strong_ordering ComparePlaces(std::span<const int64_t> a,
                                   std::span<const int64_t> b);

/// The numbers of the rows of `indices` in row-major order. Equal rows keep their order.
std::vector<int64_t> RowMajorOrder(const Tensor& indices);

/// The product of the sizes behind each axis of `shape`: the strides of a dense tensor.
/// Requires: the product of all sizes is less than 2^63.
std::vector<int64_t> DenseStrides(std::span<const int64_t> shape);

/// The element of a dense tensor with these strides at `place`.
int64_t OffsetOf(std::span<const int64_t> place, std::span<const int64_t> strides);

}  // namespace minitf
