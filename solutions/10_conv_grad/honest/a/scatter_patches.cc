  // TODO(10.3) begin
  for (int64_t r = 0; r < g.r; ++r) {
    for (int64_t s = 0; s < g.s; ++s) {
      const int64_t h = p * g.stride_h + r * g.dilation_h - g.pad_top;
      const int64_t w = q * g.stride_w + s * g.dilation_w - g.pad_left;
      if (h < 0 || h >= g.h || w < 0 || w >= g.w) continue;
      for (int64_t c = 0; c < g.c; ++c) {
        image[(h * g.w + w) * g.c + c] += patch[(r * g.s + s) * g.c + c];
      }
    }
  }
  // TODO(10.3) end
