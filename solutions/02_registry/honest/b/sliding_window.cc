  // TODO(02.13) begin
  const int64_t steps = taps - 1;
  fits = !__builtin_mul_overflow(steps, dilation, &reach) && reach < kTooLong;
  if (fits) ++reach;
  // TODO(02.13) end

  // TODO(02.13) begin
  return size / stride + (size % stride == 0 ? 0 : 1);
  // TODO(02.13) end

  // TODO(02.13) begin
  const int64_t places = SamePlaces(size, stride);
  if (places == 0) return {0, 0, 0};
  const int64_t end = (places - 1) * stride + reach;  // of the last window
  const int64_t zeros = end > size ? end - size : 0;
  return {places, zeros / 2, zeros - zeros / 2};
  // TODO(02.13) end

  // TODO(02.13) begin
  const int64_t last = (padded - reach) / attrs.stride;  // the number of the last place
  return {last + 1, attrs.pad_before, attrs.pad_after};
  // TODO(02.13) end

    // TODO(02.13) begin
    const bool is_certain = padding == Padding::kSame && size != kUnknown;
    return {is_certain ? SamePlaces(size, attrs.stride) : kUnknown, attrs.pad_before,
            attrs.pad_after};
    // TODO(02.13) end
