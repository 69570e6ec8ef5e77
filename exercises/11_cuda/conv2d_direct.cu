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
#include "minitf/base/lab.h"

namespace minitf::gpu {
namespace {

// x [N,H,W,C], w [R,S,C/G,K], y [N,P,Q,K]. Neighbouring threads have neighbouring k: all
// read one pixel, and weights beside each other.
template <typename T>
__global__ void Conv2dDirect(Conv2dSizes g, const T* x, const T* w, T* y) {
  // TODO(11.9) begin: compute all g.y_size() numbers of y
  MINITF_TODO("11.9");
  // TODO(11.9) end
}

// The place along one axis whose tap falls on pixel `at`; -1 if there is none.
__device__ int PlaceOf(int at, int tap, int dilation, int pad, int stride, int places) {
  // TODO(11.10) begin: return the place whose tap is at pixel `at`, or -1
  MINITF_TODO("11.10");
  // TODO(11.10) end
}

template <typename T>
__global__ void Conv2dInputDirect(Conv2dSizes g, const T* dy, const T* w, T* dx) {
  // TODO(11.10) begin: compute all g.x_size() numbers of dx
  MINITF_TODO("11.10");
  // TODO(11.10) end
}

template <typename T>
__global__ void Conv2dFilterDirect(Conv2dSizes g, const T* x, const T* dy, T* dw) {
  // TODO(11.11) begin: compute all g.w_size() numbers of dw
  MINITF_TODO("11.11");
  // TODO(11.11) end
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
