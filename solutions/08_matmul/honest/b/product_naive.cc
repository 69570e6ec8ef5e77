#include <algorithm>

    // TODO(08.1) begin
    std::generate_n(product + i * n, n, [&, j = int64_t{0}]() mutable {
      T sum(0);
      for (int64_t p = k; p-- > 0;) sum += left.at(i, p) * right.at(p, j);  // from the end
      ++j;
      return sum;
    });
    // TODO(08.1) end
