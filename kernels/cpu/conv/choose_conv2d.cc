// Which tier computes a convolution, or one of its gradients.
//
// Exercise   exercises/09_conv
// Read next  kernels/cpu/conv/conv2d_autotune.cc

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/cpu/conv/conv2d.h"
#include "minitf/base/status.h"
#include "minitf/base/text.h"

namespace minitf {
namespace {

// Whether Winograd's F(2x2,5x5) can.
bool Fits5x5(Conv2dPart part, const Conv2dGeometry& g) {
  return part != Conv2dPart::kFilterGradient && g.groups == 1 && g.r == 5 && g.s == 5 &&
         g.stride_h == 1 && g.stride_w == 1 && g.dilation_h == 1 && g.dilation_w == 1;
}

// Whether that is the fastest way: its transforms take as long as the products that they
// save where there are few channels, those of filters where there are few tiles.
bool Pays5x5(Conv2dPart part, const Conv2dGeometry& g) {
  constexpr int64_t kTiles = 64;
  const bool is_forward = part == Conv2dPart::kForward;
  const int64_t rows = is_forward ? g.p : g.h;
  const int64_t columns = is_forward ? g.q : g.w;
  const int64_t tiles = g.n * ((rows + 1) / 2) * ((columns + 1) / 2);
  return Fits5x5(part, g) && g.c >= 32 && g.k >= 32 && tiles >= kTiles;
}

// Why `tier` cannot compute `part` of `g`; null if it can.
const char* WhyNot(Conv2dTier tier, Conv2dPart part, const Conv2dGeometry& g) {
  if (tier == Conv2dTier::kWinograd2x2) tier = Conv2dTier::kWinograd;  // as good for both
  if (tier == Conv2dTier::kWinograd5x5) {
    return Fits5x5(part, g) ? nullptr
                            : "computes 5x5 filters of one group, with stride and "
                              "dilation 1, and no gradient of them";
  }
  // LAB(09.12) begin: return the reason, as the handout has them, or nullptr
  if (tier == Conv2dTier::kNaive) return nullptr;
  if (g.groups > 1) return "computes one group of channels";
  if (tier == Conv2dTier::kIm2col) return nullptr;
  const bool has_stride = g.stride_h > 1 || g.stride_w > 1;
  if (tier == Conv2dTier::kDirect) {
    // It copies all pixels between the first tap and the last, with zeros around them.
    const bool is_far = (g.r - 1) * g.dilation_h > 2 * g.h + 64 ||
                        (g.s - 1) * g.dilation_w > 2 * g.w + 64;
    if (is_far) return "computes filters that do not reach far beyond the image";
    const bool fits = part != Conv2dPart::kInputGradient || !has_stride;
    return fits ? nullptr : "computes a gradient of the input at stride 1 alone";
  }
  if (part == Conv2dPart::kFilterGradient) return "has no gradient of the filters";
  if (tier == Conv2dTier::kWinograd) {
    const bool fits =
        g.r == 3 && g.s == 3 && !has_stride && g.dilation_h == 1 && g.dilation_w == 1;
    return fits ? nullptr : "computes 3x3 filters, with stride and dilation 1";
  }
  return part == Conv2dPart::kForward ? nullptr : "has no gradients";
  // LAB(09.12) end
}

Conv2dTier TierCalled(std::string_view name) {
  const auto* found = std::find(kConv2dTiers.begin(), kConv2dTiers.end(), name);
  Require(found != kConv2dTiers.end(), "there is no tier of Conv2D called \"", name,
          "\": ",
          Join(std::vector<std::string>(kConv2dTiers.begin(), kConv2dTiers.end()), ", "));
  return static_cast<Conv2dTier>(found - kConv2dTiers.begin());
}

// The fastest one. Winograd's transforms pay from some 32 channels on: below, they take
// as long as the products that they save.
Conv2dTier Fastest(Conv2dPart part, const Conv2dGeometry& g) {
  if (Pays5x5(part, g)) return Conv2dTier::kWinograd5x5;
  // LAB(09.13) begin: return it
  if (WhyNot(Conv2dTier::kIm2col, part, g)) return Conv2dTier::kNaive;
  const bool pays = g.c >= 32 && g.k >= 32;
  if (pays && !WhyNot(Conv2dTier::kWinograd, part, g)) return Conv2dTier::kWinograd;
  // The gradient of an image of few channels would fill a part of a vector only.
  const bool fills = part != Conv2dPart::kInputGradient || g.c >= 8;
  if (fills && !WhyNot(Conv2dTier::kDirect, part, g)) return Conv2dTier::kDirect;
  return Conv2dTier::kIm2col;
  // LAB(09.13) end
}

}  // namespace

std::string_view NameOf(Conv2dTier tier) { return kConv2dTiers[static_cast<int>(tier)]; }

Conv2dTier ChooseConv2d(std::string_view asked, std::string_view usual, Conv2dPart part,
                        const Conv2dGeometry& g) {
  // LAB(09.13) begin: return the one asked for, the usual one if it can, or the fastest
  if (!asked.empty()) {
    const Conv2dTier tier = TierCalled(asked);
    const char* why_not = WhyNot(tier, part, g);
    Require(why_not == nullptr, "the tier \"", asked, "\" ",
            why_not == nullptr ? "" : why_not);
    return tier;
  }
  if (!usual.empty()) {
    const Conv2dTier tier = TierCalled(usual);
    if (!WhyNot(tier, part, g)) return tier;
  }
  return Fastest(part, g);
  // LAB(09.13) end
}

}  // namespace minitf
