  // TODO(01.9) begin
  for (int i = 0; i < BroadcastPlan::kMaxInputs; ++i) {
    if (outer.strides[i] != inner.strides[i] * inner.size) return false;
  }
  return true;
  // TODO(01.9) end

  // TODO(01.9) begin
  std::vector<int64_t> strides(output.rank());
  for (int axis = 0; axis < output.rank(); ++axis) axes_[axis].size = output.dim(axis);
  for (size_t i = 0; i < inputs.size(); ++i) {
    ExpandedStrides(*inputs[i], output, strides.data());
    for (int axis = 0; axis < output.rank(); ++axis) {
      axes_[axis].strides[i] = strides[axis];
    }
  }
  // TODO(01.9) end

  // TODO(01.9) begin
  std::vector<Axis> merged;
  for (const Axis& axis : axes_) {
    if (axis.size == 1) continue;
    if (!merged.empty() && AreOneAxis(merged.back(), axis)) {
      // Wraps around only beside a size of 0, which makes 0 of it in the end.
      const uint64_t size = static_cast<uint64_t>(merged.back().size) *
                            static_cast<uint64_t>(axis.size);
      merged.back() = axis;
      merged.back().size = static_cast<int64_t>(size);
    } else {
      merged.push_back(axis);
    }
  }
  axes_ = merged;
  // TODO(01.9) end
