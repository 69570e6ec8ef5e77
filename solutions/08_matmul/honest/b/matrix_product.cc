  // TODO(08.11) begin
  // Each step of all rows: what a(:,p) b(p,:) brings.
  const StridedMatrix<T> left = LeftOf(s, a);
  const StridedMatrix<T> right = RightOf(s, b);
  const auto work = [&](int64_t begin, int64_t end) {
    std::fill(product + begin * s.n, product + end * s.n, T(0));
    for (int64_t p = 0; p < s.k; ++p) {
      for (int64_t place = begin * s.n; place < end * s.n; ++place) {
        AddProduct(left.at(place / s.n, p), right.at(p, place % s.n), product + place);
      }
    }
  };
  ForPieces(threads, s.m, s.k * s.n / 4 + 1, work);
  // TODO(08.11) end

  // TODO(08.10) begin
  if (s.m > 1 && s.n > 1) {
    MultiplyByPanels(s, a, b, product, threads);
  } else if (s.n == 1) {
    if (s.transpose_a) {
      VectorTimesMatrix(b, a, s.k, s.m, product, threads);
    } else {
      MatrixTimesVector(a, s.m, s.k, b, product, threads);
    }
  } else if (s.transpose_b) {
    MatrixTimesVector(b, s.n, s.k, a, product, threads);
  } else {
    VectorTimesMatrix(a, b, s.k, s.n, product, threads);
  }
  // TODO(08.10) end
