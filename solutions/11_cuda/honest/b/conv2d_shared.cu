  // TODO(11.12) begin
  const bool has_result = k < g.k && first_q + q < g.q;
  const int part_size = rows * columns * kChannels;
  for (int first_c = 0; first_c < g.c; first_c += kChannels) {
    const int num_channels = min(kChannels, g.c - first_c);
    for (int i = thread; i < part_size; i += num_threads) {
      const int c = i % kChannels;
      const int row = first_row + i / kChannels / columns;
      const int column = first_column + i / kChannels % columns;
      const bool exists = c < num_channels && g.has_pixel(row, column);
      part[i] = exists ? image[(int64_t{row} * g.w + column) * g.c + first_c + c] : 0.0F;
    }
    __syncthreads();  // the part is complete
    if (has_result) {
      for (int r = 0; r < g.r; ++r) {
        for (int s = 0; s < g.s; ++s) {
          const int part_row = r * g.dilation_h;
          const int part_column = q * g.stride_w + s * g.dilation_w;
          for (int c = 0; c < num_channels; ++c) {
            const float weight =
                w[((int64_t{r} * g.s + s) * g.c + first_c + c) * g.k + k];
            for (int p = 0; p < kPlaces; ++p) {
              const int pixel = (p * g.stride_h + part_row) * columns + part_column;
              sum[p] += part[pixel * kChannels + c] * weight;
            }
          }
        }
      }
    }
    __syncthreads();  // nobody needs the part any longer
  }
  // TODO(11.12) end
