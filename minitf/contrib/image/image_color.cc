// Colours on the CPU: red, green and blue, or hue, saturation and value (Smith, 1978).
//
// Value is the largest of the three, saturation how far the smallest is below it, and hue
// where on the circle red (0), green (1/3), blue (2/3) the colour lies.
//
// Op         minitf/contrib/image/image_ops.cc
// Compare    tensorflow/core/kernels/colorspace_op.h

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/cpu/cwise/cwise.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

constexpr int64_t kNanosecondsPerPixel = 10;

template <typename Real>
using Color = std::array<Real, 3>;

struct RgbToHsv {
  template <typename Real>
  static Color<Real> Of(const Color<Real>& rgb) {
    const auto [r, g, b] = rgb;
    const Real value = std::max({r, g, b});
    const Real range = value - std::min({r, g, b});
    const Real saturation = value > 0 ? range / value : Real(0);
    if (range <= 0) return {Real(0), saturation, value};
    const Real sixth = 1 / (6 * range);
    Real hue = r == value   ? (g - b) * sixth
               : g == value ? (b - r) * sixth + Real(2) / 6
                            : (r - g) * sixth + Real(4) / 6;
    if (hue < 0) hue += 1;
    return {hue, saturation, value};
  }
};

struct HsvToRgb {
  template <typename Real>
  static Color<Real> Of(const Color<Real>& hsv) {
    const auto [hue, saturation, value] = hsv;
    // How much of a full colour there is, for hues around red, green and blue.
    const Real place = hue * 6;
    const auto share = [](Real x) { return std::clamp(x, Real(0), Real(1)); };
    const Color<Real> full = {share(std::abs(place - 3) - 1),
                              share(2 - std::abs(place - 2)),
                              share(2 - std::abs(place - 4))};
    Color<Real> rgb;
    for (int i = 0; i < 3; ++i) {
      rgb[i] = (1 - saturation + saturation * full[i]) * value;
    }
    return rgb;
  }
};

template <typename T, typename Conversion>
class ColorOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& images = ctx->input(0);  // [...,3]
    OP_REQUIRES(ctx, images.rank() >= 1 && images.dim(images.rank() - 1) == 3,
                errors::InvalidArgument("input must have 3 channels, its shape is ",
                                        images.shape()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->forward_input_or_allocate_output({0}, 0, images.shape(), &output));
    const T* from = images.flat<T>().data();
    T* to = output->mutable_flat<T>().data();
    // Half precision is computed in single.
    using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
    ctx->threads().ParallelFor(
        images.num_elements() / 3, kNanosecondsPerPixel, [&](int64_t begin, int64_t end) {
          for (int64_t i = 3 * begin; i < 3 * end; i += 3) {
            const Color<Real> made = Conversion::Of(
                Color<Real>{static_cast<Real>(from[i]), static_cast<Real>(from[i + 1]),
                            static_cast<Real>(from[i + 2])});
            for (int c = 0; c < 3; ++c) to[i + c] = static_cast<T>(made[c]);
          }
        });
  }
};

const bool kColorRegistered = ForTypes(RealTypes{}, []<typename T>() {
  RegisterKernel<ColorOp<T, RgbToHsv>>(Kernel("RGBToHSV").Type<T>("T"));
  RegisterKernel<ColorOp<T, HsvToRgb>>(Kernel("HSVToRGB").Type<T>("T"));
});

}  // namespace
}  // namespace minitf
