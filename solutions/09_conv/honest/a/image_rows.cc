  // TODO(09.6) begin
  const auto row_bytes = static_cast<int64_t>(row_size() * sizeof(T));
  const int64_t fitting = kBytes / (row_bytes + 1);
  int64_t count = 1;
  while (count < g_.p && count * g_.stride_h + Reach(g_.r, g_.dilation_h) <= fitting) {
    ++count;
  }
  return count;
  // TODO(09.6) end

  // TODO(09.6) begin
  for (int64_t i = 0; i < height_; ++i) {
    const int64_t row = first * g_.stride_h - g_.pad_top + i;
    for (int64_t j = 0; j < width_; ++j) {
      const int64_t column = j - g_.pad_left;
      const bool inside = row >= 0 && row < g_.h && column >= 0 && column < g_.w;
      for (int64_t c = 0; c < g_.c; ++c) {
        T& to = room[(i * width_ + j) * g_.c + c];
        to = inside ? x_[((image * g_.h + row) * g_.w + column) * g_.c + c] : T(0);
      }
    }
  }
  // TODO(09.6) end
