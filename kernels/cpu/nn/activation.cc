// Activations and their gradients on the CPU.
//
// Each is a function object for one stretch of numbers; two kernels do the rest. They
// work in stretches that fit into the L1 cache. Where the result goes to the memory of an
// input, a stretch is written to a buffer first, so that the compiler may use vector
// instructions all the same; 16-bit types are widened to a buffer on the way.
//
// Op         minitf/ops/nn/activation_ops.cc
// Compare    tensorflow/core/kernels/relu_op_functor.h, softplus_op.h, softsign_op.h
// Read next  kernels/cpu/nn/softmax.cc

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/cpu/common/lanes.h"
#include "kernels/cpu/conv/nhwc.h"
#include "minitf/framework/elementwise.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

constexpr int64_t kStretch = 1024;

// y[i] = f(x[i]), where no memory overlaps.
template <typename T, typename F>
void Each(int64_t count, const T* __restrict x, T* __restrict y, F f) {
  for (int64_t i = 0; i < count; ++i) y[i] = f(x[i]);
}

// y[i] = f(dy[i], x[i]).
template <typename T, typename F>
void Each(int64_t count, const T* __restrict dy, const T* __restrict x, T* __restrict dx,
          F f) {
  for (int64_t i = 0; i < count; ++i) dx[i] = f(dy[i], x[i]);
}

// ---- Functions of one input: Apply(count, x, y) ---------------------------------------
// They are written such that NaN stays NaN, and -0 becomes 0 where it meets the limit 0.

struct Relu {
  template <typename T>
  void Apply(int64_t count, const T* x, T* y) const {
    Each(count, x, y, [](T v) { return v <= T(0) ? T(0) : v; });
  }
};

struct Relu6 {
  template <typename T>
  void Apply(int64_t count, const T* x, T* y) const {
    Each(count, x, y, [](T v) { return v <= T(0) ? T(0) : v > T(6) ? T(6) : v; });
  }
};

struct LeakyRelu {
  float alpha;

  template <typename T>
  void Apply(int64_t count, const T* x, T* y) const {
    Each(count, x, y, [a = T(alpha)](T v) { return v > T(0) ? v : a * v; });
  }
};

struct Elu {
  template <typename T>
  void Apply(int64_t count, const T* x, T* y) const {
    ForLanes(x, y, count, [](const Lanes<T>& v) { return v.expm1(); });
    for (int64_t i = 0; i < count; ++i) y[i] = x[i] < T(0) ? y[i] : x[i];
  }
};

struct Selu {
  static constexpr double kScale = 1.0507009873554804934193349852946;
  static constexpr double kScaleAlpha = 1.7580993408473768599402175208123;

  template <typename T>
  void Apply(int64_t count, const T* x, T* y) const {
    ForLanes(x, y, count, [](const Lanes<T>& v) { return T(kScaleAlpha) * v.expm1(); });
    for (int64_t i = 0; i < count; ++i) y[i] = x[i] < T(0) ? y[i] : T(kScale) * x[i];
  }
};

struct Softplus {
  // log(1 + exp(x)) = max(x,0) + log(1 + exp(-|x|)), which neither overflows for large x
  // nor loses all digits for small.
  template <typename T>
  void Apply(int64_t count, const T* x, T* y) const {
    ForLanes(x, y, count, [](const Lanes<T>& v) { return (-v.abs()).exp().log1p(); });
    for (int64_t i = 0; i < count; ++i) y[i] += x[i] > T(0) ? x[i] : T(0);
  }
};

struct Softsign {
  template <typename T>
  void Apply(int64_t count, const T* x, T* y) const {
    Each(count, x, y, [](T v) { return v / (std::abs(v) + T(1)); });
  }
};

// ---- Gradients: Apply(count, dy, x, dx) -----------------------------------------------
// x is the input of the function or, where that is shorter, its output. Those of Relu and
// Relu6 multiply, as TensorFlow's do: a dy that is not finite is not lost on the way.

struct ReluGrad {
  template <typename T>
  void Apply(int64_t count, const T* dy, const T* x, T* dx) const {
    Each(count, dy, x, dx, [](T d, T v) { return d * T(v > T(0)); });
  }
};

struct Relu6Grad {
  template <typename T>
  void Apply(int64_t count, const T* dy, const T* x, T* dx) const {
    Each(count, dy, x, dx, [](T d, T v) { return d * T((v > T(0)) & (v < T(6))); });
  }
};

struct LeakyReluGrad {
  float alpha;

  template <typename T>
  void Apply(int64_t count, const T* dy, const T* x, T* dx) const {
    Each(count, dy, x, dx, [a = T(alpha)](T d, T v) { return v > T(0) ? d : a * d; });
  }
};

struct EluGrad {
  template <typename T>
  void Apply(int64_t count, const T* dy, const T* y, T* dx) const {
    Each(count, dy, y, dx, [](T d, T v) { return v < T(0) ? d * (v + T(1)) : d; });
  }
};

