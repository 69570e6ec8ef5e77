#include <vector>

    // TODO(09.4) begin
    const int64_t size = g.patch_size();
    const StridedMatrix<T> filters{w, g.k, 1};
    if (PatchesArePixels(g)) {
      const MatrixPanels<T> pixels({x + begin * size, size, 1});
      MultiplyPacked<T>({end - begin, size, g.k}, pixels, filters, y + begin * g.k,
                        nullptr);
      if (rows_done) rows_done(y + begin * g.k, end - begin);
      return;
    }
    std::vector<T> patches(PatchesAtATime<T>(g) * size);
    while (begin < end) {
      const int64_t next = std::min(end, begin + PatchesAtATime<T>(g));
      GatherPatches(g, x, begin, next, patches.data());
      const MatrixPanels<T> left({patches.data(), size, 1}, true);
      T* const rows = y + begin * g.k;
      MultiplyPacked<T>({next - begin, size, g.k}, left, filters, rows, nullptr);
      if (rows_done) rows_done(rows, next - begin);
      begin = next;
    }
    // TODO(09.4) end
