  // TODO(11.3) begin
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int64_t warps = blockDim.x / 32;
  const int64_t results = step.outers * step.parts;
  for (int64_t result = blockIdx.x * warps + threadIdx.x / 32; result < results;
       result += gridDim.x * warps) {
    const T* const row = step.x + result / step.parts * step.length;
    const Range range = RangeOf(step, result);
    T value = Combine::Identity();
    for (int64_t i = range.begin + lane; i < range.end; i += 32) {
      value = combine(value, row[i]);
    }
    value = OfWarp(value, combine);
    if (lane == 0) step.y[result] = Combine::Finish(value, step.count);
  }
  // TODO(11.3) end

  // TODO(11.4) begin
  const int64_t results = step.outers * step.parts;
  for (int64_t result = blockIdx.x; result < results; result += gridDim.x) {
    const T* const row = step.x + result / step.parts * step.length;
    const Range range = RangeOf(step, result);
    T value = Combine::Identity();
    for (int64_t i = range.begin + threadIdx.x; i < range.end; i += blockDim.x) {
      value = combine(value, row[i]);
    }
    value = OfBlock(value, Combine::Identity(), room, combine);
    if (threadIdx.x == 0) step.y[result] = Combine::Finish(value, step.count);
  }
  // TODO(11.4) end

  // TODO(11.5) begin
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int64_t strips = (step.inner + kColumns - 1) / kColumns;
  const int64_t jobs = step.outers * step.parts * strips;
  for (int64_t job = blockIdx.x; job < jobs; job += gridDim.x) {
    const int64_t result = job / strips;
    const int64_t column = job % strips * kColumns + tx;
    const bool has_column = column < step.inner;
    const T* const top = step.x + result / step.parts * step.length * step.inner + column;
    const Range range = RangeOf(step, result);
    T value = Combine::Identity();
    if (has_column) {
      for (int64_t k = range.begin + ty; k < range.end; k += kShares) {
        value = combine(value, top[k * step.inner]);
      }
    }
    shares[ty][tx] = value;
    __syncthreads();
    if (ty == 0 && has_column) {
      for (int s = 1; s < kShares; ++s) value = combine(value, shares[s][tx]);
      step.y[result * step.inner + column] = Combine::Finish(value, step.count);
    }
    __syncthreads();
  }
  // TODO(11.5) end

  // TODO(11.6) begin
  const int64_t part = (length + parts - 1) / parts;
  const cudaError_t error = LaunchStep<T, Combine>(
      {outer, length, inner, parts, part, 1, x, room}, stream);
  if (error != cudaSuccess) return error;
  return LaunchStep<T, Combine>({outer, parts, inner, 1, parts, length, room, y}, stream);
  // TODO(11.6) end
