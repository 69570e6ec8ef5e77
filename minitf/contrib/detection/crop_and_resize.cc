// Crops of images, and their gradients, on the CPU.
//
// Row i of a crop lies at a real-valued row of the image. That is between two rows of
// pixels, or on one. The same holds for columns. CropAxis computes both positions.
//
// Op         minitf/contrib/detection/detection_ops.cc
// Compare    tensorflow/core/kernels/crop_and_resize_op.cc

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

// Where the samples of a crop lie along one axis of the image.
struct CropAxis {
  CropAxis(float low, float high, int64_t image_size, int64_t crop_size)
      : count(crop_size),
        last(static_cast<float>(image_size - 1)),
        ratio(crop_size > 1 ? last / static_cast<float>(crop_size - 1) : 0),
        first(crop_size > 1 ? low * last : 0.5F * (low + high) * last),
        step(crop_size > 1 ? (high - low) * last / static_cast<float>(crop_size - 1)
                           : 0) {}

  float At(int64_t i) const { return first + static_cast<float>(i) * step; }
  bool IsInside(int64_t i) const { return At(i) >= 0 && At(i) <= last; }

  // How much sample i moves if the low or the high end of the box moves by 1.
  float ByLow(int64_t i) const {
    return count > 1 ? last - static_cast<float>(i) * ratio : 0.5F * last;
  }
  float ByHigh(int64_t i) const {
    return count > 1 ? static_cast<float>(i) * ratio : 0.5F * last;
  }

  int64_t count;
  float last;
  float ratio;
  float first;
  float step;
};

// The two pixels along an axis that a sample lies between, and its distance from the
// lower one.
struct Neighbours {
  explicit Neighbours(float at)
      : low(static_cast<int64_t>(std::floor(at))),
        high(static_cast<int64_t>(std::ceil(at))),
        lerp(at - std::floor(at)) {}

  int64_t low;
  int64_t high;
  float lerp;
};

// The boxes, the number of the image of each, and the sizes of images and crops.
class Crops {
 public:
  Crops(const Tensor& boxes, const Tensor& box_ind, const Shape& image, int64_t height,
        int64_t width)
      : boxes_(boxes), box_ind_(box_ind), image_(image), height_(height), width_(width) {
    Require(image.rank() == 4, "the image must be 4-D, its shape is ", image);
    Require(image.dim(1) > 0 && image.dim(2) > 0,
            "image dimensions must be positive, the shape is ", image);
    Require(height > 0 && width > 0, "crop dimensions must be positive, are ", height,
            " and ", width);
    Require(box_ind.rank() == 1, "box_ind must be a vector, its shape is ",
            box_ind.shape());
    Require(boxes.rank() == 2 && boxes.dim(1) == 4 && boxes.dim(0) == box_ind.dim(0),
            "boxes must have shape [", box_ind.dim(0), ",4], their shape is ",
            boxes.shape());
    for (const float end : boxes.flat<float>()) {
      Require(std::isfinite(end), "boxes must be finite, one has an end at ", end);
    }
    for (const int32_t index : box_ind.flat<int32_t>()) {
      if (0 <= index && index < image.dim(0)) continue;
      throw Error(errors::OutOfRange("box_ind has ", index, ", which is not in [0, ",
                                     image.dim(0), ")"));
    }
  }

  int64_t count() const { return box_ind_.dim(0); }
  int64_t depth() const { return image_.dim(3); }
  int64_t height() const { return height_; }
  int64_t width() const { return width_; }

  CropAxis Rows(int64_t box) const {
    const auto ends = boxes_.flat<float>().subspan(box * 4, 4);
    return {ends[0], ends[2], image_.dim(1), height_};
  }
  CropAxis Columns(int64_t box) const {
    const auto ends = boxes_.flat<float>().subspan(box * 4, 4);
    return {ends[1], ends[3], image_.dim(2), width_};
  }

  // The offset of the first channel of a pixel in the image of `box`.
  int64_t Pixel(int64_t box, int64_t row, int64_t column) const {
    const int64_t image = box_ind_.flat<int32_t>()[box];
    return ((image * image_.dim(1) + row) * image_.dim(2) + column) * depth();
  }
  // The same in the crop of `box`.
  int64_t Sample(int64_t box, int64_t row, int64_t column) const {
    return ((box * height_ + row) * width_ + column) * depth();
  }

 private:
  const Tensor& boxes_;
  const Tensor& box_ind_;
  const Shape& image_;
  const int64_t height_;
  const int64_t width_;
};

