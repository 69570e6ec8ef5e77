  // TODO(10.6) begin
  std::swap(turned.c, turned.k);
  std::swap(turned.h, turned.p);
  std::swap(turned.w, turned.q);
  // (first place of dx) - (its first tap) = -(pad before)
  const auto before = [](int64_t taps, int64_t dilation, int64_t pad) {
    return taps * dilation - dilation - pad;
  };
  turned.pad_top = before(g.r, g.dilation_h, g.pad_top);
  turned.pad_left = before(g.s, g.dilation_w, g.pad_left);
  // TODO(10.6) end

  // TODO(10.6) begin
  for (int64_t from = 0; from < g.r * g.s * g.c * g.k; ++from) {
    const int64_t k = from % g.k;
    const int64_t c = from / g.k % g.c;
    const int64_t tap = g.r * g.s - 1 - from / g.k / g.c;
    to[(tap * g.k + k) * g.c + c] = w[from];
  }
  // TODO(10.6) end
