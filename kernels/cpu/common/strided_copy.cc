// StridedCopy: simplify the loop nest, choose the inner loops, share out the rest.
//
//   neighbours in both    the innermost loop is one block copy ("run")
//   neighbours in from    the nest transposes: the loop that walks along `from` and the
//                         innermost one are cut into tiles that stay in the cache
//
// A tile of 32 by 32 reads 32 cache lines and writes 32; without tiles every element
// would fetch a line of its own and lose it before its neighbour is wanted.

#include "kernels/cpu/common/strided_copy.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "kernels/cpu/common/transpose_matrix.h"

namespace minitf {
namespace {

constexpr int64_t kTile = 32;
constexpr int64_t kNanosecondsPerKilobyte = 150;  // of one core, reading and writing

// Drops loops of size 1, and makes one loop of two that walk on where the other ended.
std::vector<CopyLoop> Simplified(const std::vector<CopyLoop>& loops) {
  std::vector<CopyLoop> result;
  for (const CopyLoop& loop : loops) {
    if (loop.size == 1) continue;
    if (!result.empty() && result.back().from_stride == loop.size * loop.from_stride &&
        result.back().to_stride == loop.size * loop.to_stride) {
      result.back() = {result.back().size * loop.size, loop.from_stride, loop.to_stride};
    } else {
      result.push_back(loop);
    }
  }
  if (result.empty()) result.push_back({1, 1, 1});
  return result;
}

// Where a loop nest stands: an index and the two offsets that belong to it. A thread
// starts in the middle of the nest, for which the index is divided out once; from there
// it counts up as an odometer does, with additions only.
class NestIterator {
 public:
  NestIterator(const std::vector<CopyLoop>& loops, int64_t position)
      : loops_(loops), index_(loops.size()) {
    for (size_t k = loops.size(); k-- > 0;) {
      index_[k] = position % loops[k].size;
      position /= loops[k].size;
      from_ += index_[k] * loops[k].from_stride;
      to_ += index_[k] * loops[k].to_stride;
    }
  }

  int64_t from() const { return from_; }
  int64_t to() const { return to_; }

  void Next() {
    for (size_t k = loops_.size(); k-- > 0;) {
      const CopyLoop& loop = loops_[k];
      from_ += loop.from_stride;
      to_ += loop.to_stride;
      if (++index_[k] < loop.size) return;
      from_ -= loop.size * loop.from_stride;
      to_ -= loop.size * loop.to_stride;
      index_[k] = 0;
    }
  }

 private:
  const std::vector<CopyLoop>& loops_;
  std::vector<int64_t> index_;
  int64_t from_ = 0;
  int64_t to_ = 0;
};

int64_t Product(const std::vector<CopyLoop>& loops) {
  // Beside a size of 0 the others may be so large that their product overflows.
  const auto is_empty = [](const CopyLoop& loop) { return loop.size == 0; };
  if (std::ranges::any_of(loops, is_empty)) return 0;
  int64_t product = 1;
  for (const CopyLoop& loop : loops) product *= loop.size;
  return product;
}

template <typename T>
int64_t CostOf(int64_t count) {
  return 2 + count * static_cast<int64_t>(sizeof(T)) * kNanosecondsPerKilobyte / 1024;
}

template <typename T>
void CopyRun(const T* from, T* to, int64_t count, const CopyLoop& loop) {
  if (loop.from_stride == 1 && loop.to_stride == 1) {
    std::copy_n(from, count, to);
  } else if (loop.from_stride == 0 && loop.to_stride == 1) {
    std::fill_n(to, count, *from);
  } else if (loop.to_stride == 1) {  // the usual case, with one product less
    for (int64_t i = 0; i < count; ++i) to[i] = from[i * loop.from_stride];
  } else {
    for (int64_t i = 0; i < count; ++i) {
      to[i * loop.to_stride] = from[i * loop.from_stride];
    }
  }
}

// All loops but the last are shared out; a nest of one loop is cut into pieces.
template <typename T>
void CopyRuns(const T* from, T* to, std::vector<CopyLoop> loops, ThreadPool& threads) {
  const CopyLoop run = loops.back();
  loops.pop_back();
  if (loops.empty()) {
    threads.ParallelFor((run.size + kTile - 1) / kTile, CostOf<T>(kTile),
                        [&](int64_t begin, int64_t end) {
                          const int64_t first = begin * kTile;
                          const int64_t last = std::min(run.size, end * kTile);
                          CopyRun(from + first * run.from_stride,
                                  to + first * run.to_stride, last - first, run);
                        });
    return;
  }
  threads.ParallelFor(Product(loops), CostOf<T>(run.size),
                      [&](int64_t begin, int64_t end) {
                        NestIterator at(loops, begin);
                        for (int64_t i = begin; i < end; ++i, at.Next()) {
                          CopyRun(from + at.from(), to + at.to(), run.size, run);
                        }
                      });
}

// `along` walks through neighbours in from, `across` through neighbours in to. A plain
// loop is slow either way: along one of the two it takes a new cache line at every step.
// So the two are cut into tiles of kTile by kTile, whose lines all stay in the cache.
// What is shared out are the strips of kTile steps of `along`.
template <typename T>
void CopyTiles(const T* from, T* to, std::vector<CopyLoop> loops, const CopyLoop& along,
               const CopyLoop& across, ThreadPool& threads) {
  const int64_t strips = (along.size + kTile - 1) / kTile;
  loops.push_back({strips, kTile * along.from_stride, kTile * along.to_stride});
  const auto copy_strip = [&](const T* source, T* target, int64_t rows) {
    if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
      if (along.from_stride == 1 && across.to_stride == 1) {
        return TransposeMatrix(source, across.from_stride, across.size, rows, target,
                               along.to_stride);
      }
    }
    for (int64_t first = 0; first < across.size; first += kTile) {
      const int64_t last = std::min(across.size, first + kTile);
      for (int64_t row = 0; row < rows; ++row) {
        for (int64_t column = first; column < last; ++column) {
          target[row * along.to_stride + column * across.to_stride] =
              source[row * along.from_stride + column * across.from_stride];
        }
      }
    }
  };
  threads.ParallelFor(Product(loops), CostOf<T>(kTile * across.size * 4),
                      [&](int64_t begin, int64_t end) {
                        NestIterator at(loops, begin);
                        for (int64_t i = begin; i < end; ++i, at.Next()) {
                          const int64_t row = i % strips * kTile;
                          copy_strip(from + at.from(), to + at.to(),
                                     std::min(kTile, along.size - row));
                        }
                      });
}

// What reaches the elements of `tensor`; null if the host does.
ElementMover* MoverOf(const Tensor& tensor) {
  return tensor.allocator() == nullptr ? nullptr : tensor.allocator()->mover();
}

// NOLINTNEXTLINE(readability-function-size): as StridedCopy
void MoveWithin(ElementMover* mover, const Tensor& from, int64_t from_offset, Tensor* to,
                int64_t to_offset, const std::vector<CopyLoop>& loops) {
  if (MoverOf(from) != mover) {
    throw Error(errors::Internal("elements are to be moved within ",
                                 to->allocator()->name(), " but lie elsewhere"));
  }
  const auto size = static_cast<int64_t>(SizeOf(from.dtype()));
  mover->Within(static_cast<char*>(to->mutable_data()) + to_offset * size,
                static_cast<const char*>(from.data()) + from_offset * size,
                static_cast<int>(size), loops);
}

}  // namespace

