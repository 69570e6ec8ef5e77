  // TODO(14.16) begin
  const bool keeps_corners = align_corners && out != 1;
  const int64_t steps = keeps_corners ? out - 1 : out;
  const int64_t width = keeps_corners ? in - 1 : in;
  return static_cast<float>(width) / static_cast<float>(steps);
  // TODO(14.16) end

  // TODO(14.16) begin
  const float shift = sampling.half_pixel_centers ? 0.5f : 0.0f;
  return (static_cast<float>(i) + shift) * scale - shift;
  // TODO(14.16) end

  // TODO(14.16) begin
  const float scale = ScaleOf(in, out, sampling.align_corners);
  int64_t i = 0;
  while (static_cast<int64_t>(taps.first.size()) <= out) {
    float whole = 0;
    float part = std::modf(PlaceOf(i++, scale, sampling), &whole);
    auto lower = static_cast<int64_t>(whole);
    // modf cuts towards zero; what is left of it is then negative.
    if (part < 0) {
      part += 1;
      --lower;
    }
    for (const int64_t side : {int64_t{0}, int64_t{1}}) {
      Add(Bound(lower + side, in), side == 0 ? 1 - part : part, &taps);
    }
    EndPixel(&taps);
  }
  // TODO(14.16) end

  // TODO(14.17) begin
  const float scale = ScaleOf(in, out, align_corners);
  // The last old pixel reaches as far to the right as is asked for.
  const auto right_edge = [in](int64_t pixel) {
    return pixel + 1 < in ? static_cast<float>(pixel + 1)
                          : std::numeric_limits<float>::infinity();
  };
  for (int64_t i = 0; i < out; ++i) {
    float from = static_cast<float>(i) * scale;
    const float to = static_cast<float>(i + 1) * scale;
    const float whole = to - from;
    int64_t pixel = Bound(static_cast<int64_t>(from), in);
    if (whole > 0) {
      for (; from < to; ++pixel) {
        const float until = std::min(to, right_edge(pixel));
        Add(pixel, (until - from) / whole, &taps);
        from = until;
      }
    } else {
      Add(pixel, 1, &taps);
    }
    EndPixel(&taps);
  }
  // TODO(14.17) end

  // TODO(14.16) begin
  const float scale = ScaleOf(in, out, sampling.align_corners);
  const float shift = sampling.half_pixel_centers ? 0.5f : 0.0f;
  nearest.resize(static_cast<size_t>(out));
  std::generate(nearest.begin(), nearest.end(), [&, i = int64_t{0}]() mutable {
    const float place = (static_cast<float>(i++) + shift) * scale;
    return Bound(sampling.align_corners ? std::lround(place) : static_cast<int64_t>(place),
                 in);
  });
  // TODO(14.16) end
