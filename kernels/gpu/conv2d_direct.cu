// Convolution and its gradients directly from the formula: one thread, one number.
//
//   y(n,p,q,k)  = sum over r,s,c of x(n, p*stride+r-pad, q*stride+s-pad, c) * w(r,s,c,k)
//   dx(n,h,w,c) = sum over r,s,k of dy at the places whose tap (r,s) falls on (h,w)
//   dw(r,s,c,k) = sum over n,p,q of x under the tap (r,s) at place (p,q), times dy
//
// Each gradient is written as a sum that one thread adds up, and not as additions to
// numbers that many threads share: so it takes no atomics, and is the same in every run.
//
// Compare    tensorflow/core/kernels/depthwise_conv_op_gpu.h
// Read next  kernels/gpu/conv2d_shared.cu

#include "kernels/gpu/conv2d.h"
#include "kernels/gpu/loops.h"

namespace minitf::gpu {
namespace {

// x [N,H,W,C], w [R,S,C/G,K], y [N,P,Q,K]. Neighbouring threads have neighbouring k: all
// read one pixel, and weights beside each other.
template <typename T>
__global__ void Conv2dDirect(Conv2dSizes g, const T* x, const T* w, T* y) {
  // LAB(11.9) begin: compute all g.y_size() numbers of y
  const int depth = g.c / g.groups;
  MINITF_GPU_LOOP(i, g.y_size()) {
    const int k = static_cast<int>(i % g.k);
    const int q = static_cast<int>(i / g.k % g.q);
    const int p = static_cast<int>(i / g.k / g.q % g.p);
    const int64_t n = i / g.k / g.q / g.p;
    const int first_c = k / (g.k / g.groups) * depth;
    T sum = 0;
    for (int r = 0; r < g.r; ++r) {
      const int row = p * g.stride_h + r * g.dilation_h - g.pad_top;
      if (row < 0 || row >= g.h) continue;
      for (int s = 0; s < g.s; ++s) {
        const int column = q * g.stride_w + s * g.dilation_w - g.pad_left;
        if (column < 0 || column >= g.w) continue;
        const T* const pixel = x + ((n * g.h + row) * g.w + column) * g.c + first_c;
        const T* const tap = w + (int64_t{r} * g.s + s) * depth * g.k + k;
        for (int c = 0; c < depth; ++c) sum += pixel[c] * tap[int64_t{c} * g.k];
      }
    }
    y[i] = sum;
  }
  // LAB(11.9) end
}

// The place along one axis whose tap falls on pixel `at`; -1 if there is none.
__device__ int PlaceOf(int at, int tap, int dilation, int pad, int stride, int places) {
  // LAB(11.10) begin: return the place whose tap is at pixel `at`, or -1
  const int reach = at + pad - tap * dilation;
  if (reach < 0 || reach % stride != 0) return -1;
  return reach / stride < places ? reach / stride : -1;
  // LAB(11.10) end
}

template <typename T>
__global__ void Conv2dInputDirect(Conv2dSizes g, const T* dy, const T* w, T* dx) {
  // LAB(11.10) begin: compute all g.x_size() numbers of dx
  const int depth = g.c / g.groups;
  const int filters = g.k / g.groups;
  MINITF_GPU_LOOP(i, g.x_size()) {
    const int c = static_cast<int>(i % g.c);
    const int column = static_cast<int>(i / g.c % g.w);
    const int row = static_cast<int>(i / g.c / g.w % g.h);
    const int64_t n = i / g.c / g.w / g.h;
    const int first_k = c / depth * filters;
    T sum = 0;
    for (int r = 0; r < g.r; ++r) {
      const int p = PlaceOf(row, r, g.dilation_h, g.pad_top, g.stride_h, g.p);
      if (p < 0) continue;
      for (int s = 0; s < g.s; ++s) {
        const int q = PlaceOf(column, s, g.dilation_w, g.pad_left, g.stride_w, g.q);
        if (q < 0) continue;
        const T* const at = dy + ((n * g.p + p) * g.q + q) * g.k + first_k;
        const T* const tap =
            w + ((int64_t{r} * g.s + s) * depth + c % depth) * g.k + first_k;
        for (int k = 0; k < filters; ++k) sum += at[k] * tap[k];
      }
    }
    dx[i] = sum;
  }
  // LAB(11.10) end
}

template <typename T>
__global__ void Conv2dFilterDirect(Conv2dSizes g, const T* x, const T* dy, T* dw) {
  // LAB(11.11) begin: compute all g.w_size() numbers of dw
  const int depth = g.c / g.groups;
  MINITF_GPU_LOOP(i, g.w_size()) {
    const int k = static_cast<int>(i % g.k);
    const int c = static_cast<int>(i / g.k % depth) + k / (g.k / g.groups) * depth;
    const int s = static_cast<int>(i / g.k / depth % g.s);
    const int r = static_cast<int>(i / g.k / depth / g.s);
    T sum = 0;
    for (int64_t n = 0; n < g.n; ++n) {
      for (int p = 0; p < g.p; ++p) {
        const int row = p * g.stride_h + r * g.dilation_h - g.pad_top;
        if (row < 0 || row >= g.h) continue;
        for (int q = 0; q < g.q; ++q) {
          const int column = q * g.stride_w + s * g.dilation_w - g.pad_left;
          if (column < 0 || column >= g.w) continue;
          sum += x[((n * g.h + row) * g.w + column) * g.c + c] *
                 dy[((n * g.p + p) * g.q + q) * g.k + k];
        }
      }
    }
    dw[i] = sum;
  }
  // LAB(11.11) end
}

}  // namespace

template <typename T>
cudaError_t LaunchConv2dDirect(const Conv2dSizes& sizes, const T* x, const T* w, T* y,
                               cudaStream_t stream) {
  if (sizes.y_size() == 0) return cudaSuccess;
  Conv2dDirect<T><<<BlocksFor(sizes.y_size()), kBlockSize, 0, stream>>>(sizes, x, w, y);
  return cudaGetLastError();
}

template <typename T>
cudaError_t LaunchConv2dInputDirect(const Conv2dSizes& sizes, const T* dy, const T* w,
                                    T* dx, cudaStream_t stream) {
  if (sizes.x_size() == 0) return cudaSuccess;
  Conv2dInputDirect<T>
      <<<BlocksFor(sizes.x_size()), kBlockSize, 0, stream>>>(sizes, dy, w, dx);
  return cudaGetLastError();
}

template <typename T>
cudaError_t LaunchConv2dFilterDirect(const Conv2dSizes& sizes, const T* x, const T* dy,
                                     T* dw, cudaStream_t stream) {
  if (sizes.w_size() == 0) return cudaSuccess;
  Conv2dFilterDirect<T>
      <<<BlocksFor(sizes.w_size()), kBlockSize, 0, stream>>>(sizes, x, dy, dw);
  return cudaGetLastError();
}

#define MINITF_CONV2D_DIRECT(T)                                                         \
  template cudaError_t LaunchConv2dDirect(const Conv2dSizes&, const T*, const T*, T*,   \
                                          cudaStream_t);                                \
  template cudaError_t LaunchConv2dInputDirect(const Conv2dSizes&, const T*, const T*,  \
                                               T*, cudaStream_t);                       \
  template cudaError_t LaunchConv2dFilterDirect(const Conv2dSizes&, const T*, const T*, \
                                                T*, cudaStream_t)
MINITF_CONV2D_DIRECT(float);
MINITF_CONV2D_DIRECT(double);

}  // namespace minitf::gpu