void StridedCopy(const Tensor& from, int64_t from_offset, Tensor* to, int64_t to_offset,
                 std::vector<CopyLoop> loops, ThreadPool& threads) {
  if (Product(loops) == 0) return;
  loops = Simplified(loops);
  if (ElementMover* const mover = MoverOf(*to)) {
    return MoveWithin(mover, from, from_offset, to, to_offset, loops);
  }
  // Some loop reads neighbours, but it is not the innermost one: that is a transpose. If
  // the innermost reads one element again and again (stride 0), there is nothing to gain.
  const auto along = std::find_if(loops.begin(), loops.end() - 1, [](const CopyLoop& l) {
    return std::abs(l.from_stride) == 1;
  });
  const CopyLoop last = loops.back();
  const bool transposes = along != loops.end() - 1 && std::abs(last.from_stride) > 1;
  VisitMovable(from.dtype(), [&]<typename T>() {
    const T* source = MovableData<T>(from) + from_offset;
    T* target = MovableData<T>(to) + to_offset;
    if (!transposes) return CopyRuns(source, target, loops, threads);
    const CopyLoop rows = *along;
    loops.pop_back();
    loops.erase(along);
    CopyTiles(source, target, loops, rows, last, threads);
  });
}

void StridedCopy(const Tensor& from, const StridedLayout& from_layout, Tensor* to,
                 const StridedLayout& to_layout, ThreadPool& threads) {
  const auto sizes = from_layout.sizes();
  if (!std::ranges::equal(sizes, to_layout.sizes())) {
    throw Error(errors::Internal("a view of shape ", from_layout.shape(),
                                 " was copied to one of shape ", to_layout.shape()));
  }
  std::vector<CopyLoop> loops(sizes.size());
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    loops[axis] = {sizes[axis], from_layout.strides()[axis], to_layout.strides()[axis]};
  }
  StridedCopy(from, from_layout.offset(), to, to_layout.offset(), std::move(loops),
              threads);
}

void FillTensor(const Tensor& value, Tensor* y, ThreadPool& threads) {
  ElementMover* const mover = MoverOf(*y);
  if (mover != nullptr && MoverOf(value) == nullptr) {
    return mover->Fill(y->mutable_data(), value.data(),
                       static_cast<int>(SizeOf(y->dtype())), y->num_elements());
  }
  StridedCopy(value, 0, y, 0, {{y->num_elements(), 0, 1}}, threads);
}

Tensor ZeroOf(DType dtype) {
  Tensor zero(dtype, Shape{});
  if (IsPlain(dtype)) std::memset(zero.mutable_data(), 0, zero.num_bytes());
  return zero;
}

std::vector<int64_t> StridesOf(const Shape& shape) {
  const Sizes strides = RowMajorStrides(shape);
  return {strides.span().begin(), strides.span().end()};
}

void TransposeInto(const Tensor& x, std::span<const int> perm, Tensor* y,
                   ThreadPool& threads) {
  StridedCopy(x, StridedLayout(x.shape()).Transpose(perm), y, StridedLayout(y->shape()),
              threads);
}

}  // namespace minitf
