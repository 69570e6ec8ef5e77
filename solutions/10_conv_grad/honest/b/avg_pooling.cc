        // TODO(10.10) begin
        const T inside = static_cast<T>(window.taps().size());
        V mean{};
        for (size_t i = window.taps().size(); i-- > 0;) {
          const V pixel = Load<V>(image + window.taps()[i]);
          mean = mean + pixel / inside;
        }
        Store(mean, y + place * g.c + c);
        // TODO(10.10) end

      // TODO(10.10) begin
      V part = Load<V>(dy + place * g.c + c);
      part = part / static_cast<T>(window.taps().size());
      for (const int64_t tap : window.taps()) {
        T* const to = image + tap;
        Store(V(part + Load<V>(to)), to);
      }
      // TODO(10.10) end
