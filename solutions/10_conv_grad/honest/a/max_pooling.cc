  // TODO(10.7) begin
  const auto taps = window.taps();
  V best = Load<V>(image + taps.front());
  for (size_t i = 1; i < taps.size(); ++i) {
    const V next = Load<V>(image + taps[i]);
    const auto stays = (best >= next) | (best != best);
    best = stays ? best : next;
  }
  return best;
  // TODO(10.7) end

      // TODO(10.8) begin
      // Backwards, the last hit is the first maximum; a mask says who it is.
      const V best = WindowMaximum<V>(window, image);
      const auto taps = window.taps();
      for (size_t i = 0; i < taps.size(); ++i) {
        auto wins = Same(Load<V>(image + taps[i]), best);
        for (size_t j = 0; j < i; ++j) {
          const auto earlier = Same(Load<V>(image + taps[j]), best);
          wins = wins & (earlier == decltype(earlier){});
        }
        const V old = Load<V>(to + taps[i]);
        const V sum = old + gradient;
        Store(V(wins ? sum : old), to + taps[i]);
      }
      // TODO(10.8) end

        // TODO(10.9) begin
        const V best = WindowMaximum<V>(window, image);
        V open = V{} + T(1);  // 1 where it has not been found yet
        for (const int64_t tap : window.taps()) {
          const auto hit = Same(Load<V>(image + tap), best) & (open == V{} + T(1));
          found = hit ? Load<V>(from + tap) : found;
          open = hit ? V{} : open;
        }
        // TODO(10.9) end

      // TODO(10.9) begin
      int64_t place_of_max = -1;
      for (const int64_t tap : window.taps()) {
        if (place_of_max < 0 && Same(image[tap + c], max)) place_of_max = tap + c;
      }
      if (in_batch) place_of_max += window.image();
      argmax[place * g.c + c] = static_cast<Index>(place_of_max);
      // TODO(10.9) end
