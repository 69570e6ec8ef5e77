    // TODO(09.7) begin
    const int64_t columns = kernel_.columns();
    for (int64_t sliver = 0; sliver < Slivers(); ++sliver) {
      for (int64_t i = 0; i < g_.patch_size(); ++i) {
        for (int64_t j = 0; j < columns; ++j) {
          const int64_t k = sliver * columns + j;
          *to++ = k < g_.k ? w[i * g_.k + k] : T(0);
        }
      }
    }
    // TODO(09.7) end

    // TODO(09.7) begin
    const bool is_dense = g_.dilation_w == 1;
    for (int64_t r = 0; r < g_.r; ++r) {
      int64_t start = r * g_.dilation_h * rows_.row_size();
      starts_.push_back(start);
      for (int64_t s = 1; s < g_.s && !is_dense; ++s) {
        start += g_.dilation_w * g_.c;
        starts_.push_back(start);
      }
    }
    // TODO(09.7) end

    // TODO(09.8) begin
    rows_.Copy(image, first, room);
    const int64_t rows = std::min(rows_.at_a_time(), g_.p - first);
    T* const begin = y_ + (image * g_.p + first) * g_.q * g_.k;
    for (int64_t i = 0; i < rows * Slivers(); ++i) {
      MultiplyRow(room + i % rows * g_.stride_h * rows_.row_size(), i / rows,
                  begin + i % rows * g_.q * g_.k);
    }
    if (rows_done_) rows_done_(begin, rows * g_.q);
    // TODO(09.8) end

    // TODO(09.8) begin
    const int64_t width = kernel_.columns();
    const int64_t columns = std::min<int64_t>(g_.k - sliver * width, width);
    const T* const b = filters_.flat<T>().data() + sliver * width * g_.patch_size();
    const int64_t run = g_.patch_size() / static_cast<int64_t>(starts_.size());
    int64_t q = 0;
    while (q < g_.q) {
      const int64_t rows = std::min<int64_t>(g_.q - q, kernel_.rows);
      const auto function =
          kernel_.functions[(columns - 1) / kernel_.lanes + 1][rows];
      function({starts_, run, a + q * g_.stride_w * g_.c, g_.stride_w * g_.c, 1, b, width,
                y + q * g_.k + sliver * width, g_.k, columns, false});
      q += rows;
    }
    // TODO(09.8) end
