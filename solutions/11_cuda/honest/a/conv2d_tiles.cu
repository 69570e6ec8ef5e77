    // TODO(11.13) begin
    const int places = g.p * g.q;
    const int image = m / places;
    if (image >= g.n) return {nullptr, 0, 0};
    const int place = m - image * places;
    Line line;
    line.image = x + int64_t{image} * g.h * g.w * g.c;
    line.row = place / g.q * g.stride_h - g.pad_top;
    line.column = place % g.q * g.stride_w - g.pad_left;
    return line;
    // TODO(11.13) end

    // TODO(11.14) begin
    float4 four = make_float4(0, 0, 0, 0);
    if (line.image == nullptr) return four;
    if (is_aligned && k < k_end) {
      const int tap = k / g.c;
      const float* const pixel = PixelOf(line, tap);
      if (pixel != nullptr) {
        four = *reinterpret_cast<const float4*>(pixel + (k - tap * g.c));
      }
    } else if (!is_aligned) {
      four.x = One(line, k, k_end);
      four.y = One(line, k + 1, k_end);
      four.z = One(line, k + 2, k_end);
      four.w = One(line, k + 3, k_end);
    }
    return four;
    // TODO(11.14) end

    // TODO(11.13) begin
    const int r = tap / g.s;
    const int row = line.row + r * g.dilation_h;
    const int column = line.column + (tap - r * g.s) * g.dilation_w;
    const int64_t pixel = int64_t{row} * g.w + column;
    return g.has_pixel(row, column) ? line.image + pixel * g.c : nullptr;
    // TODO(11.13) end

  // TODO(11.13) begin
  const int64_t threads = int64_t{gridDim.x} * blockDim.x;
  for (int64_t at = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; at < count;
       at += threads) {
    const int place = static_cast<int>(at / length);
    rows[at] = patches.One(patches.LineOf(place, 0), static_cast<int>(at % length), length);
  }
  // TODO(11.13) end
