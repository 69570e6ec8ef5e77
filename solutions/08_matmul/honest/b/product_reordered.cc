  // TODO(08.2) begin
  std::vector<T> copy;
  if (sizes.transpose_b) {
    copy.resize(k * n);
    const T* from = b;
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t p = 0; p < k; ++p) copy[p * n + j] = *from++;
    }
  }
  const T* const right = copy.empty() ? b : copy.data();
  const int64_t step_in_a = sizes.transpose_a ? m : 1;
  for (int64_t i = 0; i < m; ++i) {
    StopIfAsked();
    const T* from_a = sizes.transpose_a ? a + i : a + i * k;
    std::vector<T> sums(n, T(0));
    const T* from_b = right;
    for (int64_t p = 0; p < k; ++p, from_a += step_in_a) {
      const T factor = *from_a;
      for (T& sum : sums) sum += factor * *from_b++;
    }
    std::copy(sums.begin(), sums.end(), product + i * n);
  }
  // TODO(08.2) end
