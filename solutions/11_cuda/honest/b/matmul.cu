  // TODO(11.7) begin
  const int64_t m = sizes.m;
  const int64_t n = sizes.n;
  MINITF_GPU_LOOP(at, m * n * sizes.batch) {
    const int64_t j = at % n;
    const int64_t i = at / n % m;
    const int64_t product = at / n / m;
    const int64_t in_a = product * sa.batch + i * sa.row;
    const int64_t in_b = product * sb.batch + j * sb.column;
    T sum = 0;
    for (int k = 0; k < sizes.k; ++k) {
      sum += a[in_a + k * sa.column] * b[in_b + k * sb.row];
    }
    c[at] = sum;
  }
  // TODO(11.7) end

  // TODO(11.8) begin
  __shared__ T left[kSide][kSide + 1];   // [row of A, k]
  __shared__ T right[kSide][kSide + 1];  // [k, column of B]
  constexpr int kStep = kSide / kRowsEach;
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  const int row0 = static_cast<int>(blockIdx.y) * kSide;
  const int column0 = static_cast<int>(blockIdx.x) * kSide;
  T sum[kRowsEach] = {};
  for (int k0 = 0; k0 < sizes.k; k0 += kSide) {
    for (int s = ty; s < kSide; s += kStep) {
      // Lanes go along the axis of each operand that lies together.
      const int ar = sizes.transpose_a ? tx : s;
      const int ak = sizes.transpose_a ? s : tx;
      const bool is_in_a = row0 + ar < sizes.m && k0 + ak < sizes.k;
      left[ar][ak] = is_in_a ? a[(row0 + ar) * sa.row + (k0 + ak) * sa.column] : T(0);
      const int bk = sizes.transpose_b ? tx : s;
      const int bc = sizes.transpose_b ? s : tx;
      const bool is_in_b = k0 + bk < sizes.k && column0 + bc < sizes.n;
      right[bk][bc] = is_in_b ? b[(k0 + bk) * sb.row + (column0 + bc) * sb.column] : T(0);
    }
    __syncthreads();
    for (int k = 0; k < kSide; ++k) {
      const T factor = right[k][tx];
      for (int r = 0; r < kRowsEach; ++r) sum[r] += left[ty * kRowsEach + r][k] * factor;
    }
    __syncthreads();
  }
  const int column = column0 + tx;
  for (int r = 0; r < kRowsEach; ++r) {
    const int row = row0 + ty * kRowsEach + r;
    if (row < sizes.m && column < sizes.n) c[int64_t{row} * sizes.n + column] = sum[r];
  }
  // TODO(11.8) end
