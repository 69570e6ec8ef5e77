// The gradient of Conv2D's filters, tier "direct": one product for each tap.
//
//   dw[r,s] [C,K] = sum over places (n,p,q) of    x' [C,places] dy [places,K]
//
// where the column of x' is the pixel that place (n,p,q) sees below tap (r,s). Places
// whose pixel is outside of the image are left out. Some hundred places at a time are
// multiplied by all taps. First their pixels are copied into blocks of channels, as
// many as the micro-kernel has rows:
//
//   x  [blocks][images][rows][W][channels]      dy  [places][columns of the micro-kernel]
//
// The numbers that a panel reads lie side by side for every tap. They stay in the first
// cache or come from the second as a stream. A run of the micro-kernel is one row of
// places.
//
// A few channels would fill a part of the micro-kernel. Then the rows of x' are the
// S * C numbers below a row of the filter. Zeros are copied around the image.
//
// Threads share the columns of dw first. If more threads are left, each has a sum of
// its own, without locks. The sums are added in a fixed order: the same bits each run.
//
// Read next  kernels/cpu/conv/depthwise_conv2d.cc

#include <algorithm>
#include <vector>

#include "kernels/cpu/common/eigen_view.h"
#include "kernels/cpu/common/lanes.h"
#include "kernels/cpu/conv/conv2d.h"
#include "kernels/cpu/conv/patches.h"
#include "kernels/cpu/gemm/micro_kernel.h"
#include "minitf/base/stop.h"
#include "minitf/tensor/tensor.h"

namespace minitf {
namespace {

// About so many places are multiplied at a time: the more, the fewer times dw is read.
constexpr int64_t kPlaces = 800;

int64_t DivideUp(int64_t count, int64_t unit) { return (count + unit - 1) / unit; }

template <typename T>
class FilterGradient {
 public:
  FilterGradient(const Conv2dGeometry& g, const T* x, const T* dy)
      : g_(g),
        x_(x),
        dy_(dy),
        is_merged_(2 * g.c < 3 * kernel_.rows && g.dilation_w == 1),
        blocks_(is_merged_ ? 1 : DivideUp(g.c, kernel_.rows)),
        pixel_(DivideUp(g.c, blocks_)),
        width_(is_merged_ ? (g.q - 1) * g.stride_w + g.s : g.w),
        rows_(std::clamp<int64_t>(kPlaces / g.q, 1, g.p)),
        images_(rows_ < g.p ? 1 : std::clamp<int64_t>(kPlaces / g.places(), 1, g.n)),
        reach_((rows_ - 1) * g.stride_h + (g.r - 1) * g.dilation_h + 1),
        image_size_(std::min(reach_, g.h) * width_ * pixel_),
        block_size_(images_ * image_size_ + kLanes) {}

  /// Writes dw. In several threads.
  void Run(T* dw, ThreadPool& threads) const {
    const int64_t size = g_.patch_size() * g_.k;
    const int64_t slivers = DivideUp(g_.k, kernel_.columns());
    const int64_t across = std::min<int64_t>(slivers, threads.num_threads());
    const int64_t sums = std::clamp<int64_t>(threads.num_threads() / across, 1, Pieces());
    Tensor more(DTypeOf<T>(), {(sums - 1) * size});
    const int64_t cost = g_.n * g_.places() * size / 32 / (sums * across) + 1;
    threads.ParallelFor(sums * across, cost, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t sum = i / across;
        T* const to = sum == 0 ? dw : more.mutable_flat<T>().data() + (sum - 1) * size;
        const int64_t column = i % across;
        const Part part = {
            Pieces() * sum / sums, Pieces() * (sum + 1) / sums,
            slivers * column / across * kernel_.columns(),
            std::min(slivers * (column + 1) / across * kernel_.columns(), g_.k)};
        AddUp(part, to);
      }
    });
    for (int64_t i = 1; i < sums; ++i) {
      ArrayView<T>(dw, size) +=
          ConstArrayView<T>(more.flat<T>().data() + (i - 1) * size, size);
    }
  }

 private:
  // The work of a task: some pieces of all places, some columns of dw.
  struct Part {
    int64_t first_piece, last_piece;
    int64_t first_column, last_column;
  };

