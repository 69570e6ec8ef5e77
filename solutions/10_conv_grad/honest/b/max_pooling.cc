  // TODO(10.7) begin
  // Once for each pixel, the first one too: it is no larger than itself.
  V max = Load<V>(image + window.taps()[0]);
  for (const int64_t tap : window.taps()) {
    const V candidate = Load<V>(image + tap);
    max = candidate > max ? candidate : max;
    max = candidate != candidate ? candidate : max;
  }
  return max;
  // TODO(10.7) end

      // TODO(10.8) begin
      const V top = WindowMaximum<V>(window, image);
      V given{};  // 1 where the gradient has been given away
      for (const int64_t tap : window.taps()) {
        const auto here = Same(Load<V>(image + tap), top) & (given == V{});
        const V before = Load<V>(to + tap);
        const V after = before + gradient;
        Store(V(here ? after : before), to + tap);
        given = here ? V(V{} + T(1)) : given;
      }
      // TODO(10.8) end

        // TODO(10.9) begin
        const V top = WindowMaximum<V>(window, image);
        for (size_t i = window.taps().size(); i-- > 0;) {
          const int64_t tap = window.taps()[i];
          found = Same(Load<V>(image + tap), top) ? Load<V>(from + tap) : found;
        }
        // TODO(10.9) end

      // TODO(10.9) begin
      for (const int64_t tap : window.taps()) {
        const T number = image[tap + c];
        if (number == max || (number != number && max != max)) {
          const int64_t where = tap + c + (in_batch ? window.image() : 0);
          argmax[place * g.c + c] = static_cast<Index>(where);
          break;
        }
      }
      // TODO(10.9) end
