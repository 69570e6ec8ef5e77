  // TODO(09.12) begin
  const bool is_naive = tier == Conv2dTier::kNaive;
  const bool is_im2col = tier == Conv2dTier::kIm2col;
  if (is_naive || (is_im2col && g.groups == 1)) return nullptr;
  if (g.groups != 1) return "knows no groups";
  const bool steps = g.stride_h > 1 || g.stride_w > 1;
  if (tier == Conv2dTier::kEigen || tier == Conv2dTier::kImplicit) {
    return part != Conv2dPart::kForward ? "knows no gradients" : nullptr;
  }
  if (tier == Conv2dTier::kWinograd) {
    const bool fits = g.r == 3 && g.s == 3 && g.dilation_h * g.dilation_w == 1 && !steps &&
                      part != Conv2dPart::kFilterGradient;
    return fits ? nullptr : "knows small steps and filters only";
  }
  const int64_t down = (g.r - 1) * g.dilation_h;
  const int64_t right = (g.s - 1) * g.dilation_w;
  if (down > 64 + 2 * g.h || right > 64 + 2 * g.w) return "would copy too many zeros";
  const bool is_late = part == Conv2dPart::kInputGradient && steps;
  return is_late ? "has no such gradient" : nullptr;
  // TODO(09.12) end

  // TODO(09.13) begin
  if (g.groups > 1) return Conv2dTier::kNaive;
  std::vector<Conv2dTier> wanted;
  if (g.c >= 32 && g.k >= 32) wanted.push_back(Conv2dTier::kWinograd);
  if (part != Conv2dPart::kInputGradient || g.c >= 8) wanted.push_back(Conv2dTier::kDirect);
  for (const Conv2dTier tier : wanted) {
    if (!WhyNot(tier, part, g)) return tier;
  }
  return Conv2dTier::kIm2col;
  // TODO(09.13) end

  // TODO(09.13) begin
  const std::string_view name = asked.empty() ? usual : asked;
  if (name.empty()) return Fastest(part, g);
  const Conv2dTier tier = TierCalled(name);
  const char* const reason = WhyNot(tier, part, g);
  if (reason == nullptr) return tier;
  Require(asked.empty(), name, " ", reason);
  return Fastest(part, g);
  // TODO(09.13) end