struct SeluGrad {
  double scale_alpha;

  // The lowest y of type T must have the slope 0.
  template <typename T>
  static SeluGrad For() {
    return {static_cast<double>(static_cast<T>(Selu::kScaleAlpha))};
  }

  template <typename T>
  void Apply(int64_t count, const T* dy, const T* y, T* dx) const {
    Each(count, dy, y, dx, [lowest = T(scale_alpha)](T d, T v) {
      return v < T(0) ? d * (v + lowest) : d * T(Selu::kScale);
    });
  }
};

struct SoftplusGrad {
  template <typename T>
  void Apply(int64_t count, const T* dy, const T* x, T* dx) const {
    ForLanes(x, dx, count, [](const Lanes<T>& v) { return (-v).exp() + T(1); });
    for (int64_t i = 0; i < count; ++i) dx[i] = dy[i] / dx[i];
  }
};

struct SoftsignGrad {
  template <typename T>
  void Apply(int64_t count, const T* dy, const T* x, T* dx) const {
    Each(count, dy, x, dx, [](T d, T v) {
      const T base = std::abs(v) + T(1);
      return d / (base * base);
    });
  }
};

// ---- Kernels --------------------------------------------------------------------------

// A stretch of numbers as SumType<T>: the numbers themselves, or a widened copy.
template <typename T>
class Stretch {
 public:
  using Sum = SumType<T>;

  const Sum* Read(const T* from, int64_t count) {
    if constexpr (std::is_same_v<T, Sum>) {
      return from;
    } else {
      Widen(from, buffer_.data(), count);
      return buffer_.data();
    }
  }

  // Lets `fill` write `count` numbers: to `to` itself if that `is_apart` from what `fill`
  // reads, else to the buffer first.
  template <typename Fill>
  void Write(int64_t count, bool is_apart, T* to, const Fill& fill) {
    if constexpr (std::is_same_v<T, Sum>) {
      if (is_apart) return fill(to);
      fill(buffer_.data());
      std::copy_n(buffer_.begin(), count, to);
    } else {
      fill(buffer_.data());
      Narrow(buffer_.data(), to, count);
    }
  }

 private:
  std::array<Sum, kStretch> buffer_;
};

// The function object for numbers T, with its setting if it has one.
template <typename T, typename Function>
Function Make(float alpha) {
  if constexpr (requires { Function::template For<T>(); }) {
    return Function::template For<T>();
  } else if constexpr (requires { Function{alpha}; }) {
    return Function{alpha};
  } else {
    return Function{};
  }
}

// y[i] = f(x[i]); x and y may be the same memory.
using ForwardLoop = void (*)(float alpha, const void* x, void* y, int64_t total);

template <typename T, typename Function>
void ForwardInStretches(float alpha, const void* x, void* y, int64_t total) {
  const auto function = Make<T, Function>(alpha);
  Stretch<T> in, out;
  for (int64_t i = 0; i < total; i += kStretch) {
    const int64_t count = std::min(kStretch, total - i);
    const auto* numbers = in.Read(static_cast<const T*>(x) + i, count);
    out.Write(count, x != y, static_cast<T*>(y) + i,
              [&](SumType<T>* to) { function.Apply(count, numbers, to); });
  }
}

// dx[i] = f(dy[i], x[i]); dx may be the memory of dy or x.
using BackwardLoop = void (*)(float alpha, const void* dy, const void* x, void* dx,
                              int64_t total);

template <typename T, typename Gradient>
void BackwardInStretches(float alpha, const void* dy, const void* x, void* dx,
                         int64_t total) {
  const auto gradient = Make<T, Gradient>(alpha);
  Stretch<T> in_0, in_1, out;
  for (int64_t i = 0; i < total; i += kStretch) {
    const int64_t count = std::min(kStretch, total - i);
    const auto* gradients = in_0.Read(static_cast<const T*>(dy) + i, count);
    const auto* features = in_1.Read(static_cast<const T*>(x) + i, count);
    out.Write(count, dx != dy && dx != x, static_cast<T*>(dx) + i,
              [&](SumType<T>* to) { gradient.Apply(count, gradients, features, to); });
  }
}

// Nanoseconds for one number, at a guess between those of Relu and of Softplus.
constexpr int64_t kCost = 1;

// The setting of LeakyRelu; other activations have none.
float AlphaOf(const OpKernelConstruction& construction) {
  const AttrValue* alpha = construction.attrs().Find("alpha");
  return alpha == nullptr ? 0 : std::get<float>(*alpha);
}

