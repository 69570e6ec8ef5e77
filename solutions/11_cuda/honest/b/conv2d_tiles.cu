    // TODO(11.13) begin
    if (m >= g.n * g.p * g.q) return {nullptr, 0, 0};
    const int q = m % g.q;
    const int p = m / g.q % g.p;
    const int n = m / g.q / g.p;
    return {x + int64_t{n} * g.h * g.w * g.c, p * g.stride_h - g.pad_top,
            q * g.stride_w - g.pad_left};
    // TODO(11.13) end

    // TODO(11.14) begin
    if (line.image == nullptr || k >= k_end) return make_float4(0, 0, 0, 0);
    if (!is_aligned || k + 3 >= k_end) {
      return make_float4(One(line, k, k_end), One(line, k + 1, k_end),
                         One(line, k + 2, k_end), One(line, k + 3, k_end));
    }
    const float* const pixel = PixelOf(line, k / g.c);
    if (pixel == nullptr) return make_float4(0, 0, 0, 0);
    return *reinterpret_cast<const float4*>(pixel + k % g.c);
    // TODO(11.14) end

    // TODO(11.13) begin
    if (line.image == nullptr) return nullptr;
    const int row = line.row + tap / g.s * g.dilation_h;
    const int column = line.column + tap % g.s * g.dilation_w;
    if (!g.has_pixel(row, column)) return nullptr;
    return line.image + (int64_t{row} * g.w + column) * g.c;
    // TODO(11.13) end

  // TODO(11.13) begin
  MINITF_GPU_LOOP(i, count) {
    const Patches::Line line = patches.LineOf(static_cast<int>(i / length), 0);
    rows[i] = patches.One(line, static_cast<int>(i % length), length);
  }
  // TODO(11.13) end
