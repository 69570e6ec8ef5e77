// Resizing images on the CPU: a weighted sum of rows, then of the pixels of that row.
//
//   row[x]         = sum over k of  wy[k] * images[n, iy[k], x]     for all x of the old
//   result[n,y,x'] = sum over k of  wx[k] * row[ix[k]]              for all x' of the new
//
// The gradient goes the same way back: it is spread over a row, and the row over rows.
//
// Op         minitf/contrib/image/image_ops.cc
// Compare    tensorflow/core/kernels/resize_bilinear_op.cc and its neighbours

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/cwise/cwise.h"
#include "minitf/contrib/image/image_scale.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

using ImageTypes = Types<int8_t, uint8_t, int16_t, uint16_t, int32_t, int64_t, float16,
                         bfloat16, float, double>;

enum class Method { kBilinear, kBicubic, kArea };

Taps TapsOf(Method method, int64_t in, int64_t out, const Sampling& sampling) {
  switch (method) {
    case Method::kBilinear: return BilinearTaps(in, out, sampling);
    case Method::kBicubic: return BicubicTaps(in, out, sampling);
    default: return AreaTaps(in, out, sampling.align_corners);
  }
}

void ReadSampling(OpKernelConstruction* c, Sampling* sampling) {
  OP_REQUIRES_OK(c, c->GetAttr("align_corners", &sampling->align_corners));
  if (c->op().FindAttr("half_pixel_centers") == nullptr) return;
  OP_REQUIRES_OK(c, c->GetAttr("half_pixel_centers", &sampling->half_pixel_centers));
  OP_REQUIRES(c, !(sampling->align_corners && sampling->half_pixel_centers),
              errors::InvalidArgument("If half_pixel_centers is True, align_corners must "
                                      "be False."));
}

// [h,w] of the result, from input 1.
std::pair<int64_t, int64_t> SidesOf(const Tensor& size) {
  Require(size.rank() == 1 && size.dim(0) == 2,
          "shape_t must have two elements, its shape is ", size.shape());
  const auto sides = size.flat<int32_t>();
  Require(sides[0] > 0 && sides[1] > 0, "output dimensions must be positive, are ",
          sides[0], " x ", sides[1]);
  return {sides[0], sides[1]};
}

void CheckImages(const Tensor& images) {
  Require(images.rank() == 4, "input image must be 4-dimensional, its shape is ",
          images.shape());
  Require(images.dim(1) > 0 && images.dim(2) > 0,
          "input image must be of non-zero size, its shape is ", images.shape());
}

// What all of these ops have in common: images [N,H,W,C], and the sides [h,w] that they
// get. Null if there is nothing to do.
Tensor* OutputOfSides(OpKernelContext* ctx) {
  const Tensor& images = ctx->input(0);
  CheckImages(images);
  const auto [height, width] = SidesOf(ctx->host_input(1));
  Tensor* output = nullptr;  // [N,h,w,C]
  ThrowIfError(
      ctx->allocate_output(0, {images.dim(0), height, width, images.dim(3)}, &output));
  return output->num_elements() == 0 ? nullptr : output;
}

template <typename T>
class ResizeOp final : public OpKernel {
 public:
  ResizeOp(OpKernelConstruction* c, Method method) : OpKernel(c), method_(method) {
    ReadSampling(c, &sampling_);
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& images = ctx->input(0);        // [N,H,W,C]
    Tensor* const resized = OutputOfSides(ctx);  // [N,h,w,C]
    if (resized == nullptr) return;

    const int64_t channels = images.dim(3);
    const int64_t height = resized->dim(1);
    const int64_t width = resized->dim(2);
    const Taps rows = TapsOf(method_, images.dim(1), height, sampling_);
    const Taps columns = TapsOf(method_, images.dim(2), width, sampling_);
    const int64_t old_row = images.dim(2) * channels;
    const int64_t new_row = width * channels;
    const T* from = images.flat<T>().data();
    float* to = resized->mutable_flat<float>().data();
    ctx->threads().ParallelFor(
        images.dim(0) * height, 2 * (old_row + new_row), [&](int64_t begin, int64_t end) {
          std::vector<float> row(static_cast<size_t>(old_row));
          for (int64_t i = begin; i < end; ++i) {
            const T* image = from + i / height * images.dim(1) * old_row;
            SumRows(image, rows, i % height, &row);
            SumPixels(row.data(), columns, channels, to + i * new_row);
          }
        });
  }

