// Drawing the outlines of boxes on the CPU.
//
// Op         minitf/contrib/detection/detection_ops.cc
// Compare    tensorflow/core/kernels/draw_bounding_box_op.cc

#include <algorithm>
#include <cmath>
#include <vector>

#include "minitf/framework/op_kernel.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

using Color = std::vector<float>;

// Yellow, blue, red, lime, purple, olive, maroon, navy, aqua and fuchsia.
std::vector<Color> DefaultColors(int64_t depth) {
  if (depth == 1) return {{1}};
  return {{1, 1, 0, 1},     {0, 0, 1, 1},     {1, 0, 0, 1},   {0, 1, 0, 1},
          {0.5, 0, 0.5, 1}, {0.5, 0.5, 0, 1}, {0.5, 0, 0, 1}, {0, 0, 0.5, 1},
          {0, 1, 1, 1},     {1, 0, 1, 1}};
}

std::vector<Color> ColorsOf(const Tensor& colors, int64_t depth) {
  Require(colors.rank() == 2, "colors must be a matrix, their shape is ", colors.shape());
  Require(colors.dim(1) >= depth, "colors must have at least ", depth,
          " channels as the images have, their shape is ", colors.shape());
  if (colors.num_elements() == 0) return DefaultColors(depth);
  std::vector<Color> list;
  for (int64_t i = 0; i < colors.dim(0); ++i) {
    const auto color = colors.flat<float>().subspan(i * colors.dim(1), colors.dim(1));
    list.emplace_back(color.begin(), color.end());
  }
  return list;
}

// The pixel at `end` of an axis of `size` pixels. A pixel far outside stays outside.
int64_t PixelAt(float end, int64_t size) {
  const float pixel = end * static_cast<float>(size - 1);
  return static_cast<int64_t>(std::clamp(pixel, -2.0F, static_cast<float>(size) + 1));
}

template <typename T>
class Canvas {
 public:
  Canvas(T* pixels, int64_t height, int64_t width, int64_t depth)
      : pixels_(pixels), height_(height), width_(width), depth_(depth) {}

  // Draws the sides of `box` that are inside; none if the box is outside or inverted.
  void Outline(std::span<const float> box, const Color& color) {
    const int64_t top = PixelAt(box[0], height_);
    const int64_t left = PixelAt(box[1], width_);
    const int64_t bottom = PixelAt(box[2], height_);
    const int64_t right = PixelAt(box[3], width_);
    if (top > bottom || left > right || top >= height_ || bottom < 0 || left >= width_ ||
        right < 0) {
      return;
    }
    for (int64_t x = std::max<int64_t>(left, 0); x <= std::min(right, width_ - 1); ++x) {
      Set(top, x, color);
      Set(bottom, x, color);
    }
    for (int64_t y = std::max<int64_t>(top, 0); y <= std::min(bottom, height_ - 1); ++y) {
      Set(y, left, color);
      Set(y, right, color);
    }
  }

 private:
  void Set(int64_t y, int64_t x, const Color& color) {
    if (y < 0 || y >= height_ || x < 0 || x >= width_) return;
    std::transform(color.begin(), color.begin() + depth_,
                   pixels_ + (y * width_ + x) * depth_,
                   [](float value) { return static_cast<T>(value); });
  }

  T* pixels_;
  int64_t height_;
  int64_t width_;
  int64_t depth_;
};

// Both versions; the second one has colors.
class DrawBoundingBoxesOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& images = ctx->input(0);  // [N,H,W,C]
    const Tensor& boxes = ctx->input(1);   // [N,n,4]
    Require(images.rank() == 4, "images must be 4-D, their shape is ", images.shape());
    const int64_t depth = images.dim(3);
    Require(depth == 1 || depth == 3 || depth == 4,
            "images must have 1, 3 or 4 channels, have ", depth);
    Require(boxes.rank() == 3 && boxes.dim(0) == images.dim(0) && boxes.dim(2) == 4,
            "boxes must have shape [", images.dim(0), ",?,4], their shape is ",
            boxes.shape());
    for (const float end : boxes.flat<float>()) {
      Require(!std::isnan(end), "boxes must be numbers, one has an end at ", end);
    }
    const std::vector<Color> colors =
        ctx->num_inputs() > 2 ? ColorsOf(ctx->input(2), depth) : DefaultColors(depth);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, images.shape(), &y));
    if (y->num_elements() == 0) return;
    if (images.dtype() == DType::kFloat32) {
      Draw<float>(images, boxes, colors, y);
    } else {
      Draw<float16>(images, boxes, colors, y);
    }
  }

 private:
  template <typename T>
  static void Draw(const Tensor& images, const Tensor& boxes,
                   const std::vector<Color>& colors, Tensor* y) {
    std::ranges::copy(images.flat<T>(), y->mutable_flat<T>().begin());
    const int64_t size = y->num_elements() / y->dim(0);
    for (int64_t image = 0; image < y->dim(0); ++image) {
      Canvas<T> canvas(y->mutable_flat<T>().data() + image * size, y->dim(1), y->dim(2),
                       y->dim(3));
      for (int64_t i = 0; i < boxes.dim(1); ++i) {
        const int64_t offset = (image * boxes.dim(1) + i) * 4;
        canvas.Outline(boxes.flat<float>().subspan(offset, 4), colors[i % colors.size()]);
      }
    }
  }
};
REGISTER_KERNEL(Kernel("DrawBoundingBoxes").On(Device::kCpu), DrawBoundingBoxesOp);
REGISTER_KERNEL(Kernel("DrawBoundingBoxesV2").On(Device::kCpu), DrawBoundingBoxesOp);

}  // namespace
}  // namespace minitf
