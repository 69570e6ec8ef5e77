    // TODO(07.15) begin
    constexpr int64_t kLimit = int64_t{1} << 62;
    const auto& [size, first, last] = buffer;
    Require(size >= 0, "a buffer has size ", size);
    Require(first <= last, "a buffer lives from ", first, " to ", last);
    const int64_t pieces = size / alignment + (size % alignment == 0 ? 0 : 1);
    // Compared before it is multiplied: neither may overflow.
    const bool fits = pieces <= (kLimit - 1 - total) / alignment;
    Require(fits, "the sizes of all buffers add up to more than 2^62");
    total += pieces * alignment;
    // TODO(07.15) end

    // TODO(07.14) begin
    for (const auto& [offset, other] : placed_) {
      if (!buffers_[other].Overlaps(buffers_[buffer])) continue;
      const int64_t gap = offset - end;
      if (gap >= size && gap < best_gap) std::tie(best_gap, best_offset) = std::pair(gap, end);
      end = std::max(end, offset + RoundedUp(buffers_[other].size, alignment_));
    }
    if (best_offset < 0) best_offset = end;
    // TODO(07.14) end

  // TODO(07.15) begin
  // A buffer is freed at the time after its last one, for which an int may be too small.
  std::vector<std::pair<int64_t, int64_t>> changes;
  for (const auto& [size, first, last] : buffers) {
    const int64_t bytes = RoundedUp(size, alignment);
    changes.emplace_back(first, bytes);
    changes.emplace_back(int64_t{last} + 1, -bytes);
  }
  std::ranges::sort(changes);  // at one time, what is freed comes first
  int64_t alive = 0;
  int64_t peak = 0;
  for (const auto& [time, change] : changes) peak = std::max(peak, alive += change);
  return peak;
  // TODO(07.15) end
