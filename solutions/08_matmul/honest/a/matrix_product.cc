  // TODO(08.11) begin
  const StridedMatrix<T> left = LeftOf(s, a);
  const StridedMatrix<T> right = RightOf(s, b);
  const int64_t nanoseconds = 1 + s.n * s.k / 4;
  ForPieces(threads, s.m, nanoseconds, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i != last; ++i) {
      for (int64_t j = 0; j < s.n; ++j) {
        T sum = T(0);
        for (int64_t p = 0; p < s.k; ++p) AddProduct(left.at(i, p), right.at(p, j), &sum);
        product[i * s.n + j] = sum;
      }
    }
  });
  // TODO(08.11) end

  // TODO(08.10) begin
  const bool is_row = s.m == 1;
  if (!is_row && s.n != 1) return MultiplyByPanels(s, a, b, product, threads);
  // (a b)' = b' a': a column is a row of the transposed product.
  const T* const vector = is_row ? a : b;
  const T* const matrix = is_row ? b : a;
  const int64_t length = is_row ? s.n : s.m;
  const bool is_dot = is_row ? s.transpose_b : !s.transpose_a;
  if (is_dot) {
    MatrixTimesVector(matrix, length, s.k, vector, product, threads);
  } else {
    VectorTimesMatrix(vector, matrix, s.k, length, product, threads);
  }
  // TODO(08.10) end