class ActivationOp final : public OpKernel {
 public:
  ActivationOp(OpKernelConstruction* construction, ForwardLoop loop)
      : OpKernel(construction), loop_(loop), alpha_(AlphaOf(*construction)) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // any shape
    Tensor* y = nullptr;              // the same
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0}, 0, x.shape(), &y));
    const auto size = static_cast<int64_t>(SizeOf(x.dtype()));
    const auto* from = static_cast<const char*>(x.data());
    auto* to = static_cast<char*>(y->mutable_data());
    ctx->threads().ParallelFor(y->num_elements(), kCost, [&](int64_t begin, int64_t end) {
      loop_(alpha_, from + begin * size, to + begin * size, end - begin);
    });
  }

 private:
  const ForwardLoop loop_;
  const float alpha_;
};

class ActivationGradOp final : public OpKernel {
 public:
  ActivationGradOp(OpKernelConstruction* construction, BackwardLoop loop)
      : OpKernel(construction), loop_(loop), alpha_(AlphaOf(*construction)) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& dy = ctx->input(0);  // any shape
    const Tensor& x = ctx->input(1);   // the same; of some functions it is y
    OP_REQUIRES(ctx, dy.shape() == x.shape(),
                errors::InvalidArgument("gradients and features must have one shape: ",
                                        dy.shape(), " vs. ", x.shape()));
    Tensor* dx = nullptr;  // the same
    OP_REQUIRES_OK(ctx,
                   ctx->forward_input_or_allocate_output({0, 1}, 0, dy.shape(), &dx));
    const auto size = static_cast<int64_t>(SizeOf(x.dtype()));
    const auto* gradients = static_cast<const char*>(dy.data());
    const auto* features = static_cast<const char*>(x.data());
    auto* to = static_cast<char*>(dx->mutable_data());
    ctx->threads().ParallelFor(
        dx->num_elements(), kCost, [&](int64_t begin, int64_t end) {
          const int64_t at = begin * size;
          loop_(alpha_, gradients + at, features + at, to + at, end - begin);
        });
  }

 private:
  const BackwardLoop loop_;
  const float alpha_;
};

// Lets other kernels have what is done to a piece of memory. LeakyRelu is left out, since
// it has a setting.
template <typename T, typename Function, typename Gradient>
void ShareLoops(const std::string& name) {
  const auto forward = [](const void* x, void* y, int64_t count) {
    ForwardInStretches<T, Function>(0, x, y, count);
  };
  const auto backward = [](const void* dy, const void* x, void* dx, int64_t count,
                           bool dy_moves, bool x_moves) {
    // A gradient has the shape of its features; an input that stands still is rare.
    const int64_t at_once = dy_moves && x_moves ? count : 1;
    for (int64_t i = 0; i < count; i += at_once) {
      BackwardInStretches<T, Gradient>(0, static_cast<const T*>(dy) + (dy_moves ? i : 0),
                                       static_cast<const T*>(x) + (x_moves ? i : 0),
                                       static_cast<T*>(dx) + i, at_once);
    }
  };
  AddElementwiseLoop(Device::kCpu, name, DTypeOf<T>(), {.unary = forward, .cost = kCost});
  AddElementwiseLoop(Device::kCpu, name + "Grad", DTypeOf<T>(),
                     {.binary = backward, .cost = kCost});
}

template <typename Op, typename Loop>
void RegisterLoop(const std::string& name, DType dtype, Loop loop) {
  KernelRegistrar(Kernel(name).On(Device::kCpu).Type("T", dtype),
                  [loop](OpKernelConstruction* construction) {
                    return std::make_unique<Op>(construction, loop);
                  });
}

// Registers an activation `name` and its gradient `name`Grad.
template <typename Function, typename Gradient, typename... Ts>
bool Register(const std::string& name) {
  (RegisterLoop<ActivationOp>(name, DTypeOf<Ts>(), ForwardInStretches<Ts, Function>),
   ...);
  (RegisterLoop<ActivationGradOp>(name + "Grad", DTypeOf<Ts>(),
                                  BackwardInStretches<Ts, Gradient>),
   ...);
  if constexpr (!std::is_same_v<Function, LeakyRelu>) {
    ShareLoops<float, Function, Gradient>(name);
    ShareLoops<double, Function, Gradient>(name);
  }
  return true;
}

template <typename Function, typename Gradient>
bool RegisterReal(const std::string& name) {
  return Register<Function, Gradient, float16, bfloat16, float, double, int32_t, int64_t,
                  uint8_t, int16_t, int8_t>(name);
}

template <typename Function, typename Gradient>
bool RegisterFloating(const std::string& name) {
  return Register<Function, Gradient, float16, bfloat16, float, double>(name);
}

const bool kActivationRegistered[] = {
    RegisterReal<Relu, ReluGrad>("Relu"),
    RegisterReal<Relu6, Relu6Grad>("Relu6"),
    RegisterFloating<LeakyRelu, LeakyReluGrad>("LeakyRelu"),
    RegisterFloating<Elu, EluGrad>("Elu"),
    RegisterFloating<Selu, SeluGrad>("Selu"),
    RegisterFloating<Softplus, SoftplusGrad>("Softplus"),
    RegisterFloating<Softsign, SoftsignGrad>("Softsign"),
};

}  // namespace
}  // namespace minitf
