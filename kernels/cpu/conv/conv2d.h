// The tiers of Conv2D: algorithms for the same convolution, and for its gradients.
//
//   naive     the formula, loop by loop                              conv2d_naive.cc
//   eigen     all patches into one matrix, Eigen's product           conv2d_eigen.cc
//   im2col    some patches at a time, the packed product             conv2d_im2col.cc
//   implicit  patches gathered where the product packs its panels    conv2d_implicit.cc
//   direct    the image itself as the left matrix, with rows         conv2d_direct.cc
//             that overlap
//   winograd  a quarter of the multiplications, for 3x3, stride 1    conv2d_winograd.cc
//   winograd2x2  four ninths of them, and less rounding
//   winograd5x5  a third of them, for 5x5, stride 1
//
// What runs is chosen by the sizes (ChooseConv2d), unless the label of a kernel (the
// node's attribute _kernel) or the environment variable MINITF_CONV names a tier, or
// "autotune": then all that can are tried the first time (conv2d_autotune.cc).
//
// x and dx are [N,H,W,C], w and dw [R,S,C/G,K], y and dy [N,P,Q,K], all without gaps.
// Every function writes all of its result, and gives the same bits for the same number of
// threads. T is float or double. Only "naive" computes groups.
//
// Compare    tensorflow/core/kernels/conv_ops.h
// Read next  kernels/cpu/common/autotune.h

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>

#include "minitf/base/thread_pool.h"
#include "minitf/framework/shapes/conv2d_geometry.h"

namespace minitf {

enum class Conv2dTier {
  kNaive,
  kEigen,
  kIm2col,
  kImplicit,
  kDirect,
  kWinograd,
  kWinograd2x2,
  kWinograd5x5
};

/// They do not all have the same tiers.
enum class Conv2dPart { kForward, kInputGradient, kFilterGradient };

/// Their names, in their order.
inline constexpr std::array<std::string_view, 8> kConv2dTiers = {
    "naive",  "eigen",    "im2col",      "implicit",
    "direct", "winograd", "winograd2x2", "winograd5x5"};

std::string_view NameOf(Conv2dTier tier);

/// What computes `part` of `g`. The tier called `asked` if that is not empty; else the
/// one called `usual` if that is not empty and the tier can; else the one that should be
/// fastest. Throws InvalidArgument if there is no such tier, or if `asked` cannot.
Conv2dTier ChooseConv2d(std::string_view asked, std::string_view usual, Conv2dPart part,
                        const Conv2dGeometry& g);

/// As above; MINITF_CONV names the usual one.
Conv2dTier ChooseConv2d(std::string_view asked, Conv2dPart part, const Conv2dGeometry& g);

/// Calls compute(tier), which writes all of a result of `dtype`, with the tier that the
/// three-argument ChooseConv2d names, and notes it for traces (tier_note.h). If
/// "autotune" is asked for, or is the usual one, the tiers that can compute `part` of `g`
/// are tried the first time, and the quickest is remembered for such sizes and so many
/// threads. Returns the tier. Throws as ChooseConv2d.
Conv2dTier ComputeConv2d(std::string_view asked, Conv2dPart part, const Conv2dGeometry& g,
                         DType dtype, const ThreadPool& threads,
                         const std::function<void(Conv2dTier)>& compute);

/// What to do with rows [count,K] of the result as soon as they have been computed: they
/// are in the cache then. May be empty. Called from several threads, for different rows.
template <typename T>
using RowsDone = std::function<void(T* rows, int64_t count)>;

/// What is left to do if that was not called: for all rows of y, in several threads.
template <typename T>
void FinishRows(const Conv2dGeometry& g, const RowsDone<T>& rows_done, T* y,
                ThreadPool& threads) {
  if (!rows_done) return;
  threads.ParallelFor(g.n * g.places(), g.k / 4 + 1, [&](int64_t begin, int64_t end) {
    rows_done(y + begin * g.k, end - begin);
  });
}

template <typename T>
void Conv2dNaive(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                 ThreadPool& threads, const RowsDone<T>& rows_done);
template <typename T>
void Conv2dEigen(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                 ThreadPool& threads, const RowsDone<T>& rows_done);
template <typename T>
void Conv2dIm2col(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                  ThreadPool& threads, const RowsDone<T>& rows_done);
template <typename T>
void Conv2dImplicit(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                    ThreadPool& threads, const RowsDone<T>& rows_done);
template <typename T>
void Conv2dDirect(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                  ThreadPool& threads, const RowsDone<T>& rows_done);
template <typename T>  // As above, or returns false if a dilated filter sees few zeros.
bool Conv2dDilated(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                   ThreadPool& threads, const RowsDone<T>& rows_done);
template <typename T>
void Conv2dWinograd(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                    ThreadPool& threads, const RowsDone<T>& rows_done);
template <typename T>
void Conv2dWinograd2x2(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                       ThreadPool& threads, const RowsDone<T>& rows_done);
template <typename T>
void Conv2dWinograd5x5(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                       ThreadPool& threads, const RowsDone<T>& rows_done);

/// The gradient of x.
template <typename T>
void InputGradientNaive(const Conv2dGeometry& g, const T* w, const T* dy, T* dx,
                        ThreadPool& threads);
template <typename T>
void InputGradientIm2col(const Conv2dGeometry& g, const T* w, const T* dy, T* dx,
                         ThreadPool& threads);

/// The same at stride 1, by a convolution: Conv2dDirect, or one of Winograd's.
template <typename T>
void InputGradientTurned(decltype(Conv2dDirect<T>)* convolve, const Conv2dGeometry& g,
                         const T* w, const T* dy, T* dx, ThreadPool& threads);

/// The gradient of w.
template <typename T>
void FilterGradientNaive(const Conv2dGeometry& g, const T* x, const T* dy, T* dw,
                         ThreadPool& threads);
template <typename T>
void FilterGradientDirect(const Conv2dGeometry& g, const T* x, const T* dy, T* dw,
                          ThreadPool& threads);
template <typename T>
void FilterGradientIm2col(const Conv2dGeometry& g, const T* x, const T* dy, T* dw,
                          ThreadPool& threads);

}  // namespace minitf