  // Places whose pixels are copied together: rows [p, p + rows) of some images.
  struct Piece {
    int64_t image, images, p, rows;
  };

  // `count` columns of dy: element (i,j) is data[i * row + j].
  struct Columns {
    const T* data;
    int64_t row;
    int64_t count;
  };

  int64_t PiecesOfImage() const { return DivideUp(g_.p, rows_); }
  int64_t Pieces() const { return DivideUp(g_.n, images_) * PiecesOfImage(); }

  Piece PieceAt(int64_t i) const {
    const int64_t image = i / PiecesOfImage() * images_;
    const int64_t p = i % PiecesOfImage() * rows_;
    return {image, std::min(images_, g_.n - image), p, std::min(rows_, g_.p - p)};
  }

  // The first row of the image that a piece may see.
  int64_t Top(const Piece& piece) const {
    return std::clamp<int64_t>(piece.p * g_.stride_h - g_.pad_top, 0, g_.h);
  }

  void AddUp(const Part& part, T* dw) const {
    const int64_t x_size = blocks_ * block_size_;
    const int64_t dy_size = images_ * rows_ * g_.q * kernel_.columns();
    Tensor room(DTypeOf<T>(), {x_size + dy_size + kLanes});
    T* const x = room.mutable_flat<T>().data();
    T* const dy = x + x_size;
    for (int64_t i = part.first_piece; i < part.last_piece; ++i) {
      StopIfAsked();
      const Piece piece = PieceAt(i);
      CopyPixels(piece, x);
      std::vector<Runs> runs;
      for (int64_t r = 0; r < g_.r; ++r) runs.push_back(RunsOf(piece, r));
      for (int64_t k = part.first_column; k < part.last_column; k += kernel_.columns()) {
        const Columns columns = ColumnsOf(piece, k, dy);
        for (int64_t r = 0; r < g_.r; ++r) {
          AddRow(runs[r], x, columns, i > part.first_piece,
                 dw + r * g_.s * g_.c * g_.k + k);
        }
      }
    }
  }

  // Copies `count` numbers, `most` of which there are at `from`, and zeros. Writes whole
  // vectors: what stands behind is written later, or is free.
  static void CopyLanes(const T* from, int64_t most, int64_t count, T* to) {
    for (int64_t i = 0; i < count; i += kLanes) {
      StoreLanes(LoadLanes(from + i, most - i), kLanes, to + i);
    }
  }

  // Writes the rows of pixels that a piece may see, in blocks of channels.
  void CopyPixels(const Piece& piece, T* to) const {
    const int64_t top = Top(piece);
    const int64_t bottom =
        std::clamp<int64_t>(piece.p * g_.stride_h - g_.pad_top + reach_, top, g_.h);
    for (int64_t image = 0; image < piece.images; ++image) {
      const T* from = x_ + ((piece.image + image) * g_.h + top) * g_.w * g_.c;
      T* row = to + image * image_size_;
      for (int64_t h = top; h < bottom;
           ++h, from += g_.w * g_.c, row += width_ * pixel_) {
        if (is_merged_) {
          CopyRow(from, row);
        } else {
          CopyRowInBlocks(from, row);
        }
      }
    }
  }

  void CopyRow(const T* from, T* to) const {
    const int64_t left = std::min(g_.pad_left, width_);
    const int64_t count = std::min(g_.w, width_ - left);
    std::fill_n(to, left * g_.c, T(0));
    std::copy_n(from, count * g_.c, to + left * g_.c);
    std::fill(to + (left + count) * g_.c, to + width_ * g_.c, T(0));
  }

  void CopyRowInBlocks(const T* from, T* to) const {
    const T* const end = x_ + g_.n * g_.h * g_.w * g_.c;
    for (int64_t i = 0; i < g_.w; ++i, from += g_.c, to += pixel_) {
      for (int64_t block = 0; block < blocks_; ++block) {
        const T* const first = from + g_.c * block / blocks_;
        CopyLanes(first, end - first, pixel_, to + block * block_size_);
      }
    }
  }

