  // TODO(11.2) begin
  // Number (i, j) stands in column j ^ i: so rows and columns meet all banks.
  __shared__ T tile[kSide][kSide];
  const int lane = threadIdx.x;
  const int64_t down = (rows + kSide - 1) / kSide;
  const int64_t across = (columns + kSide - 1) / kSide;
  for (int64_t at = blockIdx.x; at < batch * down * across; at += gridDim.x) {
    const T* const from = x + at / (down * across) * rows * columns;
    T* const to = y + at / (down * across) * rows * columns;
    const int64_t top = at % (down * across) / across * kSide;
    const int64_t left = at % across * kSide;
    for (int r = threadIdx.y; r < kSide && top + r < rows; r += kThreadRows) {
      if (left + lane < columns) {
        tile[r][lane ^ r] = from[(top + r) * columns + left + lane];
      }
    }
    __syncthreads();
    for (int c = threadIdx.y; c < kSide && left + c < columns; c += kThreadRows) {
      if (top + lane < rows) to[(left + c) * rows + top + lane] = tile[lane][c ^ lane];
    }
    __syncthreads();
  }
  // TODO(11.2) end
