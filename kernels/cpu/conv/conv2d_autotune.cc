// Computing a convolution by the tier that is asked for, chosen, or tried out.
//
// Read next  kernels/cpu/conv/conv2d_naive.cc

#include <cstdlib>
#include <string>
#include <vector>

#include "kernels/cpu/common/autotune.h"
#include "kernels/cpu/conv/conv2d.h"
#include "minitf/base/text.h"
#include "minitf/base/tier_note.h"

namespace minitf {
namespace {

constexpr std::string_view kAutotune = "autotune";

std::string_view UsualTier() {
  static const char* const usual = std::getenv("MINITF_CONV");
  return usual == nullptr ? "" : usual;
}

// What is tried: the tiers that can, but for the two that are there to be read, which
// could take seconds. The one that the sizes speak for comes first.
std::vector<std::string_view> Candidates(Conv2dPart part, const Conv2dGeometry& g) {
  std::vector<std::string_view> names = {NameOf(ChooseConv2d("", "", part, g))};
  for (const std::string_view name : kConv2dTiers) {
    if (name == names.front() || name == "naive" || name == "eigen") continue;
    if (NameOf(ChooseConv2d("", name, part, g)) == name) names.push_back(name);
  }
  return names;
}

Conv2dTier TierOf(std::string_view name, Conv2dPart part, const Conv2dGeometry& g) {
  return ChooseConv2d(name, "", part, g);
}

}  // namespace

Conv2dTier ChooseConv2d(std::string_view asked, Conv2dPart part,
                        const Conv2dGeometry& g) {
  return ChooseConv2d(asked, UsualTier() == kAutotune ? "" : UsualTier(), part, g);
}

Conv2dTier ComputeConv2d(std::string_view asked, Conv2dPart part, const Conv2dGeometry& g,
                         DType dtype, const ThreadPool& threads,
                         const std::function<void(Conv2dTier)>& compute) {
  Conv2dTier tier;
  if (asked == kAutotune || (asked.empty() && UsualTier() == kAutotune)) {
    static Autotune autotune;
    const auto names = Candidates(part, g);
    constexpr const char* kParts[] = {"", " gradient of the input",
                                      " gradient of the filters"};
    const std::string key =
        StrCat("Conv2D", kParts[static_cast<int>(part)], " of ", dtype, " [", g.n, ',',
               g.h, ',', g.w, ',', g.c, "] by [", g.r, ',', g.s, ',', g.c / g.groups, ',',
               g.k, "], strides ", g.stride_h, ' ', g.stride_w, ", dilations ",
               g.dilation_h, ' ', g.dilation_w, ", zeros ", g.pad_top, ' ', g.pad_left,
               ", result ", g.p, " x ", g.q, ", threads ", threads.num_threads());
    const int quickest = autotune.Quickest(
        key, names, [&](int way) { compute(TierOf(names[way], part, g)); });
    tier = TierOf(names[quickest], part, g);
  } else {
    tier = ChooseConv2d(asked, part, g);
  }
  NoteTier(NameOf(tier));
  compute(tier);
  return tier;
}

}  // namespace minitf
