  // TODO(08.3) begin
  T* to = tile->data();
  for (int64_t i = 0; i < rows; ++i, to += kSide) {
    const T* element = from.data + i * from.row;
    for (int64_t j = 0; j < columns; ++j, element += from.column) to[j] = *element;
  }
  // TODO(08.3) end

  // TODO(08.4) begin
  const auto size_of = [](int64_t first, int64_t end) {
    return end - first < kSide ? end - first : kSide;
  };
  const auto add_tile = [&](T* to, int64_t height, int64_t depth, int64_t width) {
    for (int64_t i = 0; i < height; ++i, to += s.n) {
      const T* y = b_tile.data();
      for (int64_t p = 0; p < depth; ++p, y += kSide) {
        const T x = a_tile[i * kSide + p];
        for (int64_t j = 0; j < width; ++j) to[j] += x * y[j];
      }
    }
  };
  for (int64_t i = 0; i < s.m * s.n; ++i) product[i] = T(0);
  // The tile of a stays, and those of b pass by.
  for (int64_t i0 = 0; i0 < s.m; i0 += kSide) {
    for (int64_t p0 = 0; p0 < s.k; p0 += kSide) {
      const int64_t height = size_of(i0, s.m);
      const int64_t depth = size_of(p0, s.k);
      CopyTile(left.From(i0, p0), height, depth, &a_tile);
      for (int64_t j0 = 0; j0 < s.n; j0 += kSide) {
        StopIfAsked();
        const int64_t width = size_of(j0, s.n);
        CopyTile(right.From(p0, j0), depth, width, &b_tile);
        add_tile(product + i0 * s.n + j0, height, depth, width);
      }
    }
  }
  // TODO(08.4) end
