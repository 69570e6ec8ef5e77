  // TODO(10.11) begin
  for (int64_t c = 0; c < channels; ++c) {
    Sum sum(0);
    for (int64_t row = 0; row < count; ++row) sum += Sum(rows[row * channels + c]);
    sums[c] += sum;
  }
  // TODO(10.11) end

  // TODO(10.11) begin
  // Halves until few rows are left.
  if (count > kRowsAtATime) {
    const int64_t half = count / 2;
    std::vector<Sum> other(channels);
    SumColumns(rows, half, channels, sums);
    SumColumns(rows + half * channels, count - half, channels, other.data());
    for (int64_t c = 0; c < channels; ++c) sums[c] += other[c];
  } else {
    std::fill_n(sums, channels, Sum(0));
    AddRows(rows, count, channels, sums);
  }
  // TODO(10.11) end

  // TODO(10.11) begin
  std::vector<Sum> parts;
  for (int64_t i = 0; i < count; ++i) {
    if (i % kRowsAtATime == 0) parts.push_back(Sum(0));
    parts.back() += Sum(x[i]);
  }
  return std::accumulate(parts.begin(), parts.end(), Sum(0));
  // TODO(10.11) end
