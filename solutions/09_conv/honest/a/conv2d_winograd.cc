  // TODO(09.9) begin
  constexpr int kCoefficients[6][6] = {{4, 0, -5, 0, 1, 0},  {0, -4, -4, 1, 1, 0},
                                       {0, 4, -4, -1, 1, 0}, {0, -2, -1, 2, 1, 0},
                                       {0, 2, -1, -2, 1, 0}, {0, 4, 0, -5, 0, 1}};
  for (int i = 0; i < 6; ++i) {
    V sum = V::Zero();
    for (int j = 0; j < 6; ++j) {
      if (kCoefficients[i][j] != 0) sum += kCoefficients[i][j] * d[j * step];
    }
    t[i * step] = sum;
  }
  // TODO(09.9) end

  // TODO(09.10) begin
  const T points[5] = {0, 1, -1, 2, -2};
  for (int i = 0; i < 5; ++i) {
    T product = 1;
    for (int j = 0; j < 5; ++j) {
      if (j != i) product *= points[i] - points[j];
    }
    const V value = g[0] + points[i] * (g[step] + points[i] * g[2 * step]);
    t[i * step] = value / product;
  }
  t[5 * step] = g[2 * step];
  // TODO(09.10) end

  // TODO(09.10) begin
  y[0] = m[0] + m[step] + m[2 * step] + m[3 * step] + m[4 * step];
  y[step] = m[step] - m[2 * step] + 2 * m[3 * step] - 2 * m[4 * step];
  y[2 * step] = m[step] + m[2 * step] + 4 * m[3 * step] + 4 * m[4 * step];
  y[3 * step] =
      m[step] - m[2 * step] + 8 * m[3 * step] - 8 * m[4 * step] + m[5 * step];
  // TODO(09.10) end

    // TODO(09.11) begin
    Place place;
    place.q = tile % Across() * kOut;
    place.p = tile / Across() % Down() * kOut;
    place.image = tile / Across() / Down();
    return place;
    // TODO(09.11) end

    // TODO(09.11) begin
    const int64_t top = place.p - g_.pad_top;
    const int64_t left = place.q - g_.pad_left;
    pixels.fill(nullptr);
    for (int64_t i = 0; i < kIn; ++i) {
      if (top + i < 0 || top + i >= g_.h) continue;
      const T* const row = x_ + (place.image * g_.h + top + i) * g_.w * g_.c;
      for (int64_t j = 0; j < kIn; ++j) {
        if (left + j < 0 || left + j >= g_.w) continue;
        pixels[i * kIn + j] = row + (left + j) * g_.c;
      }
    }
    // TODO(09.11) end

    // TODO(09.11) begin
    Lanes<T> half[kIn * kOut], out[kOut * kOut];
    for (int64_t k = 0; k < g_.k; k += kLanes<T>) {
      for (int i = 0; i < kProducts; ++i) d[i] = Load(m + i * step + k, g_.k - k);
      // Along the rows first, then down the columns.
      for (int i = 0; i < kIn; ++i) {
        Lanes<T> row[kOut];
        TransformResult(&d[i * kIn], 1, row);
        for (int j = 0; j < kOut; ++j) half[i * kOut + j] = row[j];
      }
      for (int j = 0; j < kOut; ++j) TransformResult(half + j, kOut, out + j);
      for (int i = 0; i < kOut * kOut; ++i) {
        const int64_t p = place.p + i / kOut;
        const int64_t q = place.q + i % kOut;
        if (p >= g_.p || q >= g_.q) continue;
        Store(out[i], g_.k - k, y_ + ((place.image * g_.p + p) * g_.q + q) * g_.k + k);
      }
    }
    if (rows_done_) {
      const int64_t count = std::min<int64_t>(kOut, g_.q - place.q);
      for (int64_t p = place.p; p < std::min(place.p + kOut, g_.p); ++p) {
        rows_done_(y_ + ((place.image * g_.p + p) * g_.q + place.q) * g_.k, count);
      }
    }
    // TODO(09.11) end
