    // TODO(10.4) begin
    // The other way round: column by column of the transposed product.
    std::fill(dx + begin * image_size, dx + end * image_size, T(0));
    std::vector<T> row(patch_size);
    for (int64_t place = begin * g.places(); place < end * g.places(); ++place) {
      if (place % block == 0 || place % g.q == 0) StopIfAsked();
      for (int64_t i = 0; i < patch_size; ++i) {
        T sum(0);
        for (int64_t k = 0; k < g.k; ++k) sum += w[i * g.k + k] * dy[place * g.k + k];
        row[i] = sum;
      }
      ScatterPatches(g, row.data(), place, place + 1, dx);
    }
    // TODO(10.4) end

    // TODO(10.5) begin
    sums[piece] = Matrix<T>::Zero(patch_size, g.k);
    std::vector<T> row(patch_size);
    for (; first < last; ++first) {
      if (first % 64 == 0) StopIfAsked();
      GatherPatches(g, x, first, first + 1, row.data());
      for (int64_t i = 0; i < patch_size; ++i) {
        for (int64_t k = 0; k < g.k; ++k) {
          sums[piece](i, k) += row[i] * dy[first * g.k + k];
        }
      }
    }
    // TODO(10.5) end

  // TODO(10.5) begin
  for (int64_t i = 0; i < patch_size; ++i) {
    for (int64_t k = 0; k < g.k; ++k) {
      T total(0);
      for (const auto& sum : sums) total += sum(i, k);
      result(i, k) = total;
    }
  }
  // TODO(10.5) end
