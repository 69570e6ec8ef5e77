  // TODO(02.14) begin
  const AxisOrder axis = OrderOf(attrs.format);
  g->n = x.dim(axis.n), g->h = x.dim(axis.h), g->w = x.dim(axis.w), g->c = x.dim(axis.c);

  const auto rows = SlidingWindow::Of(g->h, g->r, attrs.padding, attrs.rows);
  g->p = rows.places;
  g->pad_top = rows.pad_before, g->pad_bottom = rows.pad_after;

  const auto columns = SlidingWindow::Of(g->w, g->s, attrs.padding, attrs.columns);
  g->q = columns.places;
  g->pad_left = columns.pad_before, g->pad_right = columns.pad_after;
  // TODO(02.14) end

  // TODO(02.14) begin
  if (g->c == kUnknown || filter_depth == kUnknown) return;
  if (g->c == 0 && filter_depth == 0) return;
  Require(g->c != 0 && filter_depth != 0 && g->c % filter_depth == 0,
          "input depth must be a multiple of filter depth: ", g->c, " vs ", filter_depth);
  g->groups = g->c / filter_depth;
  Require(g->k == kUnknown || g->k % g->groups == 0, "output depth ", g->k,
          " must be a multiple of the number of groups: ", g->groups, ", of input depth ",
          g->c, " and filter depth ", filter_depth);
  // TODO(02.14) end

  // TODO(02.14) begin
  return format == DataFormat::kNhwc ? AxisOrder{.n = 0, .h = 1, .w = 2, .c = 3}
                                     : AxisOrder{.n = 0, .h = 2, .w = 3, .c = 1};
  // TODO(02.14) end

  // TODO(02.14) begin
  const AxisOrder axis = OrderOf(format);
  std::vector<int64_t> sizes(4);
  sizes[axis.n] = n, sizes[axis.h] = h, sizes[axis.w] = w, sizes[axis.c] = c;
  return PartialShape(sizes);
  // TODO(02.14) end
