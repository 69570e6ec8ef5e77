  // TODO(10.1) begin
  const int64_t per_group = g.c / g.groups;
  const int64_t places = g.places();
  const auto images = [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) {
      T* const image = dx + n * g.h * g.w * g.c;
      std::fill_n(image, g.h * g.w * g.c, T(0));
      for (int64_t p = 0; p < g.p; ++p) {
        StopIfAsked();
        for (int64_t q = 0; q < g.q; ++q) {
          const T* const from = dy + (n * places + p * g.q + q) * g.k;
          ForEachTap(g, p, q, [&](int64_t pixel, int64_t tap) {
            ForEachChannel(g, [&](int64_t c, int64_t in_group, int64_t first,
                                  int64_t last) {
              const T* const row = w + (tap * per_group + in_group) * g.k;
              T& to = image[pixel * g.c + c];
              for (int64_t k = first; k < last; ++k) to += from[k] * row[k];
            });
          });
        }
      }
    }
  };
  threads.ParallelPieces(g.n, places * CostOfPlace(g), images);
  // TODO(10.1) end

  // TODO(10.2) begin
  // One thread for all of it.
  const int64_t per_group = g.c / g.groups;
  for (int64_t i = 0; i < g.r * g.s * per_group * g.k; ++i) dw[i] = T(0);
  for (int64_t n = 0; n < g.n; ++n) {
    for (int64_t p = 0; p < g.p; ++p) {
      StopIfAsked();
      for (int64_t q = 0; q < g.q; ++q) {
        const T* const from = dy + ((n * g.p + p) * g.q + q) * g.k;
        ForEachTap(g, p, q, [&](int64_t pixel, int64_t tap) {
          for (int64_t c = 0; c < g.c; ++c) {
            const T number = x[(n * g.h * g.w + pixel) * g.c + c];
            const int64_t filters = g.k / g.groups;
            for (int64_t k = 0; k < g.k; ++k) {
              if (k / filters != c / per_group) continue;
              dw[(tap * per_group + c % per_group) * g.k + k] += number * from[k];
            }
          }
        });
      }
    }
  }
  // TODO(10.2) end
