    // TODO(07.15) begin
    constexpr int64_t kLimit = int64_t{1} << 62;
    Require(buffer.size >= 0, "a buffer has size ", buffer.size);
    Require(buffer.first_use <= buffer.last_use, "a buffer lives from ",
            buffer.first_use, " to ", buffer.last_use);
    const int64_t rest = buffer.size % alignment;
    // The padding may be too large for the sum even where the size is not.
    const bool fits = buffer.size < kLimit - total &&
                      (rest == 0 || alignment - rest < kLimit - total - buffer.size);
    Require(fits, "the sizes of all buffers add up to more than 2^62");
    total += buffer.size + (rest == 0 ? 0 : alignment - rest);
    // TODO(07.15) end

    // TODO(07.14) begin
    for (const auto& [offset, other] : placed_) {
      if (!buffers_[other].Overlaps(buffers_[buffer])) continue;
      const int64_t gap = offset - end;
      if (gap >= size && gap < best_gap) {
        best_gap = gap;
        best_offset = end;
      }
      end = std::max(end, offset + RoundedUp(buffers_[other].size, alignment_));
    }
    if (best_offset < 0) best_offset = end;
    // TODO(07.14) end

  // TODO(07.15) begin
  // Sizes that come and go, each with its time. What has its last use at a time is alive
  // then, so it goes one later; what goes does so before others come.
  std::vector<std::pair<int64_t, int64_t>> changes;
  changes.reserve(2 * buffers.size());
  for (const BufferLife& buffer : buffers) {
    const int64_t size = RoundedUp(buffer.size, alignment);
    changes.emplace_back(buffer.first_use, size);
    changes.emplace_back(int64_t{buffer.last_use} + 1, -size);
  }
  std::ranges::sort(changes);
  int64_t alive = 0;
  int64_t peak = 0;
  for (const auto& [time, change] : changes) {
    alive += change;
    peak = std::max(peak, alive);
  }
  return peak;
  // TODO(07.15) end
