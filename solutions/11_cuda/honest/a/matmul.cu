  // TODO(11.7) begin
  const int64_t numbers = int64_t{sizes.batch} * sizes.m * sizes.n;
  MINITF_GPU_LOOP(number, numbers) {
    const int64_t row_of_all = number / sizes.n;
    const int64_t product = row_of_all / sizes.m;
    const T* left = a + product * sa.batch + row_of_all % sizes.m * sa.row;
    const T* right = b + product * sb.batch + number % sizes.n * sb.column;
    T sum = 0;
    for (int k = 0; k < sizes.k; ++k, left += sa.column, right += sb.row) {
      sum += *left * *right;
    }
    c[number] = sum;
  }
  // TODO(11.7) end

  // TODO(11.8) begin
  // One row of shared memory more than numbers, and both tiles lie along k.
  __shared__ T left[kSide * (kSide + 1)];
  __shared__ T right[kSide * (kSide + 1)];
  constexpr int kStep = kSide / kRowsEach;
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int top = blockIdx.y * kSide;
  const int side = blockIdx.x * kSide;
  T total[kRowsEach] = {};
  for (int begin = 0; begin < sizes.k; begin += kSide) {
    for (int line = y; line < kSide; line += kStep) {
      if (sizes.transpose_a) {
        const bool is_there = begin + line < sizes.k && top + x < sizes.m;
        left[x * (kSide + 1) + line] =
            is_there ? a[int64_t{begin + line} * sizes.m + top + x] : T(0);
      } else {
        const bool is_there = begin + x < sizes.k && top + line < sizes.m;
        left[line * (kSide + 1) + x] =
            is_there ? a[int64_t{top + line} * sizes.k + begin + x] : T(0);
      }
      if (sizes.transpose_b) {
        const bool is_there = begin + x < sizes.k && side + line < sizes.n;
        right[x * (kSide + 1) + line] =
            is_there ? b[int64_t{side + line} * sizes.k + begin + x] : T(0);
      } else {
        const bool is_there = begin + line < sizes.k && side + x < sizes.n;
        right[line * (kSide + 1) + x] =
            is_there ? b[int64_t{begin + line} * sizes.n + side + x] : T(0);
      }
    }
    __syncthreads();
    const int depth = min(kSide, sizes.k - begin);
    for (int k = 0; k < depth; ++k) {
      const T number = right[k * (kSide + 1) + x];
      for (int i = 0; i < kRowsEach; ++i) {
        total[i] += left[(y + i * kStep) * (kSide + 1) + k] * number;
      }
    }
    __syncthreads();
  }
  if (side + x < sizes.n) {
    for (int i = 0; i < kRowsEach && top + y + i * kStep < sizes.m; ++i) {
      c[int64_t{top + y + i * kStep} * sizes.n + side + x] = total[i];
    }
  }
  // TODO(11.8) end
