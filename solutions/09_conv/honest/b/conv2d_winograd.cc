  // TODO(09.9) begin
  const auto at = [&](int i) -> const V& { return d[i * step]; };
  t[0 * step] = 4 * (at(0) - at(2)) - (at(2) - at(4));
  t[1 * step] = (at(3) + at(4)) - 4 * (at(1) + at(2));
  t[2 * step] = (at(4) - at(3)) + 4 * (at(1) - at(2));
  t[3 * step] = (at(4) - at(2)) - 2 * (at(1) - at(3));
  t[4 * step] = (at(4) - at(2)) + 2 * (at(1) - at(3));
  t[5 * step] = 4 * (at(1) - at(3)) - (at(3) - at(5));
  // TODO(09.9) end

  // TODO(09.10) begin
  const T rows[6][3] = {{T(1) / 4, 0, 0},
                        {-T(1) / 6, -T(1) / 6, -T(1) / 6},
                        {-T(1) / 6, T(1) / 6, -T(1) / 6},
                        {T(1) / 24, T(1) / 12, T(1) / 6},
                        {T(1) / 24, -T(1) / 12, T(1) / 6},
                        {0, 0, 1}};
  for (int i = 0; i < 6; ++i) {
    t[i * step] = rows[i][0] * g[0] + rows[i][1] * g[step] + rows[i][2] * g[2 * step];
  }
  // TODO(09.10) end

  // TODO(09.10) begin
  for (int j = 0; j < 4; ++j) {
    const int power = 1 << j;
    V sum = power * m[3 * step] + (j % 2 == 0 ? power : -power) * m[4 * step];
    sum += m[step];
    if (j % 2 == 0) sum += m[2 * step];
    if (j % 2 == 1) sum -= m[2 * step];
    if (j == 0) sum += m[0];
    if (j == 3) sum += m[5 * step];
    y[j * step] = sum;
  }
  // TODO(09.10) end

    // TODO(09.11) begin
    Place place{0, 0, 0};
    const int64_t of_image = Down() * Across();
    while (tile >= of_image) {
      tile -= of_image;
      ++place.image;
    }
    place.p = tile / Across() * kOut;
    place.q = (tile - tile / Across() * Across()) * kOut;
    return place;
    // TODO(09.11) end

    // TODO(09.11) begin
    size_t next = 0;
    for (int64_t row = place.p - g_.pad_top; row < place.p - g_.pad_top + kIn; ++row) {
      for (int64_t i = 0; i < kIn; ++i) {
        const int64_t column = place.q - g_.pad_left + i;
        const bool is_row = 0 <= row && row < g_.h;
        const bool is_column = 0 <= column && column < g_.w;
        pixels[next++] =
            is_row && is_column
                ? x_ + ((place.image * g_.h + row) * g_.w + column) * g_.c
                : nullptr;
      }
    }
    // TODO(09.11) end

    // TODO(09.11) begin
    std::array<Lanes<T>, kOut * kIn> half;
    std::array<Lanes<T>, kOut * kOut> whole;
    for (int64_t k = 0; k < g_.k; k += kLanes<T>) {
      const int64_t left = g_.k - k;
      for (size_t i = 0; i < d.size(); ++i) {
        d[i] = Load(m + static_cast<int64_t>(i) * step + k, left);
      }
      for (int i = 0; i < kIn; ++i) TransformResult(&d[i], kIn, &half[i]);
      for (int i = 0; i < kOut; ++i) TransformResult(&half[i * kIn], 1, &whole[i * kOut]);
      for (int64_t p = place.p; p < std::min(g_.p, place.p + kOut); ++p) {
        for (int64_t q = place.q; q < std::min(g_.q, place.q + kOut); ++q) {
          Store(whole[(p - place.p) * kOut + q - place.q], left,
                y_ + ((place.image * g_.p + p) * g_.q + q) * g_.k + k);
        }
      }
    }
    for (int64_t p = place.p; rows_done_ && p < std::min(g_.p, place.p + kOut); ++p) {
      rows_done_(y_ + ((place.image * g_.p + p) * g_.q + place.q) * g_.k,
                 std::min<int64_t>(kOut, g_.q - place.q));
    }
    // TODO(09.11) end
