  // TODO(01.9) begin
  const auto size = static_cast<uint64_t>(inner.size);
  return std::ranges::equal(
      outer.strides, inner.strides, [size](uint64_t far, uint64_t near) {
        return far == size * near;
      });
  // TODO(01.9) end

  // TODO(01.9) begin
  std::ranges::transform(output.sizes(), axes_.begin(),
                         [](int64_t size) { return Axis{size, {}}; });
  std::vector<int64_t> strides(output.rank());
  for (size_t input = 0; input < inputs.size(); ++input) {
    ExpandedStrides(*inputs[input], output, strides.data());
    for (int axis = 0; axis < output.rank(); ++axis) {
      axes_[axis].strides[input] = strides[axis];
    }
  }
  // TODO(01.9) end

  // TODO(01.9) begin
  std::erase_if(axes_, [](const Axis& axis) { return axis.size == 1; });
  for (size_t i = axes_.size(); i-- > 1;) {
    const Axis inner = axes_[i];
    Axis& outer = axes_[i - 1];
    if (!AreOneAxis(outer, inner)) continue;
    outer.size = static_cast<uint64_t>(outer.size) * static_cast<uint64_t>(inner.size);
    outer.strides = inner.strides;
    axes_.erase(axes_.begin() + i);
  }
  // TODO(01.9) end
