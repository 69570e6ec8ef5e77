// Which tier computes a convolution, or one of its gradients.
//
// Exercise   exercises/09_conv
// Read next  kernels/cpu/conv/conv2d_autotune.cc

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/cpu/conv/conv2d.h"
#include "minitf/base/lab.h"
#include "minitf/base/status.h"
#include "minitf/base/text.h"

namespace minitf {
namespace {

// Why `tier` cannot compute `part` of `g`; null if it can.
const char* WhyNot(Conv2dTier tier, Conv2dPart part, const Conv2dGeometry& g) {
  if (tier == Conv2dTier::kWinograd2x2) tier = Conv2dTier::kWinograd;  // as good for both
  // TODO(09.12) begin: return the reason, as the handout has them, or nullptr
  MINITF_TODO("09.12");
  // TODO(09.12) end
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
  // TODO(09.13) begin: return it
  MINITF_TODO("09.13");
  // TODO(09.13) end
}

}  // namespace

std::string_view NameOf(Conv2dTier tier) { return kConv2dTiers[static_cast<int>(tier)]; }

Conv2dTier ChooseConv2d(std::string_view asked, std::string_view usual, Conv2dPart part,
                        const Conv2dGeometry& g) {
  // TODO(09.13) begin: return the one asked for, the usual one if it can, or the fastest
  MINITF_TODO("09.13");
  // TODO(09.13) end
}

}  // namespace minitf
