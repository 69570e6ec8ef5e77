// Cumsum and Cumprod on the CPU: running sums and products along an axis.
//
// The tensor is seen as [outer,length,inner]. Going along the axis, each row of `inner`
// elements is the row before it joined with a row of x, so rows are computed whole.
//
//   x = [2,3,5]      sum            exclusive
//   forward          [2,5,10]       [0,2,5]
//   reverse          [10,8,5]       [8,5,0]
//
// Op         minitf/ops/math/math_ops.cc
// Compare    tensorflow/core/kernels/scan_ops.cc
// Read next  kernels/cpu/math/segment.cc

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/common/scalars.h"
#include "kernels/cpu/cwise/cwise.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

struct RunningSum {
  template <typename T>
  static T Identity() {
    return T(0);
  }
  template <typename T>
  static T Join(T x, T y) {
    return WrapAdd(x, y);
  }
};

struct RunningProduct {
  template <typename T>
  static T Identity() {
    return T(1);
  }
  template <typename T>
  static T Join(T x, T y) {
    return WrapMultiply(x, y);
  }
};

// Runs along an axis: x and y are [length,inner].
template <typename Joiner, typename T>
void RunAlong(const void* from, int64_t length, int64_t inner, bool exclusive,
              bool reverse, void* to) {
  using C = ComputeType<T>;  // so that 16-bit numbers are rounded once, not each time
  const T* x = static_cast<const T*>(from);
  T* y = static_cast<T*>(to);
  std::vector<C> joined(inner, Joiner::template Identity<C>());
  for (int64_t step = 0; step < length; ++step) {
    const int64_t row = (reverse ? length - 1 - step : step) * inner;
    StoreEach(inner, y + row, [&](int64_t i) {
      const C before = joined[i];
      joined[i] = Joiner::Join(before, static_cast<C>(x[row + i]));
      return exclusive ? before : joined[i];
    });
  }
}

class CumulativeOp final : public OpKernel {
 public:
  using Run = void (*)(const void* x, int64_t length, int64_t inner, bool exclusive,
                       bool reverse, void* y);

  CumulativeOp(OpKernelConstruction* construction, Run run)
      : OpKernel(construction), run_(run) {
    OP_REQUIRES_OK(construction, construction->GetAttr("exclusive", &exclusive_));
    OP_REQUIRES_OK(construction, construction->GetAttr("reverse", &reverse_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const Tensor& axis_tensor = ctx->host_input(1);
    const int axis = NormalizedAxis(IntegerOf(axis_tensor, "axis"), x.rank());
    Tensor* y = nullptr;  // the shape of x
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    if (x.num_elements() == 0) return;

    const auto sizes = x.shape().sizes();
    const int64_t length = sizes[axis];
    int64_t inner = 1;
    for (const int64_t size : sizes.subspan(axis + 1)) inner *= size;
    const auto* from = static_cast<const char*>(x.data());
    auto* to = static_cast<char*>(y->mutable_data());
    const size_t bytes = length * inner * SizeOf(x.dtype());
    ctx->threads().ParallelFor(x.num_elements() / (length * inner), length * inner,
                               [&](int64_t begin, int64_t end) {
                                 for (int64_t o = begin; o < end; ++o) {
                                   run_(from + o * bytes, length, inner, exclusive_,
                                        reverse_, to + o * bytes);
                                 }
                               });
  }

 private:
  const Run run_;
  bool exclusive_ = false;
  bool reverse_ = false;
};

void RegisterRun(const Kernel& kernel, CumulativeOp::Run run) {
  KernelRegistrar(kernel, [run](OpKernelConstruction* construction) {
    return std::make_unique<CumulativeOp>(construction, run);
  });
}

const bool kCumulativeRegistered = ForTypes(NumberTypes{}, []<typename T>() {
  RegisterRun(Kernel("Cumsum").HostMemory("axis").Type<T>("T"), RunAlong<RunningSum, T>);
  RegisterRun(Kernel("Cumprod").HostMemory("axis").Type<T>("T"),
              RunAlong<RunningProduct, T>);
});

}  // namespace
}  // namespace minitf
