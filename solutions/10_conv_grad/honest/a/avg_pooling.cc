      // TODO(10.10) begin
      T* to = y + place * g.c;
      const T* from = x + window.image();
      for (int64_t c = 0; c < g.c; ++c) to[c] = T(0);
      for (const int64_t tap : window.taps()) {
        for (int64_t c = 0; c < g.c; ++c) to[c] += from[tap + c];
      }
      for (int64_t c = 0; c < g.c; ++c) to[c] /= static_cast<T>(window.taps().size());
      // TODO(10.10) end

    // TODO(10.10) begin
    const auto share = T(1) / static_cast<T>(window.taps().size());
    for (const int64_t tap : window.taps()) {
      T* pixel = dx + window.image() + tap;
      for (int64_t c = 0; c < g.c; ++c) pixel[c] += dy[place * g.c + c] * share;
    }
    // TODO(10.10) end
