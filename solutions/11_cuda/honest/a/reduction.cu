  // TODO(11.3) begin
  const int64_t results = step.outers * step.parts;
  const int lane = threadIdx.x & 31;
  for (int64_t warp = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) >> 5; warp < results;
       warp += (int64_t{gridDim.x} * blockDim.x) >> 5) {
    const int64_t outer = warp / step.parts;
    const int64_t begin = (warp - outer * step.parts) * step.part;
    const int64_t end = min(step.length, begin + step.part);
    T mine = Combine::Identity();
    for (int64_t at = begin + lane; at < end; at += 32) {
      mine = combine(mine, step.x[outer * step.length + at]);
    }
    for (int distance = 16; distance > 0; distance >>= 1) {
      mine = combine(mine, __shfl_down_sync(kWholeWarp, mine, distance));
    }
    if (lane == 0) step.y[warp] = Combine::Finish(mine, step.count);
  }
  // TODO(11.3) end

  // TODO(11.4) begin
  const int warps = blockDim.x / 32;
  for (int64_t at = blockIdx.x; at < step.outers * step.parts; at += gridDim.x) {
    const Range range = RangeOf(step, at);
    T mine = Combine::Identity();
    for (int64_t i = range.begin + threadIdx.x; i < range.end; i += blockDim.x) {
      mine = combine(mine, step.x[at / step.parts * step.length + i]);
    }
    mine = OfWarp(mine, combine);
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int warp = 1; warp < warps; ++warp) mine = combine(mine, room[warp]);
      step.y[at] = Combine::Finish(mine, step.count);
    }
    __syncthreads();
  }
  // TODO(11.4) end

  // TODO(11.5) begin
  const int64_t strips = (step.inner + kColumns - 1) / kColumns;
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  for (int64_t at = blockIdx.x; at < step.outers * step.parts * strips; at += gridDim.x) {
    const int64_t result = at / strips;
    const int64_t column = at % strips * kColumns + x;
    const Range range = RangeOf(step, result);
    T mine = Combine::Identity();
    if (column < step.inner) {
      const int64_t outer = result / step.parts;
      for (int64_t i = range.begin + y; i < range.end; i += kShares) {
        mine = combine(mine, step.x[(outer * step.length + i) * step.inner + column]);
      }
    }
    shares[y][x] = mine;
    for (int half = kShares / 2; half > 0; half /= 2) {
      __syncthreads();
      if (y < half) shares[y][x] = combine(shares[y][x], shares[y + half][x]);
    }
    if (y == 0 && column < step.inner) {
      step.y[result * step.inner + column] = Combine::Finish(shares[0][x], step.count);
    }
    __syncthreads();
  }
  // TODO(11.5) end

  // TODO(11.6) begin
  Step<T> first = {};
  first.outers = outer;
  first.length = length;
  first.inner = inner;
  first.parts = parts;
  first.part = length % parts == 0 ? length / parts : length / parts + 1;
  first.count = 1;
  first.x = x;
  first.y = room;
  Step<T> second = first;
  second.length = second.part = parts;
  second.parts = 1;
  second.count = length;
  second.x = room;
  second.y = y;
  const cudaError_t failed = LaunchStep<T, Combine>(first, stream);
  return failed != cudaSuccess ? failed : LaunchStep<T, Combine>(second, stream);
  // TODO(11.6) end
