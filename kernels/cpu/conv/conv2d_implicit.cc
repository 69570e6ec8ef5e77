// The tier "implicit": the packed product, whose panels are gathered from the image.
//
// The packed product (packed_product.h) copies rows of its left matrix into panels
// anyway. Here there is no left matrix: a panel of patches is gathered from the image at
// the place where another would be copied. So a number is copied once, not twice, and the
// product cuts the work as it does for any matrix, which pays where filters are large or
// many.
//
// Exercise   exercises/09_conv
// Compare    Chetlur et al., "cuDNN: Efficient Primitives for Deep Learning",
//            arXiv:1410.0759 (2014), section 3
// Read next  kernels/cpu/conv/conv2d_direct.cc

#include <algorithm>

#include "kernels/cpu/conv/conv2d.h"
#include "kernels/cpu/conv/patches.h"
#include "kernels/cpu/gemm/packed_product.h"

namespace minitf {
namespace {

template <typename T>
class PatchPanels final : public PanelSource<T> {
 public:
  PatchPanels(const Conv2dGeometry& g, const T* x) : g_(g), x_(x) {}

  StridedMatrix<T> Panel(int64_t first_row, int64_t rows, int64_t first, int64_t depth,
                         int64_t, T* room) const override {
    // LAB(09.5) begin: gather this part of the patches into room; return where it lies
    const int64_t row_size = depth + this->kRowGap;
    for (int64_t i = 0; i < rows; ++i) {
      GatherPartOfPatch(g_, x_, first_row + i, first, first + depth, room + i * row_size);
    }
    return {room, row_size, 1};
    // LAB(09.5) end
  }

 private:
  const Conv2dGeometry& g_;
  const T* const x_;
};

}  // namespace

template <typename T>
void Conv2dImplicit(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                    ThreadPool& threads, const RowsDone<T>& rows_done) {
  const MatrixSizes sizes = {g.n * g.places(), g.patch_size(), g.k};
  const StridedMatrix<T> filters = {w, g.k, 1};
  if (sizes.k == 0) {
    std::fill_n(y, sizes.m * sizes.n, T(0));
  } else if (PatchesArePixels(g)) {
    MultiplyPacked<T>(sizes, MatrixPanels<T>({x, g.c, 1}), filters, y, &threads);
  } else {
    MultiplyPacked<T>(sizes, PatchPanels<T>(g, x), filters, y, &threads);
  }
  FinishRows(g, rows_done, y, threads);
}

template decltype(Conv2dImplicit<float>) Conv2dImplicit<float>;
template decltype(Conv2dImplicit<double>) Conv2dImplicit<double>;

}  // namespace minitf
