// The ways to compute a convolution and its two gradients on the CPU.
//
//   by patches   gather what the filter sees into a matrix, and multiply (conv2d.cc,
//                conv2d_backprop.cc); what runs unless something else is asked for
//   direct       the formula, loop by loop (conv2d_direct.cc); what runs for kernels with
//                the label "direct", and for grouped convolutions
//
// x and dx are [N,H,W,C], w and dw [R,S,C/G,K], y and dy [N,P,Q,K], all without gaps.
// Every function writes all of its result, and gives the same bits for the same number of
// threads.
//
// Compare    tensorflow/core/kernels/conv_ops.h
// Read next  kernels/cpu/nn/epilogue.h

#pragma once

#include <cstdint>
#include <functional>

#include "minitf/base/thread_pool.h"
#include "minitf/framework/shapes/conv2d_geometry.h"

namespace minitf {

enum class Conv2dAlgorithm { kPatches, kDirect };

/// What computes `g`, if `asked` is what the label of the kernel stands for. TensorFlow
/// tries LIBXSMM, then LaunchDeepConvOp, then its launcher; this is the place where such
/// an order is decided.
inline Conv2dAlgorithm ChooseConv2d(Conv2dAlgorithm asked, const Conv2dGeometry& g) {
  return g.groups > 1 ? Conv2dAlgorithm::kDirect : asked;
}

/// What to do with rows [count,K] of the result as soon as they have been computed: they
/// are in the cache then. May be empty. Called from several threads, for different rows.
template <typename T>
using RowsDone = std::function<void(T* rows, int64_t count)>;

template <typename T>
void Conv2dByPatches(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                     ThreadPool& threads, const RowsDone<T>& rows_done = nullptr);
template <typename T>
void Conv2dDirect(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                  ThreadPool& threads);

/// The gradient of x.
template <typename T>
void Conv2dInputGradientByPatches(const Conv2dGeometry& g, const T* w, const T* dy, T* dx,
                                  ThreadPool& threads);
template <typename T>
void Conv2dInputGradientDirect(const Conv2dGeometry& g, const T* w, const T* dy, T* dx,
                               ThreadPool& threads);

/// The gradient of w.
template <typename T>
void Conv2dFilterGradientByPatches(const Conv2dGeometry& g, const T* x, const T* dy,
                                   T* dw, ThreadPool& threads);
template <typename T>
void Conv2dFilterGradientDirect(const Conv2dGeometry& g, const T* x, const T* dy, T* dw,
                                ThreadPool& threads);

}  // namespace minitf