// Calls sample(box, row, column, y, x) for all samples; y and x are positions in the
// image. Those outside of the image are passed to `outside(box, row, column)`.
template <typename Inside, typename Outside>
void ForEachSample(const Crops& crops, const Inside& inside, const Outside& outside) {
  for (int64_t box = 0; box < crops.count(); ++box) {
    const CropAxis rows = crops.Rows(box);
    const CropAxis columns = crops.Columns(box);
    for (int64_t row = 0; row < crops.height(); ++row) {
      for (int64_t column = 0; column < crops.width(); ++column) {
        if (rows.IsInside(row) && columns.IsInside(column)) {
          inside(box, row, column, rows.At(row), columns.At(column));
        } else {
          outside(box, row, column);
        }
      }
    }
  }
}

constexpr auto kNothing = [](int64_t, int64_t, int64_t) {};

template <typename Visitor>
void VisitPixels(DType dtype, const Visitor& visitor) {
  VisitDType(dtype, [&]<typename T>() {
    if constexpr (std::is_integral_v<T> || std::is_floating_point_v<T> ||
                  std::is_same_v<T, float16>) {
      visitor.template operator()<T>();
    } else {
      throw Error(errors::Unimplemented("not defined for images of ", dtype));
    }
  });
}

// ---- Forwards -------------------------------------------------------------------------

class CropAndResizeOp final : public OpKernel {
 public:
  explicit CropAndResizeOp(OpKernelConstruction* c)
      : OpKernel(c), is_nearest_(c->attrs().Get<std::string>("method") == "nearest") {
    OP_REQUIRES_OK(c, c->GetAttr("extrapolation_value", &outside_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& image = ctx->input(0);
    const Tensor& size = ctx->host_input(3);
    Require(size.rank() == 1 && size.dim(0) == 2,
            "crop_size must have two elements, its shape is ", size.shape());
    const auto sizes = size.flat<int32_t>();
    const Crops crops(ctx->input(1), ctx->input(2), image.shape(), sizes[0], sizes[1]);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(
                 0, {crops.count(), crops.height(), crops.width(), crops.depth()}, &y));
    VisitPixels(image.dtype(), [&]<typename T>() {
      Crop(crops, image.flat<T>().data(), y->mutable_flat<float>().data());
    });
  }

 private:
  template <typename T>
  void Crop(const Crops& crops, const T* from, float* to) const {
    const auto inside = [&](int64_t box, int64_t row, int64_t column, float y, float x) {
      float* sample = to + crops.Sample(box, row, column);
      if (is_nearest_) {
        const T* pixel = from + crops.Pixel(box, std::lround(y), std::lround(x));
        std::transform(pixel, pixel + crops.depth(), sample,
                       [](const T& value) { return static_cast<float>(value); });
      } else {
        Interpolate(crops, from, box, {Neighbours(y), Neighbours(x)}, sample);
      }
    };
    ForEachSample(crops, inside, [&](int64_t box, int64_t row, int64_t column) {
      std::fill_n(to + crops.Sample(box, row, column), crops.depth(), outside_);
    });
  }

  template <typename T>
  static void Interpolate(const Crops& crops, const T* from, int64_t box,
                          const std::pair<Neighbours, Neighbours>& at, float* sample) {
    const auto& [rows, columns] = at;
    const T* top_left = from + crops.Pixel(box, rows.low, columns.low);
    const T* top_right = from + crops.Pixel(box, rows.low, columns.high);
    const T* bottom_left = from + crops.Pixel(box, rows.high, columns.low);
    const T* bottom_right = from + crops.Pixel(box, rows.high, columns.high);
    const auto between = [](float a, float b, float lerp) { return a + (b - a) * lerp; };
    for (int64_t k = 0; k < crops.depth(); ++k) {
      const float top = between(static_cast<float>(top_left[k]),
                                static_cast<float>(top_right[k]), columns.lerp);
      const float bottom = between(static_cast<float>(bottom_left[k]),
                                   static_cast<float>(bottom_right[k]), columns.lerp);
      sample[k] = between(top, bottom, rows.lerp);
    }
  }

  bool is_nearest_;
  float outside_ = 0;
};
REGISTER_KERNEL(Kernel("CropAndResize").On(Device::kCpu).HostMemory("crop_size"),
                CropAndResizeOp);

// ---- Backwards ------------------------------------------------------------------------

// Crops of the shape of `grads`. Throws unless that is [number of boxes, h, w, depth].
Crops CropsOf(const Tensor& grads, const Tensor& boxes, const Tensor& box_ind,
              const Shape& image) {
  Require(grads.rank() == 4, "grads must be 4-D, their shape is ", grads.shape());
  const Crops crops(boxes, box_ind, image, grads.dim(1), grads.dim(2));
  Require(grads.dim(0) == crops.count() && grads.dim(3) == crops.depth(),
          "grads of shape ", grads.shape(), " do not fit ", crops.count(),
          " boxes in images of shape ", image);
  return crops;
}

class CropAndResizeGradImageOp final : public OpKernel {
 public:
  explicit CropAndResizeGradImageOp(OpKernelConstruction* c)
      : OpKernel(c), is_nearest_(c->attrs().Get<std::string>("method") == "nearest") {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& grads = ctx->input(0);
    const Tensor& size = ctx->host_input(3);
    Require(size.rank() == 1 && size.dim(0) == 4,
            "image_size must have four elements, its shape is ", size.shape());
    const Shape image(IntegersOf(size));
    const Crops crops = CropsOf(grads, ctx->input(1), ctx->input(2), image);
    Tensor* dx = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, image, &dx));
    VisitPixels(dx->dtype(), [&]<typename T>() {
      std::ranges::fill(dx->mutable_flat<T>(), T{});
      Scatter(crops, grads.flat<float>().data(), dx->mutable_flat<T>().data());
    });
  }

 private:
  template <typename T>
  void Scatter(const Crops& crops, const float* grads, T* dx) const {
    const auto add = [&](const float* grad, int64_t pixel, float weight) {
      for (int64_t k = 0; k < crops.depth(); ++k) {
        dx[pixel + k] = static_cast<T>(dx[pixel + k] + static_cast<T>(grad[k] * weight));
      }
    };
    const auto inside = [&](int64_t box, int64_t row, int64_t column, float y, float x) {
      const float* grad = grads + crops.Sample(box, row, column);
      if (is_nearest_) {
        return add(grad, crops.Pixel(box, std::lround(y), std::lround(x)), 1);
      }
      const Neighbours rows(y);
      const Neighbours columns(x);
      const float top = 1 - rows.lerp;
      const float left = 1 - columns.lerp;
      add(grad, crops.Pixel(box, rows.low, columns.low), top * left);
      add(grad, crops.Pixel(box, rows.low, columns.high), top * columns.lerp);
      add(grad, crops.Pixel(box, rows.high, columns.low), rows.lerp * left);
      add(grad, crops.Pixel(box, rows.high, columns.high), rows.lerp * columns.lerp);
    };
    ForEachSample(crops, inside, kNothing);
  }

  bool is_nearest_;
};
REGISTER_KERNEL(
    Kernel("CropAndResizeGradImage").On(Device::kCpu).HostMemory("image_size"),
    CropAndResizeGradImageOp);

class CropAndResizeGradBoxesOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& grads = ctx->input(0);
    const Tensor& image = ctx->input(1);
    const Tensor& boxes = ctx->input(2);
    const Crops crops = CropsOf(grads, boxes, ctx->input(3), image.shape());
    Tensor* dx = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, boxes.shape(), &dx));
    std::ranges::fill(dx->mutable_flat<float>(), 0.0F);
    VisitPixels(image.dtype(), [&]<typename T>() {
      Sum(crops, grads.flat<float>().data(), image.flat<T>().data(),
          dx->mutable_flat<float>().data());
    });
  }

 private:
  template <typename T>
  static void Sum(const Crops& crops, const float* grads, const T* image, float* dx) {
    const auto inside = [&](int64_t box, int64_t row, int64_t column, float y, float x) {
      const auto [by_y, by_x] = Slopes(crops, image, box, {Neighbours(y), Neighbours(x)},
                                       grads + crops.Sample(box, row, column));
      const CropAxis rows = crops.Rows(box);
      const CropAxis columns = crops.Columns(box);
      float* ends = dx + box * 4;
      ends[0] += by_y * rows.ByLow(row);
      ends[1] += by_x * columns.ByLow(column);
      ends[2] += by_y * rows.ByHigh(row);
      ends[3] += by_x * columns.ByHigh(column);
    };
    ForEachSample(crops, inside, kNothing);
  }

  // dL/dy and dL/dx of the position of a sample, of which `grad` is dL/dsample.
  template <typename T>
  static std::pair<float, float> Slopes(const Crops& crops, const T* image, int64_t box,
                                        const std::pair<Neighbours, Neighbours>& at,
                                        const float* grad) {
    const auto& [rows, columns] = at;
    float by_y = 0;
    float by_x = 0;
    for (int64_t k = 0; k < crops.depth(); ++k) {
      const auto pixel = [&](int64_t row, int64_t column) {
        return static_cast<float>(image[crops.Pixel(box, row, column) + k]);
      };
      const float top_left = pixel(rows.low, columns.low);
      const float top_right = pixel(rows.low, columns.high);
      const float bottom_left = pixel(rows.high, columns.low);
      const float bottom_right = pixel(rows.high, columns.high);
      by_y += grad[k] * ((1 - columns.lerp) * (bottom_left - top_left) +
                         columns.lerp * (bottom_right - top_right));
      by_x += grad[k] * ((1 - rows.lerp) * (top_right - top_left) +
                         rows.lerp * (bottom_right - bottom_left));
    }
    return {by_y, by_x};
  }
};
REGISTER_KERNEL(Kernel("CropAndResizeGradBoxes").On(Device::kCpu),
                CropAndResizeGradBoxesOp);

}  // namespace
}  // namespace minitf
