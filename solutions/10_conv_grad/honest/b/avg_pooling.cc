      // TODO(10.10) begin
      const T inside = static_cast<T>(window.taps().size());
      for (int64_t c = 0; c < g.c; ++c) {
        T sum(0);
        for (const int64_t tap : window.taps()) sum += x[window.image() + tap + c];
        y[place * g.c + c] = sum / inside;
      }
      // TODO(10.10) end

    // TODO(10.10) begin
    ForEachVector<T>(g.c, [&]<typename V>(int64_t c) {
      V part = Load<V>(dy + place * g.c + c);
      part = part / static_cast<T>(window.taps().size());
      for (const int64_t tap : window.taps()) {
        T* const to = dx + window.image() + tap + c;
        Store(V(part + Load<V>(to)), to);
      }
    });
    // TODO(10.10) end
