  // TODO(02.13) begin
  int64_t steps = 0;
  fits = !__builtin_mul_overflow(taps - 1, dilation, &steps) && steps < kTooLong;
  if (fits) reach = steps + 1;
  // TODO(02.13) end

  // TODO(02.13) begin
  return size / stride + (size % stride == 0 ? 0 : 1);
  // TODO(02.13) end

  // TODO(02.13) begin
  const int64_t places = SamePlaces(size, stride);
  if (places == 0) return {0, 0, 0};
  const int64_t zeros = std::max<int64_t>(0, (places - 1) * stride + reach - size);
  return {places, zeros / 2, zeros - zeros / 2};
  // TODO(02.13) end

  // TODO(02.13) begin
  return {(padded - reach) / attrs.stride + 1, attrs.pad_before, attrs.pad_after};
  // TODO(02.13) end

    // TODO(02.13) begin
    const bool is_told = padding == Padding::kSame && size != kUnknown;
    return {is_told ? SamePlaces(size, attrs.stride) : kUnknown, attrs.pad_before,
            attrs.pad_after};
    // TODO(02.13) end
