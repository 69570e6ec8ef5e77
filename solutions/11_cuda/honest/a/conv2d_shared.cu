  // TODO(11.12) begin
  for (int first_c = 0; first_c < g.c; first_c += kChannels) {
    __syncthreads();
    for (int number = thread; number < rows * columns * kChannels;
         number += num_threads) {
      const int c = number % kChannels;
      const int pixel = number / kChannels;
      const int row = first_row + pixel / columns;
      const int column = first_column + pixel % columns;
      const bool is_there = g.has_pixel(row, column) && first_c + c < g.c;
      const int64_t at = (int64_t{row} * g.w + column) * g.c + first_c + c;
      part[number] = is_there ? image[at] : 0.0F;
    }
    __syncthreads();
    if (k >= g.k) continue;
    for (int c = 0; c < kChannels && first_c + c < g.c; ++c) {
      for (int tap = 0; tap < g.r * g.s; ++tap) {
        const float weight = w[(int64_t{tap} * g.c + first_c + c) * g.k + k];
        const int column = q * g.stride_w + tap % g.s * g.dilation_w;
        const int row = tap / g.s * g.dilation_h;
        const float* at = part + (row * columns + column) * kChannels + c;
        for (int p = 0; p < kPlaces; ++p) {
          sum[p] += *at * weight;
          if (p + 1 < kPlaces) at += g.stride_h * columns * kChannels;
        }
      }
    }
  }
  // TODO(11.12) end
