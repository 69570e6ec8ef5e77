  // TODO(09.6) begin
  const int64_t reach = Reach(g_.r, g_.dilation_h);
  const int64_t fitting =
      kBytes / (row_size() * static_cast<int64_t>(sizeof(T)) + 1);
  if (fitting < reach) return 1;
  return std::min(g_.p, (fitting - reach) / g_.stride_h + 1);
  // TODO(09.6) end

  // TODO(09.6) begin
  std::fill_n(room, size(), T(0));
  const int64_t top = first * g_.stride_h - g_.pad_top;
  const int64_t begin = std::max<int64_t>(0, g_.pad_left);
  const int64_t end = std::min(width_, g_.w + g_.pad_left);
  for (int64_t row = std::max<int64_t>(0, top); row < std::min(g_.h, top + height_);
       ++row) {
    if (begin >= end) break;
    const T* const from = x_ + ((image * g_.h + row) * g_.w + begin - g_.pad_left) * g_.c;
    std::copy(from, from + (end - begin) * g_.c,
              room + (row - top) * row_size() + begin * g_.c);
  }
  // TODO(09.6) end
