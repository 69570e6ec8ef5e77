  // TODO(01.8) begin
  return x == y || x == 1 || y == 1 || x == kUnknown || y == kUnknown;
  // TODO(01.8) end

  // TODO(01.8) begin
  if (x == 1) return y;
  if (y == 1) return x;
  if (x == y) return x;
  const int64_t known = std::max(x, y);  // the other one is not
  return known > 1 ? known : kUnknown;
  // TODO(01.8) end

  // TODO(01.8) begin
  const int rank = static_cast<int>(sizes.size());
  for (int back = 1; back <= rank; ++back) {
    const int64_t a = back <= x.rank() ? x.dim(-back) : 1;
    const int64_t b = back <= y.rank() ? y.dim(-back) : 1;
    if (Fit(a, b)) {
      sizes[rank - back] = BroadcastSize(a, b);
    } else {
      fit = false;
    }
  }
  // TODO(01.8) end
