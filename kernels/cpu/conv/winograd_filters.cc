// WinogradFilters: u as a whole, or part by part.
//
// Read next  kernels/cpu/conv/winograd_filters.h

#include "kernels/cpu/conv/winograd_filters.h"

#include <algorithm>

#include "kernels/cpu/common/lanes.h"
#include "kernels/cpu/gemm/micro_kernel.h"
#include "kernels/cpu/gemm/packed_product.h"
#include "minitf/base/stop.h"

namespace minitf {
namespace {

// u is made as a whole if it is not larger: the last cache has room for it then.
constexpr int64_t kMostBytes = 4'000'000;

template <typename T>
constexpr int64_t kLanes = Lanes<T>::SizeAtCompileTime;

// A part of u: slivers of so many rows and columns, as wide as the widest micro-kernel.
constexpr int64_t kDepth = 128;
template <typename T>
constexpr int64_t kColumns = 2 * kLanes<T>;
template <typename T>
constexpr int64_t kSliver = kDepth* kColumns<T> + WinogradBlock<T>::kGap;

// Rows [c, c + depth) and columns [k, k + columns) of u.
struct Part {
  int64_t c, depth, k, columns;
};

// Writes these columns of product i of m [tiles,K], or adds to them behind the first
// rows of u. Behind the last column of a sliver there may be anything: what is computed
// with it is not stored.
template <typename T>
void MultiplySliver(const WinogradBlock<T>& block, int64_t i, const Part& part,
                    const T* sliver, int64_t row_of_m) {
  const MicroKernel<T>& kernel = BestMicroKernel<T>();
  const int64_t panels = (block.tiles + kernel.rows - 1) / kernel.rows;
  for (int64_t panel = 0; panel < panels; ++panel) {
    const int64_t row = block.tiles * panel / panels;
    const int64_t rows = block.tiles * (panel + 1) / panels - row;
    const T* const v = block.v + i * block.v_step + row * block.v_row + part.c;
    T* const m = block.m + i * block.m_step + row * row_of_m + part.k;
    for (int64_t j = 0; j < part.columns; j += kernel.columns()) {
      const int64_t width = std::min<int64_t>(kernel.columns(), part.columns - j);
      const int64_t vectors = (width + kernel.lanes - 1) / kernel.lanes;
      kernel.functions[vectors][rows]({kOneRun, part.depth, v, block.v_row, 1, sliver + j,
                                       kColumns<T>, m + j, row_of_m, width, part.c > 0});
    }
  }
}

}  // namespace

template <typename T>
WinogradFilters<T>::WinogradFilters(Transform transform, int64_t products, const T* w,
                                    int64_t c, int64_t k, ThreadPool& threads)
    : transform_(transform),
      products_(products),
      w_(w),
      c_(c),
      k_(k),
      u_step_(c * k + WinogradBlock<T>::kGap) {
  const int64_t size = products * u_step_;
  if (size * int64_t{sizeof(T)} > kMostBytes) return;
  u_ = Tensor(DTypeOf<T>(), {size});
  TransformAll(threads);
}

template <typename T>
int64_t WinogradFilters<T>::tiles_at_a_time() const {
  constexpr int64_t kRows = 14;  // of the micro-kernel
  constexpr int64_t kBytes = 700'000;
  if (!are_transformed()) return 9 * kRows;
  const int64_t bytes = products_ * (c_ + k_) * sizeof(T);
  return std::clamp<int64_t>(kBytes / bytes / kRows, 3, 16) * kRows;
}

template <typename T>
void WinogradFilters<T>::TransformAll(ThreadPool& threads) {
  const int64_t size = c_ * k_;
  T* const u = u_.template mutable_flat<T>().data();
  const auto work = [&](int64_t begin, int64_t end) {
    const int64_t last = std::min(end * kLanes<T>, size);
    for (int64_t at = begin * kLanes<T>; at < last; at += kLanes<T>) {
      transform_(w_, size, at, size - at, u + at, u_step_);
    }
  };
  threads.ParallelFor((size + kLanes<T> - 1) / kLanes<T>, 50, work);
}

template <typename T>
void WinogradFilters<T>::Multiply(const WinogradBlock<T>& block,
                                  ThreadPool* threads) const {
  if (!are_transformed()) return MultiplyParts(block, threads);
  for (int64_t i = 0; i < products_; ++i) {
    const StridedMatrix<T> v = {block.v + i * block.v_step, block.v_row, 1};
    const StridedMatrix<T> u = {u_.flat<T>().data() + i * u_step_, k_, 1};
    MultiplyPacked<T>({block.tiles, c_, k_}, MatrixPanels<T>(v, true), u,
                      block.m + i * block.m_step, threads);
  }
}

template <typename T>
void WinogradFilters<T>::MultiplyParts(const WinogradBlock<T>& block,
                                       ThreadPool* threads) const {
  const auto multiply = [&](const Part& part, T* slivers) {
    for (int64_t i = 0; i < part.depth; ++i) {
      for (int64_t j = 0; j < part.columns; j += kLanes<T>) {
        transform_(w_, c_ * k_, (part.c + i) * k_ + part.k + j, part.columns - j,
                   slivers + i * kColumns<T> + j, kSliver<T>);
      }
    }
    for (int64_t i = 0; i < products_; ++i) {
      MultiplySliver(block, i, part, slivers + i * kSliver<T>, k_);
    }
  };
  const auto work = [&](int64_t begin, int64_t end) {
    Tensor room(DTypeOf<T>(), {products_ * kSliver<T>});
    T* const slivers = room.mutable_flat<T>().data();
    for (int64_t k = begin * kColumns<T>; k < std::min(end * kColumns<T>, k_);
         k += kColumns<T>) {
      for (int64_t c = 0; c < c_; c += kDepth) {
        StopIfAsked();
        multiply({c, std::min(kDepth, c_ - c), k, std::min(kColumns<T>, k_ - k)},
                 slivers);
      }
    }
  };
  ForPieces(threads, (k_ + kColumns<T> - 1) / kColumns<T>,
            products_ * block.tiles * c_ * kColumns<T> / 32, work);
}

template class WinogradFilters<float>;
template class WinogradFilters<double>;

}  // namespace minitf
