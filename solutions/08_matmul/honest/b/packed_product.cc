  // TODO(08.5) begin
  // By halves, until a piece is small: whatever the cache is, some size fits it.
  if (columns > kLine) {
    const int64_t half = columns / 2 / kLine * kLine;
    const int64_t first = std::max(half, kLine);
    CopyCrosswise(from, from_row, rows, first, to, to_row);
    CopyCrosswise(from + first, from_row, rows, columns - first, to + first * to_row,
                  to_row);
    return;
  }
  for (int64_t i = 0; i < rows; ++i) {
    const T* row = from + i * from_row;
    T* place = to + i;
    for (int64_t j = 0; j < columns; ++j, place += to_row) *place = row[j];
  }
  // TODO(08.5) end

    // TODO(08.9) begin
    // The larger parts come last, as far as there are any.
    return (total * part + parts / 2) / parts;
    // TODO(08.9) end

        // TODO(08.9) begin
        int64_t y = 0;
        int64_t x = i;
        for (; x >= columns.parts; x -= columns.parts) ++y;
        const int64_t first_row = kernel_.rows * rows.begin(y);
        const int64_t end = kernel_.rows * rows.begin(y + 1);
        MultiplyPiece(first_row, y + 1 == rows.parts ? sizes_.m : end, columns.begin(x),
                      columns.begin(x + 1));
        // TODO(08.9) end

    // TODO(08.9) begin
    for (int64_t begin = first_row, end; begin < last_row; begin = end) {
      end = std::min(begin + block, last_row);
      int64_t count = 1;
      while (count * kernel_.rows < end - begin) ++count;
      for (int64_t steps = 0; steps < sizes_.k; steps += depth) {
        StopIfAsked();
        MultiplyBlock(begin, {end - begin, count}, first, last, steps,
                      {room_of_a, room_of_a + panels_size});
      }
    }
    // TODO(08.9) end

    // TODO(08.8) begin
    std::array<StridedMatrix<T>, kMaxPanels> a;
    for (int64_t i = panels.parts; i-- > 0;) {
      T* to = room.a + panels.begin(i) * (depth + PanelSource<T>::kRowGap);
      a[i] = a_.Panel(panels.begin(i) + first_row, panels.size(i), p, depth, last - first,
                      to);
    }
    for (int64_t column = first * kernel_.columns();
         column < std::min(last * kernel_.columns(), sizes_.n);
         column += kernel_.columns()) {
      const int64_t columns = std::min<int64_t>(kernel_.columns(), sizes_.n - column);
      const auto b = Sliver(p, depth, column, columns, panels.parts, room.b);
      const int64_t vectors = columns <= kernel_.lanes ? 1 : 2;
      for (int64_t i = panels.parts; i-- > 0;) {  // upwards, or downwards
        T* c = product_ + (first_row + panels.begin(i)) * sizes_.n + column;
        kernel_.functions[vectors][panels.size(i)](
            {kOneRun, depth, a[i].data, a[i].row, a[i].column, b.data, b.row, c,
             sizes_.n, columns, p != 0 || sizes_.adds});
      }
    }
    // TODO(08.8) end

    // TODO(08.7) begin
    const int64_t width = DivideUp(columns, kernel_.lanes) * kernel_.lanes;
    const bool stays = b_.column == 1 && width == columns && uses <= kPanelsWithoutCopy;
    if (!stays) {
      for (int64_t i = 0; width > columns && i < depth; ++i) {
        std::fill_n(room + i * width + columns, width - columns, T(0));
      }
      if (b_.column == 1) {
        for (int64_t i = 0; i < depth; ++i) {
          std::copy_n(&from.data[i * from.row], columns, &room[i * width]);
        }
      } else {
        CopyCrosswise(from.data, from.column, columns, depth, room, width);
      }
    }
    return stays ? from : StridedMatrix<T>{room, width, 1};
    // TODO(08.7) end

  // TODO(08.6) begin
  StridedMatrix<T> result = from;
  if (uses > kUsesWithoutCopy && !is_in_cache_) {
    const bool by_rows = from.column == 1;
    const int64_t runs = by_rows ? rows : depth;
    const int64_t length = by_rows ? depth : rows;
    const int64_t apart = by_rows ? from.row : from.column;
    for (int64_t i = 0; i < runs; ++i) {
      std::copy_n(from.data + i * apart, length, room + i * length);
    }
    result = by_rows ? StridedMatrix<T>{room, length, 1} : StridedMatrix<T>{room, 1, length};
  }
  return result;
  // TODO(08.6) end
