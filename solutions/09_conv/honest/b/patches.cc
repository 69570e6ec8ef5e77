  // TODO(09.2) begin
  std::fill_n(patches, (end - begin) * g.patch_size(), T(0));
  ForEachPlace(g, begin, end, [&](int64_t image, int64_t p, int64_t q) {
    ForEachTap(g, p, q, [&](int64_t pixel, int64_t tap) {
      CopyRun(x + (image + pixel) * g.c, g.c, patches + tap * g.c);
    });
    patches += g.patch_size();
  });
  // TODO(09.2) end

  // TODO(09.5) begin
  std::fill_n(part, last - first, T(0));
  const T* const image = x + place / g.places() * g.h * g.w * g.c;
  const int64_t p = place % g.places() / g.q;
  ForEachTap(g, p, place % g.q, [&](int64_t pixel, int64_t tap) {
    for (int64_t c = 0; c < g.c; ++c) {
      const int64_t at = tap * g.c + c;
      if (first <= at && at < last) part[at - first] = image[pixel * g.c + c];
    }
  });
  // TODO(09.5) end

  // TODO(09.3) begin
  if (g.r != 1 || g.s != 1) return false;
  if (g.stride_h != 1 || g.stride_w != 1) return false;
  if (g.pad_top != 0 || g.pad_left != 0) return false;
  return g.p == g.h && g.q == g.w;
  // TODO(09.3) end

  // TODO(09.3) begin
  const auto bytes = static_cast<double>(std::max<int64_t>(g.patch_size(), 1) * sizeof(T));
  const auto fitting = static_cast<int64_t>(kBytes / bytes);
  const auto allowed = static_cast<int64_t>(kMostBytes / bytes);
  if (fitting >= 16) return std::min<int64_t>(fitting, 1024);
  return allowed == 0 ? 1 : std::min<int64_t>(allowed, 16);
  // TODO(09.3) end
