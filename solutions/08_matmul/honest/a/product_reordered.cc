  // TODO(08.2) begin
  const StridedMatrix<T> left = LeftOf(sizes, a);
  const T* rows_of_b = b;
  std::vector<T> turned;
  if (sizes.transpose_b) {
    const StridedMatrix<T> right = RightOf(sizes, b);
    turned.reserve(k * n);
    for (int64_t p = 0; p < k; ++p) {
      for (int64_t j = 0; j < n; ++j) turned.push_back(right.at(p, j));
    }
    rows_of_b = turned.data();
  }
  for (int64_t i = 0; i < m; ++i) {
    StopIfAsked();
    T* out = &product[i * n];
    // The first step writes, so nothing has to be cleared.
    const T first = left.at(i, 0);
    for (int64_t j = 0; j < n; ++j) out[j] = first * rows_of_b[j];
    for (int64_t p = 1; p < k; ++p) {
      const T x = left.at(i, p);
      const T* y = rows_of_b + p * n;
      for (int64_t j = 0; j < n; ++j) out[j] = out[j] + x * y[j];
    }
  }
  // TODO(08.2) end
