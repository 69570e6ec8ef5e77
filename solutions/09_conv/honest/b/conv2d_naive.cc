  // TODO(09.1) begin
  const int64_t n = place / g.places();
  const int64_t p = place % g.places() / g.q;
  const int64_t q = place % g.q;
  const int64_t of_group = g.c / g.groups;
  for (int64_t k = 0; k < g.k; ++k) y[place * g.k + k] = 0;
  ForEachTap(g, p, q, [&](int64_t pixel, int64_t tap) {
    const T* seen = x + (n * g.h * g.w + pixel) * g.c;
    for (int64_t k = 0; k < g.k; ++k) {
      const int64_t begin = k * g.groups / g.k * of_group;
      for (int64_t i = 0; i < of_group; ++i) {
        y[place * g.k + k] += seen[begin + i] * w[(tap * of_group + i) * g.k + k];
      }
    }
  });
  // TODO(09.1) end
