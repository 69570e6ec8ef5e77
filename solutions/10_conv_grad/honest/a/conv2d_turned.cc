  // TODO(10.6) begin
  // The images are dy, the result is dx.
  turned.h = g.p;
  turned.w = g.q;
  turned.c = g.k;
  turned.p = g.h;
  turned.q = g.w;
  turned.k = g.c;
  const int64_t reach_h = (g.r - 1) * g.dilation_h;
  const int64_t reach_w = (g.s - 1) * g.dilation_w;
  turned.pad_top = reach_h - g.pad_top;
  turned.pad_left = reach_w - g.pad_left;
  // TODO(10.6) end

  // TODO(10.6) begin
  T* out = to;
  for (int64_t r = 0; r < g.r; ++r) {
    for (int64_t s = 0; s < g.s; ++s) {
      for (int64_t k = 0; k < g.k; ++k) {
        for (int64_t c = 0; c < g.c; ++c) {
          *out++ = w[(((g.r - 1 - r) * g.s + (g.s - 1 - s)) * g.c + c) * g.k + k];
        }
      }
    }
  }
  // TODO(10.6) end
