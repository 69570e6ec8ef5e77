  // TODO(10.3) begin
  ForEachTap(g, p, q, [&](int64_t pixel, int64_t tap) {
    AddRun(patch + tap * g.c, g.c, image + pixel * g.c);
  });
  // TODO(10.3) end
