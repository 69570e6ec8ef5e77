  // TODO(02.6) begin
  // The same letters at both ends stay together, and cost nothing.
  const auto same = std::ranges::mismatch(a, b).in1 - a.begin();
  a.remove_prefix(same), b.remove_prefix(same);
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1), b.remove_suffix(1);
  }
  // costs[j]: from the letters of a so far to the first j of b.
  std::vector<size_t> costs(b.size() + 1);
  std::iota(costs.begin(), costs.end(), size_t{0});
  std::vector<size_t> next(costs.size());
  for (const char letter : a) {
    next[0] = costs[0] + 1;
    for (size_t j = 1; j < costs.size(); ++j) {
      const size_t replaced = costs[j - 1] + (b[j - 1] == letter ? 0 : 1);
      next[j] = std::min({replaced, costs[j] + 1, next[j - 1] + 1});
    }
    costs.swap(next);
  }
  return costs.back();
  // TODO(02.6) end

  // TODO(02.6) begin
  const size_t limit = std::max<size_t>(1, name.size() / 3);
  std::vector<size_t> edits(candidates.size());
  std::ranges::transform(candidates, edits.begin(), [name](const std::string& candidate) {
    return EditDistance(name, candidate);
  });
  const auto nearest = std::ranges::min_element(edits);
  const bool is_near = nearest != edits.end() && *nearest <= limit;
  return is_near ? candidates[nearest - edits.begin()] : "";
  // TODO(02.6) end
