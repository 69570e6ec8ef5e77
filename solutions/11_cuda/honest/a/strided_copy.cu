  // TODO(11.1) begin
  const int64_t threads = int64_t{gridDim.x} * blockDim.x;
  for (int64_t number = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; number < count;
       number += threads) {
    Index left = static_cast<Index>(number);
    const T* source = from;
    T* target = to;
    for (int loop = loops.num_loops; loop-- > 0;) {
      const Index size = static_cast<Index>(loops.size[loop]);
      const Index rest = left / size;
      const int64_t at = left - rest * size;
      source += at * loops.from_stride[loop];
      target += at * loops.to_stride[loop];
      left = rest;
    }
    *target = *source;
  }
  // TODO(11.1) end
