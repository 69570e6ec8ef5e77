// One number from one: a table of functions, and one kernel for all of them.
//
// A kernel of this kind does hardly any arithmetic: its time is that of reading x and
// writing y. So neighbouring threads take neighbouring numbers, and a warp reads whole
// sectors.
//
// A new function is a line in the table.
//
// Compare    tensorflow/core/kernels/cwise_op_gpu_exp.cu.cc and its like
// Read next  kernels/gpu/elementwise_binary.cu

#include <vector>

#include "kernels/gpu/elementwise.h"
#include "kernels/gpu/function_table.h"
#include "kernels/gpu/loops.h"

namespace minitf::gpu {
namespace {

template <typename Function, typename In, typename Out>
__global__ void Unary(int64_t count, const In* x, Out* y) {
  MapElements(
      count, [=](int64_t i) { return x[i]; },
      [=](int64_t i, In element) { y[i] = static_cast<Out>(Function()(element)); });
}

template <typename Function, typename In, typename Out>
cudaError_t LaunchUnary(int64_t count, const void* x, void* y, cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  Unary<Function, In, Out><<<BlocksForMap(count), kBlockSize, 0, stream>>>(
      count, static_cast<const In*>(x), static_cast<Out*>(y));
  return cudaGetLastError();
}

// A function object of one argument.
#define MINITF_FUNCTION(Name, expression)   \
  struct Name {                             \
    template <typename T>                   \
    __device__ auto operator()(T x) const { \
      return expression;                    \
    }                                       \
  }

MINITF_FUNCTION(Abs, x < T(0) ? -x : x + T(0));
MINITF_FUNCTION(Neg, -x);
MINITF_FUNCTION(Square, x* x);
MINITF_FUNCTION(Sign, x > T(0) ? T(1) : (x < T(0) ? T(-1) : x + T(0)));
MINITF_FUNCTION(Reciprocal, T(1) / x);
MINITF_FUNCTION(Sqrt, sqrt(x));
MINITF_FUNCTION(Rsqrt, T(1) / sqrt(x));
MINITF_FUNCTION(Exp, exp(x));
MINITF_FUNCTION(Expm1, expm1(x));
MINITF_FUNCTION(Log, log(x));
MINITF_FUNCTION(Log1p, log1p(x));
MINITF_FUNCTION(Sin, sin(x));
MINITF_FUNCTION(Cos, cos(x));
MINITF_FUNCTION(Tan, tan(x));
MINITF_FUNCTION(Asin, asin(x));
MINITF_FUNCTION(Acos, acos(x));
MINITF_FUNCTION(Atan, atan(x));
MINITF_FUNCTION(Sinh, sinh(x));
MINITF_FUNCTION(Cosh, cosh(x));
MINITF_FUNCTION(Tanh, tanh(x));
MINITF_FUNCTION(Asinh, asinh(x));
MINITF_FUNCTION(Acosh, acosh(x));
MINITF_FUNCTION(Atanh, atanh(x));
MINITF_FUNCTION(Erf, erf(x));
MINITF_FUNCTION(Erfc, erfc(x));
MINITF_FUNCTION(Sigmoid, T(1) / (T(1) + exp(-x)));
MINITF_FUNCTION(Floor, floor(x));
MINITF_FUNCTION(Ceil, ceil(x));
MINITF_FUNCTION(Round, rint(x));  // halves go to the even neighbour
MINITF_FUNCTION(IsNan, isnan(x));
MINITF_FUNCTION(IsInf, isinf(x));
MINITF_FUNCTION(IsFinite, isfinite(x));
MINITF_FUNCTION(Same, x);
MINITF_FUNCTION(LogicalNot, !x);
// A number that is none stays one in all of these.
MINITF_FUNCTION(Relu, x < T(0) ? T(0) : x);
MINITF_FUNCTION(Relu6, x < T(0) ? T(0) : (x > T(6) ? T(6) : x));
MINITF_FUNCTION(Elu, x < T(0) ? T(expm1(x)) : x);
MINITF_FUNCTION(Selu, x < T(0) ? T(1.7580993408473768) * T(expm1(x))
                               : T(1.0507009873554805) * x);
MINITF_FUNCTION(Softsign, x / (T(1) + (x < T(0) ? -x : x)));
// log(1 + e^x), by the one of its forms that does not overflow.
MINITF_FUNCTION(Softplus, x > T(0) ? x + log1p(exp(-x)) : log1p(exp(x)));

#undef MINITF_FUNCTION

struct Launcher {
  template <typename Function, typename In, typename Out>
  static constexpr auto Of = LaunchUnary<Function, In, Out>;
};
using Table = FunctionTable<UnaryKernel, Launcher>;

std::vector<UnaryKernel> MakeTable() {
  Table table;
  table.AddNumbers<Abs>("Abs");
  table.AddNumbers<Neg>("Neg");
  table.AddNumbers<Square>("Square");
  table.AddNumbers<Sign>("Sign");
  table.AddFloating<Reciprocal>("Reciprocal");
  table.AddFloating<Reciprocal>("Inv");
  table.AddFloating<Sqrt>("Sqrt");
  table.AddFloating<Rsqrt>("Rsqrt");
  table.AddFloating<Exp>("Exp");
  table.AddFloating<Expm1>("Expm1");
  table.AddFloating<Log>("Log");
  table.AddFloating<Log1p>("Log1p");
  table.AddFloating<Sin>("Sin");
  table.AddFloating<Cos>("Cos");
  table.AddFloating<Tan>("Tan");
  table.AddFloating<Asin>("Asin");
  table.AddFloating<Acos>("Acos");
  table.AddFloating<Atan>("Atan");
  table.AddFloating<Sinh>("Sinh");
  table.AddFloating<Cosh>("Cosh");
  table.AddFloating<Tanh>("Tanh");
  table.AddFloating<Asinh>("Asinh");
  table.AddFloating<Acosh>("Acosh");
  table.AddFloating<Atanh>("Atanh");
  table.AddFloating<Erf>("Erf");
  table.AddFloating<Erfc>("Erfc");
  table.AddFloating<Sigmoid>("Sigmoid");
  table.AddFloating<Floor>("Floor");
  table.AddFloating<Ceil>("Ceil");
  table.AddFloating<Round>("Rint");
  table.AddFloating<Round>("Round");
  table.AddTests<IsNan>("IsNan");
  table.AddTests<IsInf>("IsInf");
  table.AddTests<IsFinite>("IsFinite");
  table.Add<LogicalNot, bool>("LogicalNot");
  table.AddFloating<Relu>("Relu");
  table.AddFloating<Relu6>("Relu6");
  table.AddFloating<Elu>("Elu");
  table.AddFloating<Selu>("Selu");
  table.AddFloating<Softsign>("Softsign");
  table.AddFloating<Softplus>("Softplus");
  return table.Rows();
}

// Calls launch<T>() with the C++ type of `type`.
template <typename Launch>
cudaError_t WithType(ElementType type, Launch launch) {
  switch (type) {
    case ElementType::kBool: return launch.template operator()<bool>();
    case ElementType::kInt32: return launch.template operator()<int32_t>();
    case ElementType::kInt64: return launch.template operator()<int64_t>();
    case ElementType::kFloat32: return launch.template operator()<float>();
    case ElementType::kFloat64: return launch.template operator()<double>();
  }
  return cudaErrorInvalidValue;
}

template <typename T>
__global__ void LeakyRelu(int64_t count, T alpha, const T* x, T* y) {
  MINITF_GPU_LOOP(i, count) y[i] = x[i] > 0 ? x[i] : alpha * x[i];
}

}  // namespace

std::span<const UnaryKernel> UnaryKernels() {
  static const std::vector<UnaryKernel> table = MakeTable();
  return table;
}

cudaError_t LaunchCast(ElementType from, ElementType to, int64_t count, const void* x,
                       void* y, cudaStream_t stream) {
  return WithType(from, [&]<typename In>() {
    return WithType(to, [&]<typename Out>() {
      return LaunchUnary<Same, In, Out>(count, x, y, stream);
    });
  });
}

template <typename T>
cudaError_t LaunchLeakyRelu(int64_t count, T alpha, const T* x, T* y,
                            cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  LeakyRelu<T><<<BlocksFor(count), kBlockSize, 0, stream>>>(count, alpha, x, y);
  return cudaGetLastError();
}

template cudaError_t LaunchLeakyRelu(int64_t, float, const float*, float*, cudaStream_t);
template cudaError_t LaunchLeakyRelu(int64_t, double, const double*, double*,
                                     cudaStream_t);

}  // namespace minitf::gpu
