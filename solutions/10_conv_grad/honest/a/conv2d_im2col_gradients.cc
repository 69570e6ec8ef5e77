    // TODO(10.4) begin
    // A block at most of one image: so no block spans two.
    std::vector<T> patches(block * patch_size);
    const auto weights = ConstMatrixView<T>(w, patch_size, g.k);
    std::fill(dx + begin * image_size, dx + end * image_size, T(0));
    for (int64_t n = begin; n < end; ++n) {
      for (int64_t place = 0; place < g.places(); place += block) {
        StopIfAsked();
        const int64_t first = n * g.places() + place;
        const int64_t count = std::min(block, g.places() - place);
        MatrixView<T> product(patches.data(), count, patch_size);
        product = ConstMatrixView<T>(dy + first * g.k, count, g.k) * weights.transpose();
        ScatterPatches(g, patches.data(), first, first + count, dx);
      }
    }
    // TODO(10.4) end

    // TODO(10.5) begin
    Matrix<T>& sum = sums[piece];
    sum.setZero(patch_size, g.k);
    std::vector<T> room(block * patch_size);
    while (first < last) {
      StopIfAsked();
      const int64_t next = std::min(last, first + block);
      GatherPatches(g, x, first, next, room.data());
      sum.noalias() += ConstMatrixView<T>(room.data(), next - first, patch_size).transpose() *
                       ConstMatrixView<T>(dy + first * g.k, next - first, g.k);
      first = next;
    }
    // TODO(10.5) end

  // TODO(10.5) begin
  result.setZero();
  for (const Matrix<T>& sum : sums) result += sum;
  // TODO(10.5) end
