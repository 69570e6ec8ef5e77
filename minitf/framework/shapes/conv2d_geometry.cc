// Sizes of convolutions and poolings: reading the attributes, and the formulas.

#include "minitf/framework/shapes/conv2d_geometry.h"

#include <algorithm>
#include <array>
#include <limits>

#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// TensorFlow keeps these attributes in 32 bits; so sums of a few of them cannot overflow.
constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();

constexpr int64_t kTooLong = int64_t{1} << 60;

// Where the axes stand in a list of four: the batch, rows, columns and channels.
struct AxisOrder {
  int n, h, w, c;
};

AxisOrder OrderOf(DataFormat format) {
  return format == DataFormat::kNhwc ? AxisOrder{0, 1, 2, 3} : AxisOrder{0, 2, 3, 1};
}

std::string Text(const std::vector<int64_t>& list) { return StrCat(AttrValue(list)); }

// A list of four numbers of at least 1, in the order of the axes. `what` names it.
std::vector<int64_t> FourPositive(const Attrs& attrs, std::string_view name,
                                  std::string_view what) {
  const auto& list = attrs.Get<std::vector<int64_t>>(name);
  Require(list.size() == 4, what, " field must specify 4 dimensions, is ", Text(list));
  for (const int64_t value : list) {
    Require(0 < value && value <= kLargest, what, " should be larger than 0, and fit in ",
            "32 bits: ", Text(list));
  }
  return list;
}

Padding PaddingFrom(const std::string& name) {
  if (name == "VALID") return Padding::kValid;
  if (name == "SAME") return Padding::kSame;
  Require(name == "EXPLICIT", "padding must be SAME, VALID or EXPLICIT, is ", name);
  return Padding::kExplicit;
}

// Reads explicit_paddings: two numbers an axis, in the order of the axes.
void ReadExplicitPaddings(const std::vector<int64_t>& list, Conv2dAttrs* result) {
  if (result->padding != Padding::kExplicit) {
    Require(list.empty(), "explicit_paddings attribute must be empty if the padding ",
            "attribute is not EXPLICIT, is ", Text(list));
    return;
  }
  Require(list.size() == 8,
          "explicit_paddings attribute must contain 8 values, but got: ", list.size());
  for (const int64_t value : list) {
    Require(0 <= value && value <= kLargest,
            "All elements of explicit_paddings must be nonnegative, and fit in 32 bits: ",
            Text(list));
  }
  const AxisOrder axis = OrderOf(result->format);
  for (const int i : {axis.n, axis.c}) {
    Require(list[2 * i] == 0 && list[2 * i + 1] == 0,
            "Current implementation does not support padding in the batch and depth ",
            "dimensions: ", Text(list));
  }
  result->rows.pad_before = list[2 * axis.h];
  result->rows.pad_after = list[2 * axis.h + 1];
  result->columns.pad_before = list[2 * axis.w];
  result->columns.pad_after = list[2 * axis.w + 1];
}

// What convolutions and poolings have in common. `strides` is checked already.
Conv2dAttrs ReadCommon(const Attrs& attrs, const std::vector<int64_t>& strides) {
  Conv2dAttrs result;
  if (attrs.Find("data_format") != nullptr) {
    result.format = DataFormatFrom(attrs.Get<std::string>("data_format"));
  }
  result.padding = PaddingFrom(attrs.Get<std::string>("padding"));
  const AxisOrder axis = OrderOf(result.format);
  result.rows.stride = strides[axis.h];
  result.columns.stride = strides[axis.w];
  return result;
}

void RequireOneInBatchAndDepth(const std::vector<int64_t>& list, DataFormat format,
                               std::string_view what) {
  const AxisOrder axis = OrderOf(format);
  Require(list[axis.n] == 1 && list[axis.c] == 1,
          "Current implementation does not yet support ", what,
          " in the batch and depth dimensions. They are ", Text(list));
}

void ReadDilations(const std::vector<int64_t>& list, Conv2dAttrs* result) {
  RequireOneInBatchAndDepth(list, result->format, "dilations");
  const AxisOrder axis = OrderOf(result->format);
  result->rows.dilation = list[axis.h];
  result->columns.dilation = list[axis.w];
}

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
  const AxisOrder axis = OrderOf(attrs.format);
  g->format = attrs.format;
  g->n = x.dim(axis.n), g->h = x.dim(axis.h), g->w = x.dim(axis.w), g->c = x.dim(axis.c);
  g->stride_h = attrs.rows.stride, g->stride_w = attrs.columns.stride;
  g->dilation_h = attrs.rows.dilation, g->dilation_w = attrs.columns.dilation;

  const auto rows = SlidingWindow::Of(g->h, g->r, attrs.padding, attrs.rows);
  const auto columns = SlidingWindow::Of(g->w, g->s, attrs.padding, attrs.columns);
  g->p = rows.places, g->q = columns.places;
  g->pad_top = rows.pad_before, g->pad_bottom = rows.pad_after;
  g->pad_left = columns.pad_before, g->pad_right = columns.pad_after;
  g->groups = 1;
}

}  // namespace