  // Columns of dy from column k on. They are read in place for few channels. Others are
  // copied, with zeros behind the last one.
  Columns ColumnsOf(const Piece& piece, int64_t k, T* room) const {
    const int64_t count = std::min<int64_t>(kernel_.columns(), g_.k - k);
    const T* from = dy_ + (piece.image * g_.p + piece.p) * g_.q * g_.k + k;
    const bool is_near = g_.k * int64_t{sizeof(T)} <= 1024;
    if (is_merged_ && is_near && count % kernel_.lanes == 0) return {from, g_.k, count};
    T* to = room;
    const int64_t places = piece.images * piece.rows * g_.q;
    for (int64_t i = 0; i < places; ++i, from += g_.k, to += kernel_.columns()) {
      CopyLanes(from, count, kernel_.columns(), to);
    }
    return {room, kernel_.columns(), count};
  }

  // Rows of places that see the image below a row of the filter: where pixels begin,
  // and their places in dy.
  struct Runs {
    std::vector<int64_t> of_x, of_dy;
  };

  Runs RunsOf(const Piece& piece, int64_t r) const {
    const int64_t top = piece.p * g_.stride_h - g_.pad_top + r * g_.dilation_h;
    const TapRange inside = TapRange::Of(top, piece.rows, g_.stride_h, g_.h);
    Runs runs;
    runs.of_x.reserve(piece.images * inside.size());
    runs.of_dy.reserve(piece.images * inside.size());
    for (int64_t image = 0; image < piece.images; ++image) {
      for (int64_t i = inside.first; i < inside.last; ++i) {
        const int64_t row = top + i * g_.stride_h - Top(piece);
        runs.of_x.push_back(image * image_size_ + row * width_ * pixel_);
        runs.of_dy.push_back((image * piece.rows + i) * g_.q);
      }
    }
    return runs;
  }

  // Adds what places bring to row r of the filter, for some columns of dw.
  void AddRow(const Runs& runs, const T* x, const Columns& dy, bool adds, T* dw) const {
    MicroProduct<T> product = {runs.of_x, g_.q,      x,  1,    g_.stride_w * pixel_,
                               dy.data,   dy.row,    dw, g_.k, dy.count,
                               adds,      runs.of_dy};
    if (is_merged_) return AddPanels(product, g_.s * g_.c);
    for (int64_t s = 0; s < g_.s; ++s, product.c += g_.c * g_.k) {
      const int64_t left = s * g_.dilation_w - g_.pad_left;
      const TapRange seen = TapRange::Of(left, g_.q, g_.stride_w, g_.w);
      product.k = seen.size();
      product.a = x + (left + seen.first * g_.stride_w) * pixel_;
      product.b = dy.data + seen.first * dy.row;
      AddPanels(product, g_.c);
    }
  }

  // Computes `rows` rows of dw, panel by panel. A panel is a block, or a part of the only
  // block.
  void AddPanels(MicroProduct<T> product, int64_t rows) const {
    const auto& functions = kernel_.functions[DivideUp(product.columns, kernel_.lanes)];
    const int64_t panels = is_merged_ ? DivideUp(rows, kernel_.rows) : blocks_;
    const T* const a = product.a;
    T* const c = product.c;
    for (int64_t i = 0; i < panels; ++i) {
      const int64_t row = rows * i / panels;
      product.a = a + (is_merged_ ? row : i * block_size_);
      product.c = c + row * g_.k;
      functions[rows * (i + 1) / panels - row](product);
    }
  }

  static constexpr int64_t kLanes = Lanes<T>::SizeAtCompileTime;

  const MicroKernel<T>& kernel_ = BestMicroKernel<T>();
  const Conv2dGeometry& g_;
  const T* const x_;
  const T* const dy_;
  const bool is_merged_;
  const int64_t blocks_, pixel_;
  const int64_t width_;
  const int64_t rows_, images_;
  const int64_t reach_;
  const int64_t image_size_, block_size_;
};

}  // namespace

template <typename T>
void FilterGradientDirect(const Conv2dGeometry& g, const T* x, const T* dy, T* dw,
                          ThreadPool& threads) {
  if (g.n * g.places() == 0) {
    return std::fill_n(dw, g.patch_size() * g.k, T(0)), void();
  }
  FilterGradient<T>(g, x, dy).Run(dw, threads);
}

template decltype(FilterGradientDirect<float>) FilterGradientDirect<float>;
template decltype(FilterGradientDirect<double>) FilterGradientDirect<double>;

}  // namespace minitf
