  // TODO(11.1) begin
  const Index first = static_cast<Index>(blockIdx.x) * static_cast<Index>(blockDim.x) +
                      static_cast<Index>(threadIdx.x);
  const Index stride = static_cast<Index>(gridDim.x) * static_cast<Index>(blockDim.x);
  for (Index number = first; number < count; number += stride) {
    Index rest = number;
    Index source = 0;
    Index target = 0;
    for (int d = loops.num_loops - 1; d >= 0; --d) {
      const Index size = static_cast<Index>(loops.size[d]);
      const Index digit = rest % size;
      rest /= size;
      source += digit * static_cast<Index>(loops.from_stride[d]);
      target += digit * static_cast<Index>(loops.to_stride[d]);
    }
    to[target] = from[source];
  }
  // TODO(11.1) end
