  // TODO(11.9) begin
  MINITF_GPU_LOOP(number, g.y_size()) {
    const int of_group = g.c / g.groups;
    const int filter = static_cast<int>(number % g.k);
    const int64_t place = number / g.k;
    const int top = static_cast<int>(place / g.q % g.p) * g.stride_h - g.pad_top;
    const int left = static_cast<int>(place % g.q) * g.stride_w - g.pad_left;
    const T* const image = x + place / (int64_t{g.p} * g.q) * g.h * g.w * g.c;
    const int group = filter / (g.k / g.groups);
    T sum = 0;
    for (int c = 0; c < of_group; ++c) {
      for (int tap = 0; tap < g.r * g.s; ++tap) {
        const int row = top + tap / g.s * g.dilation_h;
        const int column = left + tap % g.s * g.dilation_w;
        if (!g.has_pixel(row, column)) continue;
        sum += image[(int64_t{row} * g.w + column) * g.c + group * of_group + c] *
               w[(int64_t{tap} * of_group + c) * g.k + filter];
      }
    }
    y[number] = sum;
  }
  // TODO(11.9) end

  // TODO(11.10) begin
  for (int place = 0; place < places; ++place) {
    if (place * stride + tap * dilation - pad == at) return place;
  }
  return -1;
  // TODO(11.10) end

  // TODO(11.10) begin
  const int of_group = g.c / g.groups;
  MINITF_GPU_LOOP(number, g.x_size()) {
    const int c = static_cast<int>(number % g.c);
    const int64_t pixel = number / g.c;
    const int row = static_cast<int>(pixel / g.w % g.h);
    const int column = static_cast<int>(pixel % g.w);
    const int64_t image = pixel / g.w / g.h;
    const int group = c / of_group;
    T sum = 0;
    for (int tap = 0; tap < g.r * g.s; ++tap) {
      const int p = PlaceOf(row, tap / g.s, g.dilation_h, g.pad_top, g.stride_h, g.p);
      const int q = PlaceOf(column, tap % g.s, g.dilation_w, g.pad_left, g.stride_w, g.q);
      if (p < 0 || q < 0) continue;
      for (int k = group * (g.k / g.groups); k < (group + 1) * (g.k / g.groups); ++k) {
        sum += dy[((image * g.p + p) * g.q + q) * g.k + k] *
               w[(int64_t{tap} * of_group + c - group * of_group) * g.k + k];
      }
    }
    dx[number] = sum;
  }
  // TODO(11.10) end

  // TODO(11.11) begin
  const int of_group = g.c / g.groups;
  MINITF_GPU_LOOP(number, g.w_size()) {
    const int k = static_cast<int>(number % g.k);
    const int64_t row_of_w = number / g.k;
    const int c = k / (g.k / g.groups) * of_group + static_cast<int>(row_of_w % of_group);
    const int tap = static_cast<int>(row_of_w / of_group);
    T sum = 0;
    for (int64_t place = 0; place < int64_t{g.n} * g.p * g.q; ++place) {
      const int q = static_cast<int>(place % g.q);
      const int p = static_cast<int>(place / g.q % g.p);
      const int row = p * g.stride_h + tap / g.s * g.dilation_h - g.pad_top;
      const int column = q * g.stride_w + tap % g.s * g.dilation_w - g.pad_left;
      if (!g.has_pixel(row, column)) continue;
      const int64_t pixel = (place / g.q / g.p * g.h + row) * g.w + column;
      sum += x[pixel * g.c + c] * dy[place * g.k + k];
    }
    dw[number] = sum;
  }
  // TODO(11.11) end
