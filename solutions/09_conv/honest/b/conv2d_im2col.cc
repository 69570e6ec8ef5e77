#include <memory>

    // TODO(09.4) begin
    const int64_t k = g.patch_size();
    const int64_t most = PatchesAtATime<T>(g);
    const bool must_gather = !PatchesArePixels(g);
    std::unique_ptr<T[]> room;
    if (must_gather) room = std::make_unique<T[]>(most * k);
    for (int64_t left = end - begin; left > 0;) {
      const int64_t rows = std::min(left, most);
      const int64_t at = end - left;
      if (must_gather) GatherPatches<T>(g, x, at, at + rows, room.get());
      const StridedMatrix<T> a{must_gather ? room.get() : x + at * k, k, 1};
      MultiplyPacked<T>({rows, k, g.k}, MatrixPanels<T>(a), {w, g.k, 1}, y + at * g.k,
                        nullptr);
      if (rows_done) rows_done(y + at * g.k, rows);
      left -= rows;
    }
    // TODO(09.4) end
