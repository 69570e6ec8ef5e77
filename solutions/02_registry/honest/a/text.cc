  // TODO(02.6) begin
  // row[j]: the distance from the first i letters of a to the first j of b.
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];  // the former row at j - 1
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, above + 1, row[j - 1] + 1});
      diagonal = above;
    }
  }
  return row[b.size()];
  // TODO(02.6) end

  // TODO(02.6) begin
  const size_t limit = std::max<size_t>(1, name.size() / 3);
  size_t fewest = limit + 1;
  std::string nearest;
  for (const std::string& candidate : candidates) {
    const size_t edits = EditDistance(name, candidate);
    if (edits < fewest) {
      fewest = edits;
      nearest = candidate;
    }
  }
  return nearest;
  // TODO(02.6) end
