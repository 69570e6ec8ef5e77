// Helpers for tests of ops: seeded tensors, a comparison that says where two tensors
// differ, and gradients by finite differences.
//
// The first difference is also left as properties of the running test case: "index",
// "expected", "got" and "shape". The report of a lab (python/minitf_lab/labs/report.py)
// shows them. So a test that goes from small shapes to large ones, and stops at the first
// that fails, reports the smallest shape that fails.

#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "minitf/eager/dispatch.h"
#include "minitf/framework/gradient.h"
#include "minitf/framework/op.h"
#include "minitf/tensor/tensor.h"

namespace minitf::testing {

/// A float64 tensor that holds `values`.
inline Tensor Numbers(const Shape& shape, const std::vector<double>& values) {
  return Tensor::Of(shape, values);
}

/// A float64 tensor of numbers between `low` and `high`. The same seed gives the same
/// numbers on every machine.
inline Tensor RandomTensor(const Shape& shape, unsigned seed = 1, double low = -1,
                           double high = 1) {
  std::mt19937 random(seed);
  Tensor result(DType::kFloat64, shape);
  // From raw bits, because std::uniform_real_distribution differs between libraries.
  for (double& value : result.mutable_flat<double>()) {
    value = low + (high - low) * (random() / 4294967296.0);
  }
  return result;
}

/// As RandomTensor, but float32.
inline Tensor RandomFloats(const Shape& shape, unsigned seed) {
  const Tensor numbers = RandomTensor(shape, seed);
  const auto from = numbers.flat<double>();
  return Tensor::Of(shape, std::vector<float>(from.begin(), from.end()));
}

/// The bytes that `hex`, such as "00ff", stands for.
inline std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

/// The message of the Error that `action` throws; "" if it throws none.
template <typename Action>
std::string MessageOf(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.status().message();
  }
  return "";
}

/// The elements as numbers. Requires: not string, resource or complex.
inline std::vector<double> AsDoubles(const Tensor& tensor) {
  return VisitDType(tensor.dtype(), [&]<typename T>() -> std::vector<double> {
    if constexpr (std::is_arithmetic_v<T>) {
      const auto elements = tensor.flat<T>();
      return {elements.begin(), elements.end()};
    }
    throw Error(errors::Unimplemented("no numbers: ", tensor.dtype()));
  });
}

/// The place of element `i` of a tensor of `shape`, such as "(0,2)".
inline std::string PlaceOf(int64_t i, const Shape& shape) {
  std::string place;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    place = std::to_string(i % shape.dim(axis)) + (place.empty() ? "" : ",") + place;
    i /= shape.dim(axis);
  }
  return "(" + place + ")";
}

/// Leaves a difference for the report of the running test case.
template <typename Expected, typename Got>
void RecordDifference(const std::string& index, const Expected& expected, const Got& got,
                      const std::string& shape) {
  ::testing::Test::RecordProperty("index", index);
  ::testing::Test::RecordProperty("expected", StrCat(expected));
  ::testing::Test::RecordProperty("got", StrCat(got));
  ::testing::Test::RecordProperty("shape", shape);
}

/// Whether shapes are equal and no two elements differ by more than `tolerance`, or that
/// part of the expected one if it is larger than 1. NaN is close to NaN only. Reports the
/// first elements that differ; `what` says which tensor it is, such as "dL/da".
inline ::testing::AssertionResult AllClose(const Tensor& actual, const Tensor& expected,
                                           double tolerance = 1e-9,
                                           const std::string& what = "element") {
  if (!(actual.shape() == expected.shape())) {
    RecordDifference(what, StrCat("shape ", expected.shape()),
                     StrCat("shape ", actual.shape()), StrCat(expected.shape()));
    return ::testing::AssertionFailure() << what << " has shape " << actual.shape()
                                         << ", expected " << expected.shape();
  }
  const std::vector<double> a = AsDoubles(actual);
  const std::vector<double> e = AsDoubles(expected);
  for (size_t i = 0; i < a.size(); ++i) {
    const bool equal = a[i] == e[i] || (std::isnan(a[i]) && std::isnan(e[i]));
    if (equal || std::abs(a[i] - e[i]) <= tolerance * std::fmax(1, std::abs(e[i]))) {
      continue;
    }
    const std::string place = PlaceOf(static_cast<int64_t>(i), actual.shape());
    RecordDifference(what + " " + place, e[i], a[i], StrCat(actual.shape()));
    return ::testing::AssertionFailure()
           << what << " " << place << " of " << actual.shape() << " is " << a[i]
           << ", expected " << e[i];
  }
  return ::testing::AssertionSuccess();
}

