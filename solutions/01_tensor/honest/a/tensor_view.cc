    // TODO(01.7) begin
    for (int axis = layout_.rank() - 1; axis >= 0; --axis) {
      const int64_t size = layout_.sizes()[axis];
      const int64_t stride = layout_.strides()[axis];
      if (index_[axis] + 1 < size) {
        ++index_[axis];
        place_ += stride;
        return;
      }
      place_ -= index_[axis] * stride;
      index_[axis] = 0;
    }
    // TODO(01.7) end

  // TODO(01.6) begin
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    const int64_t size = sizes[axis];
    const int64_t stride = strides[axis];
    if (size == 1) continue;
    // A step of the run so far is a walk along this whole axis. No product is formed.
    if (!runs.empty() && runs.back().stride % size == 0 &&
        runs.back().stride / size == stride) {
      runs.back().size *= size;
      runs.back().stride = stride;
    } else {
      runs.push_back({size, stride});
    }
  }
  // TODO(01.6) end

  // TODO(01.1) begin
  if (shape.num_elements() == 0) {
    std::fill_n(strides, shape.rank(), 0);
    return;
  }
  int64_t step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[axis] = step;
    step *= shape.dim(axis);
  }
  // TODO(01.1) end

  // TODO(01.4) begin
  const int added = shape.rank() - static_cast<int>(sizes.size());
  bool can = added >= 0;
  for (size_t axis = 0; can && axis < sizes.size(); ++axis) {
    const int64_t wanted = shape.sizes()[added + axis];
    can = sizes[axis] == wanted || sizes[axis] == 1;
  }
  if (can) return added;
  // TODO(01.4) end

  // TODO(01.4) begin
  const int added = shape.rank() - static_cast<int>(sizes.size());
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axis < added || sizes[axis - added] != shape.sizes()[axis]) strides[axis] = 0;
  }
  // TODO(01.4) end

  // TODO(01.2) begin
  if (size < 0) return false;
  if (size == 0) return true;
  if (begin < 0 || begin >= limit) return false;
  if (size == 1) return true;
  if (step == 0) return false;
  // How many steps there is room for. -step might overflow.
  const int64_t room = step > 0 ? (limit - 1 - begin) / step : -(begin / step);
  return size - 1 <= room;
  // TODO(01.2) end

  // TODO(01.1) begin
  bool inside = static_cast<int>(index.size()) == rank();
  int64_t place = offset_;
  for (int axis = 0; inside && axis < rank(); ++axis) {
    inside = 0 <= index[axis] && index[axis] < sizes()[axis];
    if (inside) place += index[axis] * strides()[axis];
  }
  if (inside) return place;
  // TODO(01.1) end

  // TODO(01.5) begin
  if (IsEmpty()) return true;
  int64_t dense = 1;
  for (int axis = rank() - 1; axis >= 0; --axis) {
    if (sizes()[axis] == 1) continue;
    if (strides()[axis] != dense) return false;
    dense *= sizes()[axis];
  }
  return true;
  // TODO(01.5) end

  // TODO(01.2) begin
  int64_t& stride = result.strides_.data()[axis];
  if (size > 0) result.offset_ += begin * stride;
  // With one element or none the step may be huge; nobody walks along such an axis.
  stride = static_cast<int64_t>(static_cast<uint64_t>(stride) *
                                static_cast<uint64_t>(step));
  result.sizes_.data()[axis] = size;
  // TODO(01.2) end

  // TODO(01.2) begin
  const int64_t size = sizes()[axis];
  return Slice(axis, size - 1, -1, size);
  // TODO(01.2) end

  // TODO(01.3) begin
  bool is_order = static_cast<int>(perm.size()) == rank();
  std::vector<bool> taken(rank(), false);
  StridedLayout result = *this;
  for (int i = 0; is_order && i < rank(); ++i) {
    const int from = perm[i];
    is_order = 0 <= from && from < rank() && !taken[from];
    if (!is_order) break;
    taken[from] = true;
    result.sizes_.data()[i] = sizes()[from];
    result.strides_.data()[i] = strides()[from];
  }
  if (is_order) return result;
  // TODO(01.3) end

  // TODO(01.6) begin
  int64_t rest = 1;  // of the run that is being dealt out
  int64_t step = 0;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const int64_t size = shape.dim(axis);
    if (size == 1) continue;
    if (rest == 1) {
      rest = runs.back().size;
      step = runs.back().stride;
      runs.pop_back();
    }
    if (rest % size != 0) return std::nullopt;
    result.strides_.data()[axis] = step;
    rest /= size;
    if (rest > 1) step *= size;
  }
  // TODO(01.6) end

  // TODO(01.7) begin
  if (!tensor_.has_value()) return {};
  if (count == 0) return Tensor(tensor_.dtype(), shape);
  if (layout_.IsContiguous()) {
    const int64_t first = layout_.offset();
    const Tensor flat = tensor_.Reshaped(Shape{tensor_.num_elements()});
    return flat.Slice(first, first + count).Reshaped(shape);
  }
  Tensor result(tensor_.dtype(), shape);
  PlaceIterator at(layout_);
  for (int64_t i = 0; i < count; ++i) {
    CopyElements(tensor_, at.place(), 1, &result, i);
    at.Next();
  }
  return result;
  // TODO(01.7) end
