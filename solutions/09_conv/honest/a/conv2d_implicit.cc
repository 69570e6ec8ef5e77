    // TODO(09.5) begin
    const int64_t apart = PanelSource<T>::kRowGap + depth;
    T* to = room;
    for (int64_t row = first_row; row < first_row + rows; ++row, to += apart) {
      GatherPartOfPatch<T>(g_, x_, row, first, first + depth, to);
    }
    StridedMatrix<T> panel;
    panel.data = room;
    panel.row = apart;
    panel.column = 1;
    return panel;
    // TODO(09.5) end
