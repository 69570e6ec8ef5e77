  // TODO(11.2) begin
  __shared__ T tile[kSide][kSide + 1];
  const int64_t down = (rows + kSide - 1) / kSide;
  const int64_t across = (columns + kSide - 1) / kSide;
  const int64_t tiles = batch * down * across;
  const int lane = static_cast<int>(threadIdx.x);
  for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    const int64_t column0 = t % across * kSide;
    const int64_t row0 = t / across % down * kSide;
    const int64_t matrix = t / (across * down) * rows * columns;
    for (int s = static_cast<int>(threadIdx.y); s < kSide; s += kThreadRows) {
      const int64_t i = row0 + s;
      const int64_t j = column0 + lane;
      if (i < rows && j < columns) tile[s][lane] = x[matrix + i * columns + j];
    }
    __syncthreads();
    for (int s = static_cast<int>(threadIdx.y); s < kSide; s += kThreadRows) {
      const int64_t i = row0 + lane;
      const int64_t j = column0 + s;
      if (i < rows && j < columns) y[matrix + j * rows + i] = tile[lane][s];
    }
    __syncthreads();
  }
  // TODO(11.2) end
