#include <iterator>

  // TODO(01.8) begin
  const auto stretches = [](int64_t size) { return size == 1 || size == kUnknown; };
  return x == y || stretches(x) || stretches(y);
  // TODO(01.8) end

  // TODO(01.8) begin
  const auto [low, high] = std::minmax({x, y});
  if (low == kUnknown) return high > 1 ? high : kUnknown;
  return low == 0 ? 0 : high;
  // TODO(01.8) end

  // TODO(01.8) begin
  const auto size_behind = [](const PartialShape& shape, int axes) {
    return axes < shape.rank() ? shape.dim(-1 - axes) : 1;
  };
  for (int axes = 0; fit && axes < std::ssize(sizes); ++axes) {
    const int64_t from_x = size_behind(x, axes);
    const int64_t from_y = size_behind(y, axes);
    fit = Fit(from_x, from_y);
    if (fit) sizes.rbegin()[axes] = BroadcastSize(from_x, from_y);
  }
  // TODO(01.8) end
