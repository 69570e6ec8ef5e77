    // TODO(09.7) begin
    const int64_t width = kernel_.columns();
    std::fill_n(to, Slivers() * g_.patch_size() * width, T(0));
    for (int64_t i = 0; i < g_.patch_size(); ++i) {
      for (int64_t k = 0; k < g_.k; ++k) {
        to[(k / width * g_.patch_size() + i) * width + k % width] = w[i * g_.k + k];
      }
    }
    // TODO(09.7) end

    // TODO(09.7) begin
    // Always a run for each tap: right as well, only slower.
    for (int64_t tap = 0; tap < g_.r * g_.s; ++tap) {
      const int64_t row = tap / g_.s * g_.dilation_h;
      const int64_t column = tap % g_.s * g_.dilation_w;
      starts_.push_back(row * rows_.row_size() + column * g_.c);
    }
    // TODO(09.7) end

    // TODO(09.8) begin
    rows_.Copy(image, first, room);
    const int64_t last = std::min(first + rows_.at_a_time(), g_.p);
    for (int64_t p = first; p < last; ++p) {
      const T* const a = room + (p - first) * g_.stride_h * rows_.row_size();
      T* const y = y_ + (image * g_.p + p) * g_.q * g_.k;
      for (int64_t sliver = 0; sliver < Slivers(); ++sliver) MultiplyRow(a, sliver, y);
      if (rows_done_) rows_done_(y, g_.q);
    }
    // TODO(09.8) end

    // TODO(09.8) begin
    const int64_t first_k = sliver * kernel_.columns();
    const int64_t count_k = std::min<int64_t>(g_.k - first_k, kernel_.columns());
    const int64_t vectors = count_k > kernel_.lanes ? 2 : 1;
    MicroProduct<T> product;
    product.starts = starts_;
    product.k = g_.patch_size() / static_cast<int64_t>(starts_.size());
    product.a_row = g_.stride_w * g_.c;
    product.a_column = 1;
    product.b =
        filters_.flat<T>().data() + sliver * g_.patch_size() * kernel_.columns();
    product.b_row = kernel_.columns();
    product.c_row = g_.k;
    product.columns = count_k;
    product.adds = false;
    for (int64_t q = 0; q < g_.q; q += kernel_.rows) {
      product.a = a + q * g_.stride_w * g_.c;
      product.c = y + q * g_.k + first_k;
      const int64_t rows = std::min<int64_t>(kernel_.rows, g_.q - q);
      kernel_.functions[vectors][rows](product);
    }
    // TODO(09.8) end