 private:
  // The sum of rows for row y of the result.
  static void SumRows(const T* image, const Taps& rows, int64_t y,
                      std::vector<float>* sum) {
    const auto size = static_cast<int64_t>(sum->size());
    float* __restrict to = sum->data();
    bool is_empty = true;
    for (int64_t k = rows.first[y]; k < rows.first[y + 1]; ++k) {
      const T* __restrict row = image + rows.index[k] * size;
      const float weight = rows.weight[k];
      if (weight == 0) continue;
      if (is_empty) {
        for (int64_t x = 0; x < size; ++x) to[x] = weight * static_cast<float>(row[x]);
      } else {
        for (int64_t x = 0; x < size; ++x) to[x] += weight * static_cast<float>(row[x]);
      }
      is_empty = false;
    }
    if (is_empty) std::ranges::fill(*sum, 0.0f);
  }

  // Most images have 1, 3 or 4 channels: the loops over these are unrolled.
  static void SumPixels(const float* row, const Taps& columns, int64_t channels,
                        float* to) {
    switch (channels) {
      case 1: return SumPixelsOf<1>(row, columns, channels, to);
      case 3: return SumPixelsOf<3>(row, columns, channels, to);
      case 4: return SumPixelsOf<4>(row, columns, channels, to);
      default: return SumPixelsOf<0>(row, columns, channels, to);
    }
  }

  // kChannels is 0 if it is not known.
  template <int kChannels>
  static void SumPixelsOf(const float* __restrict row, const Taps& columns,
                          int64_t num_channels, float* __restrict to) {
    const int64_t channels = kChannels == 0 ? num_channels : kChannels;
    const auto width = static_cast<int64_t>(columns.first.size()) - 1;
    for (int64_t x = 0; x < width; ++x, to += channels) {
      std::fill_n(to, channels, 0.0f);
      for (int64_t k = columns.first[x]; k < columns.first[x + 1]; ++k) {
        const float* pixel = row + columns.index[k] * channels;
        const float weight = columns.weight[k];
        if (weight == 0) continue;
        for (int64_t c = 0; c < channels; ++c) to[c] += weight * pixel[c];
      }
    }
  }

  const Method method_;
  Sampling sampling_;
};

template <typename T>
class ResizeGradOp final : public OpKernel {
 public:
  ResizeGradOp(OpKernelConstruction* c, Method method) : OpKernel(c), method_(method) {
    ReadSampling(c, &sampling_);
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& dy = ctx->input(0);        // [N,h,w,C]
    const Tensor& original = ctx->input(1);  // [N,H,W,C]
    CheckImages(dy);
    CheckImages(original);
    Require(dy.dim(0) == original.dim(0) && dy.dim(3) == original.dim(3),
            "grads must have the images and channels of original_image: ", dy.shape(),
            " vs. ", original.shape());
    const int64_t channels = dy.dim(3);
    const int64_t height = original.dim(1);
    const int64_t width = original.dim(2);
    Tensor* dx = nullptr;  // [N,H,W,C]
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(0, {dy.dim(0), height, width, channels}, &dx));
    if (dx->num_elements() == 0) return;

    const Taps rows = TapsOf(method_, height, dy.dim(1), sampling_);
    const Taps columns = TapsOf(method_, width, dy.dim(2), sampling_);
    const float* from = dy.flat<float>().data();
    T* to = dx->mutable_flat<T>().data();
    const int64_t old_size = height * width * channels;
    const int64_t new_size = dy.dim(1) * dy.dim(2) * channels;
    ctx->threads().ParallelFor(
        dy.dim(0), 4 * (old_size + new_size), [&](int64_t begin, int64_t end) {
          for (int64_t n = begin; n < end; ++n) {
            const std::span image(to + n * old_size, old_size);
            SpreadImage(from + n * new_size, rows, columns, width, channels, image);
          }
        });
  }

 private:
  static void SpreadImage(const float* dy, const Taps& rows, const Taps& columns,
                          int64_t width, int64_t channels, std::span<T> dx) {
    const auto new_height = static_cast<int64_t>(rows.first.size()) - 1;
    const auto new_width = static_cast<int64_t>(columns.first.size()) - 1;
    std::vector<float> sum(dx.size());
    std::vector<float> row(static_cast<size_t>(width * channels));
    for (int64_t y = 0; y < new_height; ++y) {
      std::ranges::fill(row, 0.0f);
      for (int64_t x = 0; x < new_width; ++x, dy += channels) {
        for (int64_t k = columns.first[x]; k < columns.first[x + 1]; ++k) {
          float* pixel = row.data() + columns.index[k] * channels;
          for (int64_t c = 0; c < channels; ++c) pixel[c] += columns.weight[k] * dy[c];
        }
      }
      for (int64_t k = rows.first[y]; k < rows.first[y + 1]; ++k) {
        float* to = sum.data() + rows.index[k] * width * channels;
        for (size_t x = 0; x < row.size(); ++x) to[x] += rows.weight[k] * row[x];
      }
    }
    for (size_t i = 0; i < dx.size(); ++i) dx[i] = static_cast<T>(sum[i]);
  }

  const Method method_;
  Sampling sampling_;
};

