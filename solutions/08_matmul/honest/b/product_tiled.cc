  // TODO(08.3) begin
  std::fill(tile->begin(), tile->end(), T(0));
  for (int64_t place = 0; place < rows * columns; ++place) {
    const int64_t y = place / columns;
    const int64_t x = place % columns;
    (*tile)[kSide * y + x] = from.at(y, x);
  }
  // TODO(08.3) end

  // TODO(08.4) begin
  // A tile of the product stays until all its steps are made.
  Tile<T> sums;
  for (int64_t i = 0; i < s.m; i += kSide) {
    for (int64_t j = 0; j < s.n; j += kSide) {
      const int64_t rows = std::min(kSide, s.m - i);
      const int64_t columns = std::min(kSide, s.n - j);
      sums.fill(T(0));
      for (int64_t p = 0; p < s.k; p += kSide) {
        StopIfAsked();
        const int64_t depth = std::min(kSide, s.k - p);
        CopyTile(left.From(i, p), rows, depth, &a_tile);
        CopyTile(right.From(p, j), depth, columns, &b_tile);
        for (int64_t y = 0; y < rows; ++y) {
          for (int64_t q = 0; q < depth; ++q) {
            const T factor = a_tile[y * kSide + q];
            for (int64_t x = 0; x < columns; ++x) {
              sums[y * kSide + x] += factor * b_tile[q * kSide + x];
            }
          }
        }
      }
      for (int64_t y = 0; y < rows; ++y) {
        std::copy_n(&sums[y * kSide], columns, product + (i + y) * s.n + j);
      }
    }
  }
  // TODO(08.4) end
