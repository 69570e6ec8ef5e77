  // TODO(02.9) begin
  return known_rank_ && std::ranges::find(sizes(), kUnknown) == sizes().end();
  // TODO(02.9) end

  // TODO(02.9) begin
  if (!known_rank_ || !other.known_rank_) return true;
  return std::ranges::equal(sizes(), other.sizes(), [](int64_t a, int64_t b) {
    return a == b || a == kUnknown || b == kUnknown;
  });
  // TODO(02.9) end

  // TODO(02.9) begin
  if (!known_rank_) return other;
  if (!other.known_rank_) return *this;
  std::vector<int64_t> merged = ToVector();
  for (size_t i = 0; i < merged.size(); ++i) {
    if (merged[i] == kUnknown) merged[i] = other.sizes()[i];
  }
  return PartialShape(merged);
  // TODO(02.9) end
