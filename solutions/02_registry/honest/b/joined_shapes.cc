#include <algorithm>
#include <vector>

    // TODO(02.11) begin
    const PartialShape& x = xs[i];
    if (!x.has_rank()) {
      total = kUnknown;
      continue;
    }
    fits = !others.has_rank() || others.rank() == x.rank();
    if (fits) {
      std::vector<int64_t> sizes = x.ToVector();
      const int64_t size = std::exchange(sizes[JoinedAxis(x, axis)], kUnknown);
      const PartialShape rest(sizes);
      fits = others.IsCompatibleWith(rest);
      if (fits) others = others.MergedWith(rest);
      total = std::min(total, size) == kUnknown ? kUnknown : CheckedSum(total, size);
    }
    // TODO(02.11) end

  // TODO(02.11) begin
  result.at(JoinedAxis(others, axis)) = total;
  // TODO(02.11) end

  // TODO(02.11) begin
  result.push_back(static_cast<int64_t>(xs.size()));
  std::rotate(result.begin() + NormalizedAxis(axis, rank), result.end() - 1,
              result.end());
  // TODO(02.11) end
