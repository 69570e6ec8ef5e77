#include <array>
#include <tuple>

  // TODO(02.14) begin
  const auto [n, h, w, c] = OrderOf(attrs.format);
  std::tie(g->n, g->h, g->w, g->c) = std::tuple(x.dim(n), x.dim(h), x.dim(w), x.dim(c));
  const auto rows = SlidingWindow::Of(g->h, g->r, attrs.padding, attrs.rows);
  const auto columns = SlidingWindow::Of(g->w, g->s, attrs.padding, attrs.columns);
  std::tie(g->p, g->pad_top, g->pad_bottom) =
      std::tuple(rows.places, rows.pad_before, rows.pad_after);
  std::tie(g->q, g->pad_left, g->pad_right) =
      std::tuple(columns.places, columns.pad_before, columns.pad_after);
  // TODO(02.14) end

  // TODO(02.14) begin
  g->groups = 1;
  const int64_t depth = g->c;
  if (depth == filter_depth || std::min(depth, filter_depth) == kUnknown) return;
  Require(filter_depth != 0 && depth != 0 && depth % filter_depth == 0,
          "input depth ", depth, " is no multiple of filter depth ", filter_depth);
  g->groups = depth / filter_depth;
  Require(g->k == kUnknown || g->k % g->groups == 0, "output depth ", g->k,
          " is no multiple of the ", g->groups, " groups of input depth ", depth,
          " and filter depth ", filter_depth);
  // TODO(02.14) end

  // TODO(02.14) begin
  const bool is_nhwc = format == DataFormat::kNhwc;
  return {.n = 0, .h = is_nhwc ? 1 : 2, .w = is_nhwc ? 2 : 3, .c = is_nhwc ? 3 : 1};
  // TODO(02.14) end

  // TODO(02.14) begin
  const AxisOrder order = OrderOf(format);
  std::array<int64_t, 4> sizes{};
  sizes[order.n] = n, sizes[order.h] = h, sizes[order.w] = w, sizes[order.c] = c;
  return PartialShape(std::span<const int64_t>(sizes));
  // TODO(02.14) end