DataFormat DataFormatFrom(const std::string& name) {
  Require(name == "NHWC" || name == "NCHW", "data_format must be NHWC or NCHW, is ",
          name);
  return name == "NHWC" ? DataFormat::kNhwc : DataFormat::kNchw;
}

PartialShape ShapeFromFormat(DataFormat format, int64_t n, int64_t h, int64_t w,
                             int64_t c) {
  return format == DataFormat::kNhwc ? PartialShape{n, h, w, c}
                                     : PartialShape{n, c, h, w};
}

Conv2dAttrs Conv2dAttrs::Of(const Attrs& attrs) {
  const auto strides = FourPositive(attrs, "strides", "Sliding window strides");
  Conv2dAttrs result = ReadCommon(attrs, strides);
  RequireOneInBatchAndDepth(strides, result.format, "strides");
  if (attrs.Find("dilations") != nullptr) {
    ReadDilations(FourPositive(attrs, "dilations", "Dilated rates"), &result);
  }
  if (attrs.Find("explicit_paddings") != nullptr) {
    ReadExplicitPaddings(attrs.Get<std::vector<int64_t>>("explicit_paddings"), &result);
  }
  return result;
}

PoolAttrs PoolAttrs::Of(const Attrs& attrs) {
  const auto window = FourPositive(attrs, "ksize", "Sliding window ksize");
  const auto strides = FourPositive(attrs, "strides", "Sliding window strides");
  PoolAttrs result;
  static_cast<Conv2dAttrs&>(result) = ReadCommon(attrs, strides);

  const AxisOrder axis = OrderOf(result.format);
  Require(window[axis.n] == 1 && strides[axis.n] == 1,
          "Pooling is not yet supported on the batch dimension. ksize is ", Text(window),
          ", strides are ", Text(strides));
  result.window_h = window[axis.h], result.window_w = window[axis.w];
  result.window_c = window[axis.c];
  Require(result.window_c == 1 || (result.window_h == 1 && result.window_w == 1),
          "Pooling supports exactly one of pooling across depth or pooling across ",
          "width/height. ksize is ", Text(window));
  Require(result.window_c == 1 || (strides[axis.h] == 1 && strides[axis.w] == 1),
          "Depthwise pooling requires strides of 1 across width/height: ", Text(strides));
  Require(strides[axis.c] == result.window_c,
          "Depthwise pooling requires the depth window to equal the depth stride: ",
          result.window_c, " vs ", strides[axis.c]);
  return result;
}

PoolAttrs PoolAttrs::OfPatches(const Attrs& attrs) {
  const auto window = FourPositive(attrs, "ksizes", "Sliding window ksizes");
  const auto strides = FourPositive(attrs, "strides", "Sliding window strides");
  PoolAttrs result;
  static_cast<Conv2dAttrs&>(result) = ReadCommon(attrs, strides);

  RequireOneInBatchAndDepth(window, result.format, "ksizes");
  RequireOneInBatchAndDepth(strides, result.format, "strides");
  ReadDilations(FourPositive(attrs, "rates", "Dilated rates"), &result);
  const AxisOrder axis = OrderOf(result.format);
  result.window_h = window[axis.h], result.window_w = window[axis.w];
  return result;
}

SlidingWindow SlidingWindow::Of(int64_t size, int64_t taps, Padding padding,
                                const WindowAttrs& attrs) {
  const int64_t stride = attrs.stride;
  if (size == kUnknown || taps == kUnknown) {
    const bool no_filter_needed = padding == Padding::kSame && size != kUnknown;
    const int64_t places = size == 0 ? 0 : (size - 1) / stride + 1;
    return {no_filter_needed ? places : kUnknown, attrs.pad_before, attrs.pad_after};
  }
  Require(size <= kTooLong, "an axis of ", size,
          " is too long to move a window along it");
  int64_t reach = 0;  // what the taps cover, from the first to the last
  Require(!__builtin_mul_overflow(taps - 1, attrs.dilation, &reach) &&
              !__builtin_add_overflow(reach, 1, &reach) && reach <= kTooLong,
          "a filter of ", taps, " taps at a dilation of ", attrs.dilation,
          " is too large");

  if (padding == Padding::kSame) {
    const int64_t places = size == 0 ? 0 : (size - 1) / stride + 1;
    const int64_t total =
        places == 0 ? 0 : std::max<int64_t>(0, (places - 1) * stride + reach - size);
    return {places, total / 2, total - total / 2};
  }
  const int64_t padded = size + attrs.pad_before + attrs.pad_after;
  Require(padded >= reach, "Negative dimension size caused by subtracting ", reach,
          " from ", padded, ": the filter is larger than the image with its padding");
  return {(padded - reach + stride) / stride, attrs.pad_before, attrs.pad_after};
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

  const int64_t filter_depth = w.has_rank() ? w.dim(2) : kUnknown;
  if (g.c == kUnknown || filter_depth == kUnknown || g.c == filter_depth) return g;
  Require(g.c > 0 && filter_depth > 0 && g.c % filter_depth == 0,
          "input depth must be evenly divisible by filter depth: ", g.c, " vs ",
          filter_depth);
  g.groups = g.c / filter_depth;
  Require(g.k == kUnknown || g.k % g.groups == 0,
          "output depth must be evenly divisible by number of groups: ", g.k, " vs ",
          g.groups);
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
