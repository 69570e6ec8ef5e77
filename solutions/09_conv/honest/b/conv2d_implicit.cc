    // TODO(09.5) begin
    StridedMatrix<T> panel{room, depth + this->kRowGap, 1};
    for (int64_t i = rows - 1; i >= 0; --i) {
      GatherPartOfPatch(g_, x_, first_row + i, first, first + depth, room + i * panel.row);
    }
    return panel;
    // TODO(09.5) end
