  // TODO(09.2) begin
  for (int64_t place = begin; place < end; ++place) {
    const int64_t n = place / (g.p * g.q);
    const int64_t top = place / g.q % g.p * g.stride_h - g.pad_top;
    const int64_t left = place % g.q * g.stride_w - g.pad_left;
    for (int64_t r = 0; r < g.r; ++r) {
      for (int64_t s = 0; s < g.s; ++s) {
        const int64_t row = top + r * g.dilation_h;
        const int64_t column = left + s * g.dilation_w;
        const bool inside = 0 <= row && row < g.h && 0 <= column && column < g.w;
        for (int64_t c = 0; c < g.c; ++c) {
          *patches++ = inside ? x[((n * g.h + row) * g.w + column) * g.c + c] : T(0);
        }
      }
    }
  }
  // TODO(09.2) end

  // TODO(09.5) begin
  for (int64_t i = first; i < last; ++i) {
    const int64_t c = i % g.c;
    const int64_t s = i / g.c % g.s;
    const int64_t r = i / (g.c * g.s);
    const int64_t row = place / g.q % g.p * g.stride_h - g.pad_top + r * g.dilation_h;
    const int64_t column = place % g.q * g.stride_w - g.pad_left + s * g.dilation_w;
    if (row < 0 || row >= g.h || column < 0 || column >= g.w) {
      part[i - first] = T(0);
    } else {
      const int64_t n = place / g.places();
      part[i - first] = x[((n * g.h + row) * g.w + column) * g.c + c];
    }
  }
  // TODO(09.5) end

  // TODO(09.3) begin
  const bool one_tap = g.r * g.s == 1;
  const bool every_pixel = g.stride_h * g.stride_w == 1;
  const bool no_zeros =
      g.pad_top == 0 && g.pad_left == 0 && g.pad_bottom == 0 && g.pad_right == 0;
  return one_tap && every_pixel && no_zeros;
  // TODO(09.3) end

  // TODO(09.3) begin
  const int64_t size = static_cast<int64_t>(sizeof(T)) * g.patch_size();
  if (size == 0) return 1024;
  int64_t count = kBytes / size;
  if (count > 1024) count = 1024;
  if (count < 16) count = 16;
  if (count * size > kMostBytes) count = kMostBytes / size;
  return count < 1 ? 1 : count;
  // TODO(09.3) end
