    // TODO(08.1) begin
    for (int64_t column = 0; column < n; ++column) {
      T total{};
      int64_t step = 0;
      while (step < k) {
        const T x = left.at(i, step);
        const T y = right.at(step, column);
        total += x * y;
        ++step;
      }
      product[column + n * i] = total;
    }
    // TODO(08.1) end
