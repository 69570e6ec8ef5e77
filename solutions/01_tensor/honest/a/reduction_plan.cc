  // TODO(01.10) begin
  return axis.size != 1 && axis.strides[0] == 0;
  // TODO(01.10) end

  // TODO(01.10) begin
  uint64_t reduced = 1;  // may wrap around, beside a size of 0 only
  for (int axis = 0; axis < input.rank(); ++axis) {
    const int64_t size = input.dim(axis);
    if (is_reduced[axis]) {
      with_ones.push_back(1);
      reduced *= static_cast<uint64_t>(size);
    } else {
      with_ones.push_back(size);
      without.push_back(size);
    }
  }
  plan.num_reduced = static_cast<int64_t>(reduced);
  // TODO(01.10) end

  // TODO(01.10) begin
  int last = static_cast<int>(axes->size()) - 1;
  while (!IsReduced((*axes)[last])) --last;
  for (int i = 0; i < static_cast<int>(axes->size()); ++i) {
    const int64_t size = (*axes)[i].size;
    if (i < last) sizes.outer *= size;
    if (i == last) sizes.length = size;
    if (i > last) sizes.inner *= size;
  }
  axes->erase(axes->begin() + last);
  // TODO(01.10) end
