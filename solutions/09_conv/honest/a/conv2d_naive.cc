#include <vector>

  // TODO(09.1) begin
  // Filter by filter, as the formula is written.
  const int64_t q = place % g.q;
  const int64_t p = place / g.q % g.p;
  const int64_t n = place / (g.p * g.q);
  const int64_t channels = g.c / g.groups;
  for (int64_t k = 0; k < g.k; ++k) {
    const int64_t first_channel = k / (g.k / g.groups) * channels;
    T sum(0);
    for (int64_t r = 0; r < g.r; ++r) {
      const int64_t row = p * g.stride_h + r * g.dilation_h - g.pad_top;
      if (row < 0 || row >= g.h) continue;
      for (int64_t s = 0; s < g.s; ++s) {
        const int64_t column = q * g.stride_w + s * g.dilation_w - g.pad_left;
        if (column < 0 || column >= g.w) continue;
        for (int64_t c = 0; c < channels; ++c) {
          sum += x[((n * g.h + row) * g.w + column) * g.c + first_channel + c] *
                 w[((r * g.s + s) * channels + c) * g.k + k];
        }
      }
    }
    y[place * g.k + k] = sum;
  }
  // TODO(09.1) end
