        // TODO(10.10) begin
        V mean = Load<V>(image + window.taps().front());
        for (const int64_t tap : window.taps().subspan(1)) {
          mean = mean + Load<V>(image + tap);
        }
        mean = mean / static_cast<T>(window.taps().size());
        Store(mean, y + place * g.c + c);
        // TODO(10.10) end

      // TODO(10.10) begin
      const T part = T(1) / static_cast<T>(window.taps().size());
      const V gradient = Load<V>(dy + place * g.c + c);
      for (const int64_t tap : window.taps()) {
        const V before = Load<V>(image + tap);
        Store(V(before + gradient * part), image + tap);
      }
      // TODO(10.10) end