/// dL/dx for L = sum(f(x) * dy), one element of x at a time, all in float64.
inline Tensor NumericGradient(const std::function<Tensor(const Tensor&)>& f,
                              const Tensor& x, const Tensor& dy) {
  const auto loss = [&](const Tensor& at) {
    const Tensor y = f(at);
    double sum = 0;
    for (int64_t i = 0; i < y.num_elements(); ++i) {
      sum += y.flat<double>()[i] * dy.flat<double>()[i];
    }
    return sum;
  };
  const double step = 1e-5;
  Tensor gradient(DType::kFloat64, x.shape());
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    Tensor up = x.Clone();
    Tensor down = x.Clone();
    up.mutable_flat<double>()[i] += step;
    down.mutable_flat<double>()[i] -= step;
    gradient.mutable_flat<double>()[i] = (loss(up) - loss(down)) / (2 * step);
  }
  return gradient;
}

/// The first part of each of `gradients`: all of it, unless it is slices.
template <typename T>
std::vector<std::optional<T>> FirstParts(const std::vector<std::vector<T>>& gradients) {
  std::vector<std::optional<T>> found;
  for (const std::vector<T>& parts : gradients) {
    found.push_back(parts.empty() ? std::nullopt : std::optional<T>(parts[0]));
  }
  return found;
}

/// dL/d(inputs[i]) by the gradient function that is registered for `op`; Tensor() where
/// there is none. `dy` is for output 0.
inline std::vector<Tensor> RegisteredGradient(std::string_view op,
                                              const std::vector<Tensor>& inputs,
                                              Attrs attrs, const Tensor& dy) {
  EagerEmitter emitter;
  std::vector<Value> input_values;
  std::vector<Value> output_values;
  std::vector<DType> types;
  for (const Tensor& input : inputs) {
    types.push_back(input.dtype());
    input_values.push_back(emitter.Add(MakeEagerTensor(input)));
  }
  for (const Tensor& output : RunOp(op, inputs, attrs)) {
    output_values.push_back(emitter.Add(MakeEagerTensor(output)));
  }
  CompleteAttrs(FindOp(op), types, &attrs);
  std::vector<Value> dys(output_values.size(), Value::None());
  dys[0] = emitter.Add(MakeEagerTensor(dy));

  const GradientContext ctx{emitter,       FindOp(op), attrs, input_values,
                            output_values, dys,        ""};
  std::vector<Tensor> gradients;
  for (const Value value : Gradients().Get(op).fn(ctx)) {
    gradients.push_back(value.is_none() ? Tensor()
                                        : emitter.Get(emitter.Dense(value)).tensor);
  }
  return gradients;
}

/// Whether the registered gradient of `op` agrees with finite differences, for every
/// input of float64. `seed` makes dL/dy.
inline ::testing::AssertionResult GradientAgrees(std::string_view op,
                                                 const std::vector<Tensor>& inputs,
                                                 const Attrs& attrs = {},
                                                 double tolerance = 1e-6,
                                                 unsigned seed = 99) {
  const Tensor dy = RandomTensor(RunOp(op, inputs, attrs)[0].shape(), seed);
  const std::vector<Tensor> gradients = RegisteredGradient(op, inputs, attrs, dy);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].dtype() != DType::kFloat64) continue;
    const auto f = [&](const Tensor& x) {
      std::vector<Tensor> changed = inputs;
      changed[i] = x;
      return RunOp(op, changed, attrs)[0];
    };
    const auto close = AllClose(gradients[i], NumericGradient(f, inputs[i], dy),
                                tolerance, StrCat("dL/d(input ", i, ")"));
    if (!close) return close;
  }
  return ::testing::AssertionSuccess();
}

}  // namespace minitf::testing
