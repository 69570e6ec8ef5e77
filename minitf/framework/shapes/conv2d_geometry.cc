// Sizes of convolutions and poolings: the formulas.
//
// Exercise   exercises/02_registry

#include "minitf/framework/shapes/conv2d_geometry.h"

#include <algorithm>

#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

void RequireRank4(const PartialShape& shape, std::string_view what) {
  Require(!shape.has_rank() || shape.rank() == 4, what,
          " must be 4-dimensional: ", shape);
}

void RequireFilterHasTaps(const PartialShape& w) {
  Require(w.dim(0) != 0 && w.dim(1) != 0, "filter must have rows and columns: ", w);
}

// Throws InvalidArgument when the product is too large.
int64_t Product(int64_t a, int64_t b) {
  if (a == kUnknown || b == kUnknown) return kUnknown;
  int64_t product = 0;
  Require(!__builtin_mul_overflow(a, b, &product), a, " * ", b, " channels are too many");
  return product;
}

// Fills in all that comes from x and the attributes, and P and Q. `r` and `s` are set.
void PlaceWindows(const PartialShape& x, const Conv2dAttrs& attrs, Conv2dGeometry* g) {
  RequireRank4(x, "input");
  g->format = attrs.format;
  g->groups = 1;
  g->stride_h = attrs.rows.stride, g->stride_w = attrs.columns.stride;
  g->dilation_h = attrs.rows.dilation, g->dilation_w = attrs.columns.dilation;
  // LAB(02.14) begin: set n, h, w, c, and what the windows along both axes give
  const AxisOrder axis = OrderOf(attrs.format);
  g->n = x.dim(axis.n), g->h = x.dim(axis.h), g->w = x.dim(axis.w), g->c = x.dim(axis.c);
  const auto rows = SlidingWindow::Of(g->h, g->r, attrs.padding, attrs.rows);
  const auto columns = SlidingWindow::Of(g->w, g->s, attrs.padding, attrs.columns);
  g->p = rows.places, g->q = columns.places;
  g->pad_top = rows.pad_before, g->pad_bottom = rows.pad_after;
  g->pad_left = columns.pad_before, g->pad_right = columns.pad_after;
  // LAB(02.14) end
}

// Sets the groups of a convolution with filters [R,S,`filter_depth`,K].
void DivideIntoGroups(int64_t filter_depth, Conv2dGeometry* g) {
  // LAB(02.14) begin: set groups where the depths are known, or throw, naming both
  if (g->c == kUnknown || filter_depth == kUnknown || g->c == filter_depth) return;
  Require(g->c > 0 && filter_depth > 0 && g->c % filter_depth == 0,
          "input depth must be evenly divisible by filter depth: ", g->c, " vs ",
          filter_depth);
  g->groups = g->c / filter_depth;
  Require(g->k == kUnknown || g->k % g->groups == 0,
          "output depth must be evenly divisible by number of groups: ", g->k, " vs ",
          g->groups);
  // LAB(02.14) end
}

}  // namespace

AxisOrder OrderOf(DataFormat format) {
  // LAB(02.14) begin: return it
  return format == DataFormat::kNhwc ? AxisOrder{0, 1, 2, 3} : AxisOrder{0, 2, 3, 1};
  // LAB(02.14) end
}

PartialShape ShapeFromFormat(DataFormat format, int64_t n, int64_t h, int64_t w,
                             int64_t c) {
  // LAB(02.14) begin: return the shape
  return format == DataFormat::kNhwc ? PartialShape{n, h, w, c}
                                     : PartialShape{n, c, h, w};
  // LAB(02.14) end
}

Conv2dGeometry Conv2dGeometry::Of(const PartialShape& x, const PartialShape& w,
                                  const Conv2dAttrs& attrs) {
  RequireRank4(w, "filter");
  Conv2dGeometry g{};
  g.r = g.s = g.k = kUnknown;
  if (w.has_rank()) {
    RequireFilterHasTaps(w);
    g.r = w.dim(0), g.s = w.dim(1), g.k = w.dim(3);
  }
  PlaceWindows(x, attrs, &g);

  DivideIntoGroups(w.has_rank() ? w.dim(2) : kUnknown, &g);
  return g;
}

Conv2dGeometry Conv2dGeometry::OfDepthwise(const PartialShape& x, const PartialShape& w,
                                           const Conv2dAttrs& attrs) {
  RequireRank4(w, "filter");
  Conv2dGeometry g{};
  g.r = g.s = g.k = kUnknown;
  if (w.has_rank()) {
    RequireFilterHasTaps(w);
    g.r = w.dim(0), g.s = w.dim(1);
  }
  PlaceWindows(x, attrs, &g);

  if (!w.has_rank()) return g;
  const int64_t channels = w.dim(2);
  Require(g.c == kUnknown || channels == kUnknown || g.c == channels,
          "input and filter must have the same depth: ", g.c, " vs ", channels);
  if (g.c == kUnknown) g.c = channels;
  g.k = Product(g.c, w.dim(3));
  g.groups = std::max<int64_t>(1, g.c);
  return g;
}

Conv2dGeometry Conv2dGeometry::OfPool(const PartialShape& x, const PoolAttrs& attrs) {
  Conv2dGeometry g{};
  g.r = attrs.window_h, g.s = attrs.window_w;
  PlaceWindows(x, attrs, &g);

  Require(
      g.c == kUnknown || g.c % attrs.window_c == 0,
      "Depthwise pooling requires the depth window to evenly divide the input depth: ",
      attrs.window_c, " vs ", g.c);
  g.k = g.c == kUnknown ? kUnknown : g.c / attrs.window_c;
  return g;
}

Conv2dGeometry Conv2dGeometry::WithDepthAsColumns() const {
  if (k == c) return *this;
  Conv2dGeometry g{};
  g.n = n * h * w * k;
  g.w = g.s = g.stride_w = c / k;
  g.h = g.c = g.r = g.k = g.p = g.q = 1;
  g.stride_h = g.dilation_h = g.dilation_w = g.groups = 1;
  return g;
}

Conv2dGeometry Conv2dGeometry::OfPatches(const PartialShape& x, const PoolAttrs& attrs) {
  Conv2dGeometry g{};
  g.r = attrs.window_h, g.s = attrs.window_w;
  PlaceWindows(x, attrs, &g);
  g.k = Product(g.r * g.s, g.c);
  return g;
}

PartialShape Conv2dInputShape(const PartialShape& sizes, const PartialShape& w,
                              const PartialShape& dy, DataFormat format) {
  if (!sizes.has_rank() || sizes.rank() == 4) return sizes;
  Require(sizes.rank() == 2,
          "input_sizes must contain 4 values or 2 values, but got: ", sizes.rank());
  RequireRank4(w, "filter");
  RequireRank4(dy, "out_backprop");
  return ShapeFromFormat(format, dy.dim(0), sizes.dim(0), sizes.dim(1),
                         w.has_rank() ? w.dim(2) : kUnknown);
}

Shape ShapeFromSizes(const Tensor& sizes, std::string_view name) {
  Require(sizes.rank() == 1, name, " must be 1-dimensional, is ", sizes.shape());
  return Shape(IntegersOf(sizes));
}

void CheckOutputGradient(const Conv2dGeometry& g, const PartialShape& dy) {
  Require(g.output_shape().IsCompatibleWith(dy), "out_backprop has shape ", dy,
          ", but the result of the op that it belongs to has shape ", g.output_shape());
}

}  // namespace minitf
