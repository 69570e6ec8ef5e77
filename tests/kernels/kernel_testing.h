// Short forms for tests of kernels.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/eager/dispatch.h"
#include "minitf/tensor/tensor.h"
#include "tests/testing.h"

namespace minitf::testing {

/// A vector of int32.
inline Tensor Ints(const std::vector<int32_t>& values) {
  return Tensor::Of({static_cast<int64_t>(values.size())}, values);
}

/// The tensor of `shape` of `first`, first + 1, first + 2, ... in float64.
inline Tensor Counting(const Shape& shape, double first = 0) {
  Tensor result(DType::kFloat64, shape);
  double next = first;
  for (double& element : result.mutable_flat<double>()) element = next++;
  return result;
}

/// The only output of a call.
inline Tensor OutputOf(std::string_view op, const std::vector<Tensor>& inputs,
                       Attrs attrs = {}) {
  return RunOp(op, inputs, std::move(attrs))[0];
}

/// `x` as a tensor of another dtype, rounded.
inline Tensor CastTo(DType dtype, const Tensor& x) {
  return RunOp("Cast", {x}, {{"DstT", dtype}})[0];
}

/// The message with which a call fails; "" if it does not.
inline std::string ErrorOf(std::string_view op, const std::vector<Tensor>& inputs,
                           Attrs attrs = {}) {
  try {
    RunOp(op, inputs, std::move(attrs));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// Whether `message` holds `part`.
inline ::testing::AssertionResult Says(const std::string& message,
                                       const std::string& part) {
  if (message.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "'" << part << "' is not in '" << message << "'";
}

inline std::vector<std::string> Strings(const Tensor& tensor) {
  const auto elements = tensor.flat<std::string>();
  return {elements.begin(), elements.end()};
}

/// The handle of a new variable that holds `value`.
inline Tensor NewVariable(const Tensor& value) {
  const Tensor handle =
      OutputOf("VarHandleOp", {},
               {{"dtype", value.dtype()}, {"shape", PartialShape(value.shape())}});
  RunOp("AssignVariableOp", {handle, value});
  return handle;
}

/// What the variable holds.
inline Tensor Read(const Tensor& handle, DType dtype = DType::kFloat64) {
  return OutputOf("ReadVariableOp", {handle}, {{"dtype", dtype}});
}

}  // namespace minitf::testing
