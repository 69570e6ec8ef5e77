  // TODO(11.9) begin
  const int channels = g.c / g.groups;  // that one filter sees
  const int filters = g.k / g.groups;   // of one group
  MINITF_GPU_LOOP(i, g.y_size()) {
    const int k = static_cast<int>(i % g.k);
    int64_t rest = i / g.k;
    const int q = static_cast<int>(rest % g.q);
    rest /= g.q;
    const int p = static_cast<int>(rest % g.p);
    const int64_t n = rest / g.p;
    const int first_channel = k / filters * channels;
    T total = 0;
    for (int r = 0; r < g.r; ++r) {
      const int row = p * g.stride_h + r * g.dilation_h - g.pad_top;
      for (int s = 0; s < g.s; ++s) {
        const int column = q * g.stride_w + s * g.dilation_w - g.pad_left;
        if (!g.has_pixel(row, column)) continue;
        const T* const pixel = x + ((n * g.h + row) * g.w + column) * g.c + first_channel;
        const T* const weight = w + (int64_t{r} * g.s + s) * channels * g.k + k;
        for (int c = 0; c < channels; ++c) total += pixel[c] * weight[int64_t{c} * g.k];
      }
    }
    y[i] = total;
  }
  // TODO(11.9) end

  // TODO(11.10) begin
  const int distance = at + pad - tap * dilation;  // from the first tap of place 0
  if (distance < 0 || distance % stride != 0) return -1;
  const int place = distance / stride;
  return place < places ? place : -1;
  // TODO(11.10) end

  // TODO(11.10) begin
  const int channels = g.c / g.groups;
  const int filters = g.k / g.groups;
  MINITF_GPU_LOOP(i, g.x_size()) {
    const int c = static_cast<int>(i % g.c);
    int64_t rest = i / g.c;
    const int column = static_cast<int>(rest % g.w);
    rest /= g.w;
    const int row = static_cast<int>(rest % g.h);
    const int64_t n = rest / g.h;
    const int first_filter = c / channels * filters;
    T total = 0;
    for (int r = 0; r < g.r; ++r) {
      const int p = PlaceOf(row, r, g.dilation_h, g.pad_top, g.stride_h, g.p);
      if (p < 0) continue;
      for (int s = 0; s < g.s; ++s) {
        const int q = PlaceOf(column, s, g.dilation_w, g.pad_left, g.stride_w, g.q);
        if (q < 0) continue;
        const T* const grad = dy + ((n * g.p + p) * g.q + q) * g.k + first_filter;
        const T* const weight =
            w + ((int64_t{r} * g.s + s) * channels + c % channels) * g.k + first_filter;
        for (int k = 0; k < filters; ++k) total += grad[k] * weight[k];
      }
    }
    dx[i] = total;
  }
  // TODO(11.10) end

  // TODO(11.11) begin
  const int channels = g.c / g.groups;
  const int filters = g.k / g.groups;
  MINITF_GPU_LOOP(i, g.w_size()) {
    const int k = static_cast<int>(i % g.k);
    int64_t rest = i / g.k;
    const int c = k / filters * channels + static_cast<int>(rest % channels);
    rest /= channels;
    const int s = static_cast<int>(rest % g.s);
    const int r = static_cast<int>(rest / g.s);
    T total = 0;
    for (int64_t n = 0; n < g.n; ++n) {
      for (int p = 0; p < g.p; ++p) {
        const int row = p * g.stride_h + r * g.dilation_h - g.pad_top;
        for (int q = 0; q < g.q; ++q) {
          const int column = q * g.stride_w + s * g.dilation_w - g.pad_left;
          if (!g.has_pixel(row, column)) continue;
          total += x[((n * g.h + row) * g.w + column) * g.c + c] *
                   dy[((n * g.p + p) * g.q + q) * g.k + k];
        }
      }
    }
    dw[i] = total;
  }
  // TODO(11.11) end
