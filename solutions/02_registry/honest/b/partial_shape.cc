#include <functional>

  // TODO(02.9) begin
  return known_rank_ && std::ranges::find(sizes(), kUnknown) == sizes().end();
  // TODO(02.9) end

  // TODO(02.9) begin
  if (!known_rank_ || !other.known_rank_) return true;
  return std::ranges::equal(sizes(), other.sizes(), [](int64_t a, int64_t b) {
    return a == b || std::min(a, b) == kUnknown;
  });
  // TODO(02.9) end

  // TODO(02.9) begin
  if (!known_rank_) return other;
  if (!other.known_rank_) return *this;
  std::vector<int64_t> both = ToVector();
  std::ranges::transform(both, other.sizes(), both.begin(), std::ranges::max);
  return PartialShape(both);
  // TODO(02.9) end