// ---- Nearest neighbour ---------------------------------------------------------------

// Moves pixels without looking at them, so it is one class for all types.
class ResizeNearestNeighborOp final : public OpKernel {
 public:
  explicit ResizeNearestNeighborOp(OpKernelConstruction* c) : OpKernel(c) {
    ReadSampling(c, &sampling_);
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& images = ctx->input(0);        // [N,H,W,C]
    Tensor* const resized = OutputOfSides(ctx);  // [N,h,w,C]
    if (resized == nullptr) return;
    const auto rows = NearestPixels(images.dim(1), resized->dim(1), sampling_);
    const auto columns = NearestPixels(images.dim(2), resized->dim(2), sampling_);
    const auto pixel =
        images.dim(3) * static_cast<int64_t>(SizeOf(images.dtype()));  // in bytes
    const auto* from = static_cast<const char*>(images.data());
    auto* to = static_cast<char*>(resized->mutable_data());
    for (int64_t n = 0; n < images.dim(0); ++n) {
      for (const int64_t y : rows) {
        const char* row = from + (n * images.dim(1) + y) * images.dim(2) * pixel;
        for (const int64_t x : columns) to = std::copy_n(row + x * pixel, pixel, to);
      }
    }
  }

 private:
  Sampling sampling_;
};

template <typename T>
class ResizeNearestNeighborGradOp final : public OpKernel {
 public:
  explicit ResizeNearestNeighborGradOp(OpKernelConstruction* c) : OpKernel(c) {
    ReadSampling(c, &sampling_);
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& dy = ctx->input(0);       // [N,h,w,C]
    Tensor* const dx = OutputOfSides(ctx);  // [N,H,W,C]
    if (dx == nullptr) return;
    const int64_t channels = dy.dim(3);
    const int64_t height = dx->dim(1);
    const int64_t width = dx->dim(2);
    const auto rows = NearestPixels(height, dy.dim(1), sampling_);
    const auto columns = NearestPixels(width, dy.dim(2), sampling_);
    std::ranges::fill(dx->mutable_flat<T>(), T{});
    const T* from = dy.flat<T>().data();
    T* to = dx->mutable_flat<T>().data();
    for (int64_t n = 0; n < dy.dim(0); ++n) {
      for (const int64_t y : rows) {
        T* row = to + (n * height + y) * width * channels;
        for (const int64_t x : columns) {
          for (int64_t c = 0; c < channels; ++c) {
            T& sum = row[x * channels + c];
            sum = static_cast<T>(sum + *from++);
          }
        }
      }
    }
  }

 private:
  Sampling sampling_;
};

// ---- Registration --------------------------------------------------------------------

// Registers KernelClass<T> for each of the types; `settings` go to its constructor.
template <template <typename> class KernelClass, typename... Ts, typename... Settings>
void RegisterForTypes(const Kernel& kernel, Types<Ts...>, Settings... settings) {
  (KernelRegistrar(Kernel(kernel).template Type<Ts>("T"),
                   [settings...](OpKernelConstruction* construction) {
                     return std::make_unique<KernelClass<Ts>>(construction, settings...);
                   }),
   ...);
}

template <typename>
using NearestNeighbor = ResizeNearestNeighborOp;

[[maybe_unused]] const bool kResizeRegistered = [] {
  const auto resize = [](const char* op) { return Kernel(op).HostMemory("size"); };
  RegisterForTypes<ResizeOp>(resize("ResizeBilinear"), ImageTypes{}, Method::kBilinear);
  RegisterForTypes<ResizeOp>(resize("ResizeBicubic"), ImageTypes{}, Method::kBicubic);
  RegisterForTypes<ResizeOp>(resize("ResizeArea"), ImageTypes{}, Method::kArea);
  RegisterForTypes<NearestNeighbor>(resize("ResizeNearestNeighbor"), ImageTypes{});
  RegisterForTypes<ResizeGradOp>(Kernel("ResizeBilinearGrad"), RealTypes{},
                                 Method::kBilinear);
  RegisterForTypes<ResizeGradOp>(Kernel("ResizeBicubicGrad"), Types<float, double>{},
                                 Method::kBicubic);
  RegisterForTypes<ResizeNearestNeighborGradOp>(
      resize("ResizeNearestNeighborGrad"),
      RealTypes{} + Types<int8_t, uint8_t, int32_t>{});
  return true;
}();

}  // namespace
}  // namespace minitf
