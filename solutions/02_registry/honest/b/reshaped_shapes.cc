#include <ranges>
#include <vector>

  // TODO(02.12) begin
  if (!x.has_rank()) return;
  const std::vector<int64_t> sizes = x.ToVector();
  const auto unknown = std::ranges::count(sizes, kUnknown);
  if (unknown == 0) {
    Require(x.num_elements() == count, "cannot reshape ", x, " with ", x.num_elements(),
            " elements to ", count, " elements");
  }
  if (unknown != 1 || std::ranges::count(sizes, 0) > 0) return;
  std::vector<int64_t> known = sizes;
  std::erase(known, kUnknown);
  Require(count % Product(known) == 0, "cannot reshape ", x, " to ", count, " elements, ",
          "which is no multiple of ", Product(known));
  // TODO(02.12) end

  // TODO(02.12) begin
  for (size_t i = sizes.size(); i-- > 0;) {
    Require(sizes[i] >= -1, "size ", i, " cannot be ", sizes[i]);
    if (sizes[i] >= 0) continue;
    Require(rest < 0, "size ", i, " is -1, and so is size ", rest);
    rest = static_cast<int64_t>(i);
  }
  // TODO(02.12) end

  // TODO(02.12) begin
  const bool has_zero = std::ranges::count(given, 0) > 0;
  std::vector<int64_t> sizes = x.ToVector();
  if (has_zero) {
    Require(count == 0, "cannot reshape ", x, " with ", count, " elements to ",
            PartialShape(given), " and a rest");
    std::erase(given, 0);
    std::erase(sizes, 0);
    return Product(sizes) / Product(given);
  }
  const int64_t others = Product(given);
  Require(count % others == 0, "cannot reshape ", x, " with ", count, " elements to ",
          PartialShape(given), " and a rest, which needs a multiple of ", others);
  return count / others;
  // TODO(02.12) end
