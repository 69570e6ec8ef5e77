// Epilogue: what is done to the rows of a product while they are still in the cache.
//
// A dense layer is Relu(x w + b). As three kernels it writes and reads the product three
// times. The fused kernel hands each block of rows to an epilogue as soon as it has been
// multiplied:
//
//   rows [count,C]  ->  activation(rows + bias [C])
//
// What is done is named by the attribute fused_ops, a list of ops: BiasAdd, then at most
// one op of one input for which there is an element-wise loop.
//
// Compare    tensorflow/core/kernels/fused_eigen_output_kernels.h
// Read next  kernels/cpu/random/random_distributions.h

#pragma once

#include <cstdint>

#include "minitf/framework/elementwise.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {

class Epilogue {
 public:
  /// Does nothing.
  Epilogue() = default;

  /// What the attributes fused_ops and num_args ask for, for elements of type T. Leaves a
  /// status in `construction` if that makes no sense.
  static Epilogue Of(OpKernelConstruction* construction, DType dtype);

  bool is_empty() const { return !adds_bias_ && activation_ == nullptr; }
  bool adds_bias() const { return adds_bias_; }

  /// Ok if `bias` is one number for each of the channels.
  static Status CheckBias(const Tensor& bias, int64_t channels);

  /// Changes rows [count,channels] in place. `bias` is [channels]; not used if no bias is
  /// added. T is float or double, the type given to Of.
  template <typename T>
  void Apply(const T* bias, T* rows, int64_t count, int64_t channels) const;

 private:
  bool adds_bias_ = false;
  UnaryLoop activation_ = nullptr;
};

}  // namespace minitf
