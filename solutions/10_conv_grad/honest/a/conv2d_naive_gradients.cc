#include <vector>
  // TODO(10.1) begin
  // From the pixel: which places see it, and through which tap?
  const int64_t group_c = g.c / g.groups;
  const int64_t group_k = g.k / g.groups;
  const auto image_of = [&](int64_t n) {
    for (int64_t h = 0; h < g.h; ++h) {
      StopIfAsked();
      for (int64_t column = 0; column < g.w; ++column) {
        T* to = dx + ((n * g.h + h) * g.w + column) * g.c;
        for (int64_t c = 0; c < g.c; ++c) to[c] = T(0);
        for (int64_t r = 0; r < g.r; ++r) {
          const int64_t from_top = h + g.pad_top - r * g.dilation_h;
          if (from_top < 0 || from_top % g.stride_h != 0) continue;
          const int64_t p = from_top / g.stride_h;
          if (p >= g.p) continue;
          for (int64_t s = 0; s < g.s; ++s) {
            const int64_t from_left = column + g.pad_left - s * g.dilation_w;
            if (from_left < 0 || from_left % g.stride_w != 0) continue;
            const int64_t q = from_left / g.stride_w;
            if (q >= g.q) continue;
            const T* gradient = dy + ((n * g.p + p) * g.q + q) * g.k;
            const T* filters = w + (r * g.s + s) * group_c * g.k;
            for (int64_t c = 0; c < g.c; ++c) {
              const int64_t first = c / group_c * group_k;
              for (int64_t k = first; k < first + group_k; ++k) {
                to[c] += gradient[k] * filters[c % group_c * g.k + k];
              }
            }
          }
        }
      }
    }
  };
  threads.ParallelPieces(g.n, 100'000, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n) image_of(n);
  });
  // TODO(10.1) end

  // TODO(10.2) begin
  // One number of dw at a time, as the sum that it is.
  const int64_t group_c = g.c / g.groups;
  const int64_t group_k = g.k / g.groups;
  const auto one_tap = [&](int64_t tap) {
    const int64_t r = tap / g.s;
    const int64_t s = tap % g.s;
    std::vector<T> sums(group_c * g.k, T(0));
    for (int64_t n = 0; n < g.n; ++n) {
      for (int64_t p = 0; p < g.p; ++p) {
        StopIfAsked();
        const int64_t h = p * g.stride_h + r * g.dilation_h - g.pad_top;
        if (h < 0 || h >= g.h) continue;
        for (int64_t q = 0; q < g.q; ++q) {
          const int64_t column = q * g.stride_w + s * g.dilation_w - g.pad_left;
          if (column < 0 || column >= g.w) continue;
          const T* pixel = x + ((n * g.h + h) * g.w + column) * g.c;
          const T* gradient = dy + ((n * g.p + p) * g.q + q) * g.k;
          for (int64_t k = 0; k < g.k; ++k) {
            const T* channels = pixel + k / group_k * group_c;
            for (int64_t c = 0; c < group_c; ++c) {
              sums[c * g.k + k] += channels[c] * gradient[k];
            }
          }
        }
      }
    }
    std::copy(sums.begin(), sums.end(), dw + tap * group_c * g.k);
  };
  threads.ParallelPieces(g.r * g.s, 100'000, [&](int64_t begin, int64_t end) {
    for (int64_t tap = begin; tap < end; ++tap) one_tap(tap);
  });
  // TODO(10.2) end
