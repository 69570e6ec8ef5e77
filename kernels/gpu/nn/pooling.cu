// Pooling: a thread for each number of the result, or of the gradient.
//
// A gradient is worked out from where it arrives: a thread takes a pixel, asks each
// window that sees it whether the pixel is the largest there, and adds up what these
// windows bring. That looks at more numbers than sending each window's gradient to its
// largest pixel would, but takes no atomics, and adds in the same order in every run.
//
// Compare    tensorflow/core/kernels/maxpooling_op_gpu.cu.cc
// Read next  kernels/gpu/nn/batch_norm.h

#include <cmath>

#include "kernels/gpu/loops.h"
#include "kernels/gpu/nn/pooling.h"

namespace minitf::gpu {
namespace {

// The part of an axis that a window sees.
struct Span {
  int begin, end;
};

__device__ Span SpanOf(int place, int stride, int taps, int pad, int size) {
  const int begin = place * stride - pad;
  return {max(begin, 0), min(begin + taps, size)};
}

// The places along an axis whose windows see pixel `at`.
__device__ Span PlacesOf(int at, int stride, int taps, int pad, int places) {
  const int reach = at + pad;  // of a window: from place * stride on
  const int first = reach < taps ? 0 : (reach - taps) / stride + 1;
  return {first, min(reach / stride + 1, places)};
}

// Index i of [N, rows, columns, C], taken apart.
struct Pixel {
  int64_t n;
  int row, column, c;
};

__device__ Pixel PixelOf(int64_t i, int rows, int columns, int channels) {
  return {i / channels / columns / rows, static_cast<int>(i / channels / columns % rows),
          static_cast<int>(i / channels % columns), static_cast<int>(i % channels)};
}

// NaN is larger than any number; of several NaN, the first counts.
template <typename T>
__device__ bool IsLarger(T x, T largest) {
  return x > largest || (x != x && largest == largest);
}

// Where the largest number of a window is; -1 if it sees none.
template <typename T>
__device__ int64_t LargestOf(const Conv2dSizes& g, const T* x, int64_t n, int p, int q,
                             int c) {
  const Span rows = SpanOf(p, g.stride_h, g.r, g.pad_top, g.h);
  const Span columns = SpanOf(q, g.stride_w, g.s, g.pad_left, g.w);
  int64_t found = -1;
  T largest = -INFINITY;
  for (int row = rows.begin; row < rows.end; ++row) {
    for (int column = columns.begin; column < columns.end; ++column) {
      const int64_t at = ((n * g.h + row) * g.w + column) * g.c + c;
      if (found >= 0 && !IsLarger(x[at], largest)) continue;
      found = at;
      largest = x[at];
    }
  }
  return found;
}

template <typename T>
__global__ void MaxPool(Conv2dSizes g, const T* x, T* y) {
  MINITF_GPU_LOOP(i, g.y_size()) {
    const Pixel at = PixelOf(i, g.p, g.q, g.k);
    const int64_t found = LargestOf(g, x, at.n, at.row, at.column, at.c);
    y[i] = found < 0 ? T(-INFINITY) : x[found];
  }
}

template <typename T>
__global__ void MaxPoolGrad(Conv2dSizes g, const T* x, const T* dy, T* dx) {
  MINITF_GPU_LOOP(i, g.x_size()) {
    const Pixel at = PixelOf(i, g.h, g.w, g.c);
    const Span rows = PlacesOf(at.row, g.stride_h, g.r, g.pad_top, g.p);
    const Span columns = PlacesOf(at.column, g.stride_w, g.s, g.pad_left, g.q);
    T sum = 0;
    for (int p = rows.begin; p < rows.end; ++p) {
      for (int q = columns.begin; q < columns.end; ++q) {
        if (LargestOf(g, x, at.n, p, q, at.c) != i) continue;
        sum += dy[((at.n * g.p + p) * g.q + q) * g.k + at.c];
      }
    }
    dx[i] = sum;
  }
}

// How many pixels of the image a window sees.
__device__ int CountOf(const Span& rows, const Span& columns) {
  return (rows.end - rows.begin) * (columns.end - columns.begin);
}

template <typename T>
__global__ void AvgPool(Conv2dSizes g, const T* x, T* y) {
  MINITF_GPU_LOOP(i, g.y_size()) {
    const Pixel at = PixelOf(i, g.p, g.q, g.k);
    const Span rows = SpanOf(at.row, g.stride_h, g.r, g.pad_top, g.h);
    const Span columns = SpanOf(at.column, g.stride_w, g.s, g.pad_left, g.w);
    T sum = 0;
    for (int row = rows.begin; row < rows.end; ++row) {
      for (int column = columns.begin; column < columns.end; ++column) {
        sum += x[((at.n * g.h + row) * g.w + column) * g.c + at.c];
      }
    }
    y[i] = sum / static_cast<T>(CountOf(rows, columns));
  }
}

template <typename T>
__global__ void AvgPoolGrad(Conv2dSizes g, const T* dy, T* dx) {
  MINITF_GPU_LOOP(i, g.x_size()) {
    const Pixel at = PixelOf(i, g.h, g.w, g.c);
    const Span rows = PlacesOf(at.row, g.stride_h, g.r, g.pad_top, g.p);
    const Span columns = PlacesOf(at.column, g.stride_w, g.s, g.pad_left, g.q);
    T sum = 0;
    for (int p = rows.begin; p < rows.end; ++p) {
      for (int q = columns.begin; q < columns.end; ++q) {
        const int count = CountOf(SpanOf(p, g.stride_h, g.r, g.pad_top, g.h),
                                  SpanOf(q, g.stride_w, g.s, g.pad_left, g.w));
        sum += dy[((at.n * g.p + p) * g.q + q) * g.k + at.c] / static_cast<T>(count);
      }
    }
    dx[i] = sum;
  }
}

}  // namespace

template <typename T>
cudaError_t LaunchMaxPool(const Conv2dSizes& sizes, const T* x, T* y,
                          cudaStream_t stream) {
  if (sizes.y_size() == 0) return cudaSuccess;
  MaxPool<T><<<BlocksFor(sizes.y_size()), kBlockSize, 0, stream>>>(sizes, x, y);
  return cudaGetLastError();
}

template <typename T>
cudaError_t LaunchMaxPoolGrad(const Conv2dSizes& sizes, const T* x, const T* dy, T* dx,
                              cudaStream_t stream) {
  if (sizes.x_size() == 0) return cudaSuccess;
  MaxPoolGrad<T><<<BlocksFor(sizes.x_size()), kBlockSize, 0, stream>>>(sizes, x, dy, dx);
  return cudaGetLastError();
}

template <typename T>
cudaError_t LaunchAvgPool(const Conv2dSizes& sizes, const T* x, T* y,
                          cudaStream_t stream) {
  if (sizes.y_size() == 0) return cudaSuccess;
  AvgPool<T><<<BlocksFor(sizes.y_size()), kBlockSize, 0, stream>>>(sizes, x, y);
  return cudaGetLastError();
}

template <typename T>
cudaError_t LaunchAvgPoolGrad(const Conv2dSizes& sizes, const T* dy, T* dx,
                              cudaStream_t stream) {
  if (sizes.x_size() == 0) return cudaSuccess;
  AvgPoolGrad<T><<<BlocksFor(sizes.x_size()), kBlockSize, 0, stream>>>(sizes, dy, dx);
  return cudaGetLastError();
}

#define MINITF_FLOATING(T)                                                            \
  template cudaError_t LaunchMaxPool(const Conv2dSizes&, const T*, T*, cudaStream_t); \
  template cudaError_t LaunchMaxPoolGrad(const Conv2dSizes&, const T*, const T*, T*,  \
                                         cudaStream_t);                               \
  template cudaError_t LaunchAvgPool(const Conv2dSizes&, const T*, T*, cudaStream_t); \
  template cudaError_t LaunchAvgPoolGrad(const Conv2dSizes&, const T*, T*, cudaStream_t)
MINITF_FLOATING(float);
MINITF_FLOATING(double);

}  // namespace minitf::gpu
