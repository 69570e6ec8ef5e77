  // TODO(14.16) begin
  const int64_t less = align_corners && out > 1 ? 1 : 0;
  return static_cast<float>(in - less) / static_cast<float>(out - less);
  // TODO(14.16) end

  // TODO(14.16) begin
  const auto left = static_cast<float>(i);
  return sampling.half_pixel_centers ? (left + 0.5f) * scale - 0.5f : left * scale;
  // TODO(14.16) end

  // TODO(14.16) begin
  const float scale = ScaleOf(in, out, sampling.align_corners);
  for (int64_t i = 0; i < out; ++i) {
    const float place = PlaceOf(i, scale, sampling);
    const float below = std::floor(place);
    const float part = place - below;
    const auto lower = static_cast<int64_t>(below);
    Add(Bound(lower, in), 1 - part, &taps);
    Add(Bound(lower + 1, in), part, &taps);
    EndPixel(&taps);
  }
  // TODO(14.16) end

  // TODO(14.17) begin
  const float scale = ScaleOf(in, out, align_corners);
  for (int64_t i = 0; i < out; ++i) {
    const float begin = static_cast<float>(i) * scale;
    const float end = static_cast<float>(i + 1) * scale;
    if (scale == 0) Add(0, 1, &taps);
    for (auto k = static_cast<int64_t>(begin); static_cast<float>(k) < end; ++k) {
      const float covered =
          std::min(end, static_cast<float>(k + 1)) - std::max(begin, static_cast<float>(k));
      Add(Bound(k, in), covered / scale, &taps);
    }
    EndPixel(&taps);
  }
  // TODO(14.17) end

  // TODO(14.16) begin
  const float scale = ScaleOf(in, out, sampling.align_corners);
  const float offset = sampling.half_pixel_centers ? 0.5f : 0.0f;
  for (int64_t i = 0; i < out; ++i) {
    const float place = (static_cast<float>(i) + offset) * scale;
    const float pixel = sampling.align_corners ? std::round(place) : std::floor(place);
    nearest.push_back(Bound(static_cast<int64_t>(pixel), in));
  }
  // TODO(14.16) end
