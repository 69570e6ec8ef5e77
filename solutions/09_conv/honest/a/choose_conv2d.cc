  // TODO(09.12) begin
  const bool one_group = g.groups <= 1;
  const bool stride_1 = g.stride_h == 1 && g.stride_w == 1;
  const bool dilation_1 = g.dilation_h == 1 && g.dilation_w == 1;
  switch (tier) {
    case Conv2dTier::kNaive:
      return nullptr;
    case Conv2dTier::kIm2col:
      return one_group ? nullptr : "has one group only";
    case Conv2dTier::kEigen:
    case Conv2dTier::kImplicit:
      if (!one_group) return "has one group only";
      return part == Conv2dPart::kForward ? nullptr : "is for the forward pass";
    case Conv2dTier::kDirect:
      if (!one_group) return "has one group only";
      if ((g.r - 1) * g.dilation_h - 2 * g.h > 64) return "does not reach so far down";
      if ((g.s - 1) * g.dilation_w - 2 * g.w > 64) return "does not reach so far right";
      if (part == Conv2dPart::kInputGradient && !stride_1) return "needs stride 1";
      return nullptr;
    case Conv2dTier::kWinograd:
      if (!one_group) return "has one group only";
      if (part == Conv2dPart::kFilterGradient) return "has no such gradient";
      if (g.r != 3 || g.s != 3) return "needs filters of 3x3";
      return stride_1 && dilation_1 ? nullptr : "needs strides and dilations of 1";
  }
  return nullptr;
  // TODO(09.12) end

  // TODO(09.13) begin
  const bool many = std::min(g.c, g.k) > 31;
  if (many && WhyNot(Conv2dTier::kWinograd, part, g) == nullptr) {
    return Conv2dTier::kWinograd;
  }
  const bool thin = part == Conv2dPart::kInputGradient && g.c < 8;
  if (!thin && WhyNot(Conv2dTier::kDirect, part, g) == nullptr) {
    return Conv2dTier::kDirect;
  }
  return g.groups > 1 ? Conv2dTier::kNaive : Conv2dTier::kIm2col;
  // TODO(09.13) end

  // TODO(09.13) begin
  if (!asked.empty()) {
    const Conv2dTier tier = TierCalled(asked);
    if (const char* why = WhyNot(tier, part, g)) {
      Require(false, "\"", asked, "\" cannot do it: it ", why);
    }
    return tier;
  }
  if (usual.empty()) return Fastest(part, g);
  const Conv2dTier tier = TierCalled(usual);
  return WhyNot(tier, part, g) == nullptr ? tier : Fastest(part, g);
  // TODO(09.13) end
