// What poolings share: windows one after the other, and many channels at a time.
//
// The channels of a pixel lie side by side, and a pooling does the same with each. So its
// innermost code is written for a vector V of channels, which the processor computes at
// once, and runs with V = T for those that are left over. A comparison of vectors gives a
// mask, true or false for each channel, and `mask ? a : b` chooses channel by channel;
// of single numbers it means what it always does. Masks are joined by | and &.
//
// Read next  kernels/cpu/nn/batch_norm.h

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "kernels/cpu/conv/nhwc.h"
#include "kernels/cpu/conv/patches.h"
#include "minitf/base/stop.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shapes/conv2d_geometry.h"

namespace minitf {

// ---- Channels ------------------------------------------------------------------------

#if defined(__AVX512BW__)
constexpr int64_t kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int64_t kVectorBytes = 32;
#else
constexpr int64_t kVectorBytes = 16;
#endif

namespace internal {
template <typename T, int64_t kBytes>
struct VectorOf {
  typedef T type __attribute__((vector_size(kBytes)));  // NOLINT: only this works
};
}  // namespace internal

/// Elements from `from` on, as many as V has. V is T or a vector of T.
template <typename V, typename T>
V Load(const T* from) {
  V elements;
  std::memcpy(&elements, from, sizeof(V));
  return elements;
}

template <typename V, typename T>
void Store(const V& elements, T* to) {
  std::memcpy(to, &elements, sizeof(V));
}

/// Calls `work.operator()<V>(c)` for channels [0,count): for the V that begin at c.
template <typename T, typename Work>
void ForEachVector(int64_t count, const Work& work) {
  const auto with = [&]<typename V>(int64_t c) {
    constexpr int64_t kBytes = sizeof(V);
    constexpr int64_t kSize = kBytes / int64_t{sizeof(T)};
    for (; c + kSize <= count; c += kSize) work.template operator()<V>(c);
    return c;
  };
  using Widest = typename internal::VectorOf<T, kVectorBytes>::type;
  using Narrow = typename internal::VectorOf<T, 16>::type;
  int64_t c = with.template operator()<Widest>(0);
  if constexpr (kVectorBytes > 16) c = with.template operator()<Narrow>(c);
  with.template operator()<T>(c);
}

// ---- Windows -------------------------------------------------------------------------

/// Numbers from the last to the first: std::views::reverse, which clang 14 cannot read.
struct Backwards {
  std::span<const int64_t> numbers;

  auto begin() const { return numbers.rbegin(); }
  auto end() const { return numbers.rend(); }
};

/// What a pooling sees at one place of images [N,H,W,C]: a value, of which the compiler
/// knows that what a kernel writes does not change it.
class Window {
 public:
  Window(int64_t image, std::span<const int64_t> taps) : image_(image), taps_(taps) {}
  /// Where its image begins, in elements.
  int64_t image() const { return image_; }
  /// Where the pixels that it sees begin in their image, in elements, row by row. There
  /// is at least one: a window never lies in the padding alone.
  std::span<const int64_t> taps() const { return taps_; }

 private:
  int64_t image_;
  std::span<const int64_t> taps_;
};

/// Goes from window to window, from `place` of all N * P * Q on. Requires: there is one.
class WindowWalk {
 public:
  WindowWalk(const Conv2dGeometry& g, int64_t place)
      : g_(g),
        n_(place / g.places()),
        p_(place % g.places() / g.q),
        q_(place % g.q),
        taps_(TapsOnImage(g)) {
    FindTaps();
  }
  /// Goes to the next place; only from the last one of all there is none.
  void Advance() {
    if (++q_ == g_.q) {
      q_ = 0;
      if (++p_ == g_.p) p_ = 0, ++n_;
      FindTaps();
    } else if (SeesAllColumns(q_ - 1) && SeesAllColumns(q_)) {  // the same taps, moved
      const int64_t step = g_.stride_w * g_.c;
      for (size_t i = 0; i < num_taps_; ++i) taps_[i] += step;
    } else {
      FindTaps();
    }
  }
  /// Until it advances.
  Window window() const { return {n_ * g_.h * g_.w * g_.c, {taps_.data(), num_taps_}}; }

 private:
  // Whether no column of the window at q is beside the image.
  bool SeesAllColumns(int64_t q) const {
    const int64_t first = q * g_.stride_w - g_.pad_left;
    return first >= 0 && first + (g_.s - 1) * g_.dilation_w < g_.w;
  }

  void FindTaps() {
    num_taps_ = 0;
    ForEachTap(g_, p_, q_,
               [&](int64_t pixel, int64_t) { taps_[num_taps_++] = pixel * g_.c; });
  }

  const Conv2dGeometry& g_;
  int64_t n_, p_, q_;
  std::vector<int64_t> taps_;
  size_t num_taps_ = 0;
};

/// Calls visit(window, place) for places [begin,end).
template <typename Visit>
void ForEachWindow(const Conv2dGeometry& g, int64_t begin, int64_t end, Visit&& visit) {
  if (begin >= end) return;
  WindowWalk walk(g, begin);
  for (int64_t place = begin; place < end; ++place) {
    visit(walk.window(), place);
    if (place + 1 < end) walk.Advance();
  }
}

/// The same for all windows of images [begin,end), where `visit` adds to the pixels of
/// dx [N,H,W,C] that the window sees. Row by row they are set to 0 shortly before.
template <typename T, typename Visit>
void ScatterWindows(const Conv2dGeometry& g, int64_t begin, int64_t end, T* dx,
                    Visit&& visit) {
  const int64_t row_size = g.w * g.c;
  for (int64_t n = begin; n < end; ++n) {
    T* const image = dx + n * g.h * row_size;
    int64_t cleared = 0;
    const auto clear_until = [&](int64_t row) {
      if (row <= cleared) return;
      std::fill(image + cleared * row_size, image + row * row_size, T(0));
      cleared = row;
    };
    for (int64_t p = 0; p < g.p; ++p) {
      StopIfAsked();
      clear_until(std::min(g.h, p * g.stride_h - g.pad_top + g.r));
      const int64_t place = (n * g.p + p) * g.q;
      ForEachWindow(g, place, place + g.q, visit);
    }
    clear_until(g.h);
  }
}

/// y [N,P,Q,C], or [N,C,P,Q], from x [N,H,W,C], or [N,C,H,W], of type T: by
/// kPool(g, x, y, threads) in the type in which it is computed, SumType<T>.
template <typename T, auto kPool>
class PoolOp final : public OpKernel {
 public:
  explicit PoolOp(OpKernelConstruction* construction)
      : OpKernel(construction), attrs_(PoolAttrs::Of(construction->attrs())) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const auto g = Conv2dGeometry::OfPool(x.shape(), attrs_);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, g.output_shape().ToShape(), &y));
    if (y->num_elements() == 0) return;

    using Sum = SumType<T>;
    const Tensor images = ToNhwc(x, g.format);
    Tensor result = NhwcBuffer(*y, g.format);
    kPool(g.WithDepthAsColumns(), images.flat<Sum>().data(),
          result.mutable_flat<Sum>().data(), ctx->threads());
    StoreNhwc(result, g.format, y);
  }

 private:
  const PoolAttrs attrs_;
};

}  // namespace minitf
