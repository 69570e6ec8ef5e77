  // TODO(10.11) begin
  for (int64_t row = 0; row < count; ++row, rows += channels) {
    for (int64_t c = 0; c < channels; ++c) sums[c] += Sum(rows[c]);
  }
  // TODO(10.11) end

  // TODO(10.11) begin
  for (int64_t c = 0; c < channels; ++c) sums[c] = Sum(0);
  while (count > 0) {
    const int64_t now = count < kRowsAtATime ? count : kRowsAtATime;
    std::vector<Sum> some(channels, Sum(0));
    AddRows(rows, now, channels, some.data());
    for (int64_t c = 0; c < channels; ++c) sums[c] += some[c];
    rows += now * channels;
    count -= now;
  }
  // TODO(10.11) end

  // TODO(10.11) begin
  Sum total(0);
  while (count > 0) {
    Sum part(0);
    const int64_t now = std::min(count, kRowsAtATime);
    for (int64_t i = 0; i < now; ++i) part += Sum(*x++);
    total += part;
    count -= now;
  }
  return total;
  // TODO(10.11) end
