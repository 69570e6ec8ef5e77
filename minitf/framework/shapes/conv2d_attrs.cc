// The attributes of ops that move a window over images: read, and checked.

#include <limits>

#include "minitf/framework/shapes/conv2d_geometry.h"

namespace minitf {
namespace {

// TensorFlow keeps these attributes in 32 bits; so sums of a few of them cannot overflow.
constexpr int64_t kLargest = std::numeric_limits<int32_t>::max();

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

}  // namespace

DataFormat DataFormatFrom(const std::string& name) {
  Require(name == "NHWC" || name == "NCHW", "data_format must be NHWC or NCHW, is ",
          name);
  return name == "NHWC" ? DataFormat::kNhwc : DataFormat::kNchw;
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

}  // namespace minitf
