#include <vector>

  // TODO(08.5) begin
  // Squares of kLine by kLine, along the columns first.
  int64_t j0 = 0;
  do {
    const int64_t j1 = std::min(j0 + kLine, columns);
    for (int64_t i0 = 0; i0 < rows; i0 += kLine) {
      const int64_t i1 = std::min(i0 + kLine, rows);
      for (int64_t i = i0; i < i1; ++i) {
        for (int64_t j = j0; j < j1; ++j) to[i + to_row * j] = from[j + from_row * i];
      }
    }
    j0 = j1;
  } while (j0 < columns);
  // TODO(08.5) end

    // TODO(08.9) begin
    const int64_t least = total / parts;
    const int64_t larger = total % parts;  // so many parts come first and have one more
    return part * least + std::min(part, larger);
    // TODO(08.9) end

        // TODO(08.9) begin
        const int64_t down = i / columns.parts;
        const int64_t right = i - down * columns.parts;
        const int64_t top = rows.begin(down) * kernel_.rows;
        int64_t bottom = top + rows.size(down) * kernel_.rows;
        if (bottom > sizes_.m) bottom = sizes_.m;
        const int64_t sliver = columns.begin(right);
        MultiplyPiece(top, bottom, sliver, sliver + columns.size(right));
        // TODO(08.9) end

    // TODO(08.9) begin
    T* const room_of_b = room_of_a + panels_size;
    int64_t row = first_row;
    while (row < last_row) {
      const int64_t rows = std::min(last_row - row, block);
      int64_t p = 0;
      while (p < sizes_.k) {
        StopIfAsked();
        MultiplyBlock(row, Cut{rows, DivideUp(rows, kernel_.rows)}, first, last, p,
                      Room{room_of_a, room_of_b});
        p += kDepth;
      }
      row += rows;
    }
    // TODO(08.9) end

    // TODO(08.8) begin
    const bool adds = p != 0 || sizes_.adds;
    std::vector<StridedMatrix<T>> left;
    T* free = room.a;
    for (int64_t i = 0; i < panels.parts; ++i) {
      left.push_back(a_.Panel(first_row + panels.begin(i), panels.size(i), p, depth,
                              last - first, free));
      free += panels.size(i) * (depth + PanelSource<T>::kRowGap);
    }
    for (int64_t sliver = first; sliver != last; ++sliver) {
      const int64_t column = sliver * kernel_.columns();
      int64_t width = sizes_.n - column;
      if (width > kernel_.columns()) width = kernel_.columns();
      const auto right = Sliver(p, depth, column, width, panels.parts, room.b);
      const auto& functions = kernel_.functions[width > kernel_.lanes ? 2 : 1];
      for (int64_t i = 0; i < panels.parts; ++i) {
        MicroProduct<T> piece{.starts = kOneRun, .k = depth, .a = left[i].data,
                              .a_row = left[i].row, .a_column = left[i].column,
                              .b = right.data, .b_row = right.row};
        piece.c = product_ + (first_row + panels.begin(i)) * sizes_.n + column;
        piece.c_row = sizes_.n;
        piece.columns = width;
        piece.adds = adds;
        functions[panels.size(i)](piece);
      }
    }
    // TODO(08.8) end

    // TODO(08.7) begin
    const bool lies_in_rows = from.column == 1;
    const bool is_full = columns % kernel_.lanes == 0;
    if (lies_in_rows && is_full && uses <= kPanelsWithoutCopy) return from;
    int64_t width = kernel_.lanes;
    while (width < columns) width += kernel_.lanes;
    if (lies_in_rows) {
      for (int64_t i = 0; i < depth; ++i) {
        for (int64_t j = 0; j < columns; ++j) room[i * width + j] = from.at(i, j);
      }
    } else {
      CopyCrosswise(from.data, from.column, columns, depth, room, width);
    }
    for (int64_t i = 0; i < depth; ++i) {
      for (int64_t j = columns; j < width; ++j) room[i * width + j] = T(0);
    }
    StridedMatrix<T> copy;
    copy.data = room;
    copy.row = width;
    copy.column = 1;
    return copy;
    // TODO(08.7) end

  // TODO(08.6) begin
  const bool pays = uses > kUsesWithoutCopy && !is_in_cache_;
  if (!pays) return from;
  if (from.row == 1) {  // columns of it lie side by side
    T* to = room;
    for (int64_t p = 0; p < depth; ++p) {
      for (int64_t i = 0; i < rows; ++i) *to++ = from.at(i, p);
    }
    return StridedMatrix<T>{room, 1, rows};
  }
  const int64_t length = depth + this->kRowGap;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t p = 0; p < depth; ++p) room[i * length + p] = from.at(i, p);
  }
  return StridedMatrix<T>{room, length, 1};
  // TODO(08.6) end
