// Helpers for tests of convolutions: attributes in short form, numbers 1..n, and the
// three formulas term by term.

#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "minitf/eager/dispatch.h"
#include "tests/kernels/kernel_testing.h"
#include "tests/testing.h"

namespace minitf::testing {

using Sizes = std::vector<int64_t>;

/// 1, 2, 3, ... in layout order.
inline Tensor CountingFrom1(const Shape& shape) { return Counting(shape, 1); }

/// How a filter moves. Attributes of Conv2D are made of it.
struct Conv2dCase {
  Sizes strides{1, 1};
  std::string padding = "VALID";
  Sizes dilations{1, 1};
  Sizes pads{};  ///< of EXPLICIT: top, bottom, left, right

  Attrs attrs(const std::string& label = "") const {
    Sizes paddings;
    if (!pads.empty()) paddings = {0, 0, pads[0], pads[1], pads[2], pads[3], 0, 0};
    Attrs result = {{"strides", Sizes{1, strides[0], strides[1], 1}},
                    {"padding", padding},
                    {"dilations", Sizes{1, dilations[0], dilations[1], 1}},
                    {"explicit_paddings", paddings}};
    if (!label.empty()) result.Set("_kernel", label);
    return result;
  }

  /// How many places axis 0 (rows) or 1 (columns) has, and how many zeros come first.
  int64_t Places(int axis, int64_t size, int64_t taps) const {
    const int64_t reach = (taps - 1) * dilations[axis] + 1;
    if (padding == "SAME") return (size + strides[axis] - 1) / strides[axis];
    if (!pads.empty()) size += pads[2 * axis] + pads[2 * axis + 1];
    return (size - reach) / strides[axis] + 1;
  }
  int64_t ZerosBefore(int axis, int64_t size, int64_t taps) const {
    if (padding == "VALID") return 0;
    if (!pads.empty()) return pads[2 * axis];
    const int64_t reach = (taps - 1) * dilations[axis] + 1;
    const int64_t last = (Places(axis, size, taps) - 1) * strides[axis] + reach;
    return std::max<int64_t>(0, last - size) / 2;
  }
};

/// Calls term(i, j, l) for every product x[i] * w[j] that y[l] is the sum of.
template <typename Term>
void ForEachTerm(const Shape& x, const Shape& w, const Conv2dCase& c, Term term) {
  const int64_t rows = c.Places(0, x.dim(1), w.dim(0));
  const int64_t columns = c.Places(1, x.dim(2), w.dim(1));
  const int64_t top = c.ZerosBefore(0, x.dim(1), w.dim(0));
  const int64_t left = c.ZerosBefore(1, x.dim(2), w.dim(1));
  const int64_t depth = w.dim(2);
  const int64_t filters = w.dim(3);
  for (int64_t place = 0; place < x.dim(0) * rows * columns; ++place) {
    const int64_t image = place / (rows * columns);
    const int64_t p = place / columns % rows;
    const int64_t q = place % columns;
    for (int64_t tap = 0; tap < w.dim(0) * w.dim(1); ++tap) {
      const int64_t row = p * c.strides[0] + tap / w.dim(1) * c.dilations[0] - top;
      const int64_t column = q * c.strides[1] + tap % w.dim(1) * c.dilations[1] - left;
      if (row < 0 || row >= x.dim(1) || column < 0 || column >= x.dim(2)) continue;
      const int64_t pixel = (image * x.dim(1) + row) * x.dim(2) + column;
      for (int64_t in = 0; in < depth; ++in) {
        for (int64_t out = 0; out < filters; ++out) {
          term(pixel * depth + in, (tap * depth + in) * filters + out,
               place * filters + out);
        }
      }
    }
  }
}

inline Tensor Zeros(const Shape& shape) {
  return Numbers(shape, std::vector<double>(shape.num_elements()));
}

inline Shape OutputShape(const Shape& x, const Shape& w, const Conv2dCase& c) {
  return {x.dim(0), c.Places(0, x.dim(1), w.dim(0)), c.Places(1, x.dim(2), w.dim(1)),
          w.dim(3)};
}

inline Tensor ExpectedConv2d(const Tensor& x, const Tensor& w, const Conv2dCase& c) {
  Tensor y = Zeros(OutputShape(x.shape(), w.shape(), c));
  ForEachTerm(x.shape(), w.shape(), c, [&](int64_t i, int64_t j, int64_t l) {
    y.mutable_flat<double>()[l] += x.flat<double>()[i] * w.flat<double>()[j];
  });
  return y;
}

inline Tensor ExpectedInputGradient(const Shape& x, const Tensor& w, const Tensor& dy,
                                    const Conv2dCase& c) {
  Tensor dx = Zeros(x);
  ForEachTerm(x, w.shape(), c, [&](int64_t i, int64_t j, int64_t l) {
    dx.mutable_flat<double>()[i] += w.flat<double>()[j] * dy.flat<double>()[l];
  });
  return dx;
}

inline Tensor ExpectedFilterGradient(const Tensor& x, const Shape& w, const Tensor& dy,
                                     const Conv2dCase& c) {
  Tensor dw = Zeros(w);
  ForEachTerm(x.shape(), w, c, [&](int64_t i, int64_t j, int64_t l) {
    dw.mutable_flat<double>()[j] += x.flat<double>()[i] * dy.flat<double>()[l];
  });
  return dw;
}

/// `sizes` as Conv2DBackpropInput wants them.
inline Tensor SizesTensor(const Shape& sizes) {
  const auto list = sizes.sizes();
  return Tensor::Of(Shape{sizes.rank()}, std::vector<int32_t>(list.begin(), list.end()));
}

inline Tensor Conv2d(const Tensor& x, const Tensor& w, const Conv2dCase& c = {},
                     const std::string& label = "") {
  return RunOp("Conv2D", {x, w}, c.attrs(label))[0];
}
inline Tensor InputGradient(const Shape& x, const Tensor& w, const Tensor& dy,
                            const Conv2dCase& c = {}, const std::string& label = "") {
  return RunOp("Conv2DBackpropInput", {SizesTensor(x), w, dy}, c.attrs(label))[0];
}
inline Tensor FilterGradient(const Tensor& x, const Shape& w, const Tensor& dy,
                             const Conv2dCase& c = {}, const std::string& label = "") {
  return RunOp("Conv2DBackpropFilter", {x, SizesTensor(w), dy}, c.attrs(label))[0];
}

/// Paddings, strides, dilations and shapes that together reach every branch.
struct ShapedCase {
  Shape x, w;
  Conv2dCase conv;
};

inline std::vector<ShapedCase> ConvolutionTable() {
  std::vector<ShapedCase> table;
  const std::vector<std::pair<Shape, Shape>> shapes = {
      {{1, 1, 1, 1}, {1, 1, 1, 1}}, {{2, 4, 5, 3}, {1, 1, 3, 2}},
      {{2, 5, 7, 2}, {2, 3, 2, 4}}, {{1, 8, 6, 3}, {3, 2, 3, 5}},
      {{3, 7, 7, 1}, {4, 4, 1, 3}}, {{1, 9, 40, 2}, {5, 5, 2, 17}},
  };
  const std::vector<Conv2dCase> cases = {
      {},
      {.padding = "SAME"},
      {.strides = {2, 1}, .padding = "SAME"},
      {.strides = {3, 2}},
      {.strides = {3, 5}, .padding = "SAME"},
      {.padding = "SAME", .dilations = {2, 1}},
      {.strides = {1, 2}, .padding = "SAME", .dilations = {2, 3}},
      {.padding = "EXPLICIT", .pads = {1, 2, 0, 3}},
      {.strides = {2, 3},
       .padding = "EXPLICIT",
       .dilations = {1, 2},
       .pads = {4, 2, 5, 6}},
  };
  for (const auto& [x, w] : shapes) {
    for (const Conv2dCase& conv : cases) table.push_back({x, w, conv});
  }
  table.push_back({{2, 12, 12, 2}, {3, 3, 2, 3}, {.dilations = {2, 4}}});
  return table;
}

}  // namespace minitf::testing
