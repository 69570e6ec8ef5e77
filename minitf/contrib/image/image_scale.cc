// Scaling an axis. All is computed in float32, as rounding decides what is nearest.
//
// Exercise   exercises/14_input
// Compare    tensorflow/core/kernels/resize_bilinear_op.cc, resize_bicubic_op.cc,
//            resize_area_op.cc, resize_nearest_neighbor_op.cc

#include "minitf/contrib/image/image_scale.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace minitf {
namespace {

// A cubic is looked up at this many places between two pixels.
constexpr float kCubicSteps = 1024;

// By what a place on the new axis is multiplied.
float ScaleOf(int64_t in, int64_t out, bool align_corners) {
  // LAB(14.16) begin: return it; of a single new pixel the corners do not count
  return align_corners && out > 1
             ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
             : static_cast<float>(in) / static_cast<float>(out);
  // LAB(14.16) end
}

// Where pixel i of the new axis lies on the old one.
float PlaceOf(int64_t i, float scale, const Sampling& sampling) {
  // LAB(14.16) begin: return it
  const auto x = static_cast<float>(i);
  return sampling.half_pixel_centers ? (x + 0.5f) * scale - 0.5f : x * scale;
  // LAB(14.16) end
}

int64_t Bound(int64_t index, int64_t in) { return std::clamp<int64_t>(index, 0, in - 1); }

Taps Reserved(int64_t out, int64_t taps) {
  Taps result;
  result.first.reserve(static_cast<size_t>(out + 1));
  result.index.reserve(static_cast<size_t>(out * taps));
  result.weight.reserve(static_cast<size_t>(out * taps));
  result.first.push_back(0);
  return result;
}

void Add(int64_t index, float weight, Taps* taps) {
  taps->index.push_back(index);
  taps->weight.push_back(weight);
}

void EndPixel(Taps* taps) {
  taps->first.push_back(static_cast<int64_t>(taps->index.size()));
}

// The cubic's value at distance x in [0, 1], and at 1 + x.
float Near(float x, float a) { return ((a + 2) * x - (a + 3)) * x * x + 1; }
float Far(float x, float a) {
  x += 1;
  return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

}  // namespace

Taps BilinearTaps(int64_t in, int64_t out, const Sampling& sampling) {
  Taps taps = Reserved(out, 2);
  // LAB(14.16) begin: Add two taps for each pixel, the lower first, then EndPixel
  const float scale = ScaleOf(in, out, sampling.align_corners);
  for (int64_t i = 0; i < out; ++i) {
    const float place = PlaceOf(i, scale, sampling);
    const float below = std::floor(place);
    const float part = place - below;
    Add(Bound(static_cast<int64_t>(below), in), 1 - part, &taps);
    Add(Bound(static_cast<int64_t>(std::ceil(place)), in), part, &taps);
    EndPixel(&taps);
  }
  // LAB(14.16) end
  return taps;
}

Taps BicubicTaps(int64_t in, int64_t out, const Sampling& sampling) {
  Taps taps = Reserved(out, 4);
  const float step = ScaleOf(in, out, sampling.align_corners);
  const bool is_keys = sampling.half_pixel_centers;
  const float a = is_keys ? -0.5f : -0.75f;
  for (int64_t i = 0; i < out; ++i) {
    const float at = PlaceOf(i, step, sampling);
    const float left = std::floor(at);
    const float part = std::nearbyint((at - left) * kCubicSteps) / kCubicSteps;
    const auto middle = static_cast<int64_t>(left);
    std::array<float, 4> weights = {Far(part, a), Near(part, a), Near(1 - part, a),
                                    Far(1 - part, a)};
    float sum = 1;
    if (is_keys) {
      sum = 0;
      for (int k = 0; k < 4; ++k) {
        const int64_t index = middle - 1 + k;
        if (Bound(index, in) != index) weights[k] = 0;
        sum += weights[k];
      }
      if (std::abs(sum) < 1000 * std::numeric_limits<float>::min()) sum = 1;
    }
    for (int k = 0; k < 4; ++k) Add(Bound(middle - 1 + k, in), weights[k] / sum, &taps);
    EndPixel(&taps);
  }
  return taps;
}

Taps AreaTaps(int64_t in, int64_t out, bool align_corners) {
  Taps taps = Reserved(out, in / out + 2);
  // LAB(14.17) begin: Add a tap for each old pixel that a new one covers
  const float scale = ScaleOf(in, out, align_corners);
  for (int64_t i = 0; i < out; ++i) {
    const float begin = static_cast<float>(i) * scale;
    const float end = static_cast<float>(i + 1) * scale;
    const auto last = static_cast<int64_t>(std::ceil(end));
    if (scale == 0) Add(0, 1, &taps);  // the corners of a single pixel
    for (auto j = static_cast<int64_t>(std::floor(begin)); j < last; ++j) {
      const float covered = std::min(static_cast<float>(j + 1), end) -
                            std::max(static_cast<float>(j), begin);
      Add(Bound(j, in), covered / scale, &taps);
    }
    EndPixel(&taps);
  }
  // LAB(14.17) end
  return taps;
}

std::vector<int64_t> NearestPixels(int64_t in, int64_t out, const Sampling& sampling) {
  std::vector<int64_t> nearest;
  nearest.reserve(static_cast<size_t>(out));
  // LAB(14.16) begin: add the nearest pixel for each new one
  const float scale = ScaleOf(in, out, sampling.align_corners);
  for (int64_t i = 0; i < out; ++i) {
    const auto x = static_cast<float>(i);
    const float place = sampling.half_pixel_centers ? (x + 0.5f) * scale : x * scale;
    const float whole = sampling.align_corners ? std::round(place) : std::floor(place);
    nearest.push_back(Bound(static_cast<int64_t>(whole), in));
  }
  // LAB(14.16) end
  return nearest;
}

}  // namespace minitf
