// One number from two, with broadcasting: a table of functions, and one kernel for all.
//
// Where both inputs are as large as the result, or one number, a thread needs no more
// than its index. Otherwise it takes the index apart, axis by axis from the innermost, as
// kernels/cpu/common/broadcast_plan.h describes it; neighbours in a warp stay neighbours
// in the inputs, or meet at one number.
//
// Compare    tensorflow/core/kernels/cwise_ops_gpu_common.cu.h
// Read next  kernels/gpu/warp.h

#include <vector>

#include "kernels/gpu/elementwise.h"
#include "kernels/gpu/function_table.h"
#include "kernels/gpu/loops.h"

namespace minitf::gpu {
namespace {

// Where the inputs have what belongs to element i of the result.
template <typename Index, int kInputs>
__device__ void FindElements(const Broadcast& broadcast, Index i,
                             Index (&offsets)[kInputs]) {
  for (int axis = broadcast.num_axes - 1; axis > 0; --axis) {
    const Index size = static_cast<Index>(broadcast.size[axis]);
    const Index step = i % size;
    i /= size;
    for (int input = 0; input < kInputs; ++input) {
      offsets[input] += step * static_cast<Index>(broadcast.stride[input][axis]);
    }
  }
  for (int input = 0; input < kInputs; ++input) {
    offsets[input] += i * static_cast<Index>(broadcast.stride[input][0]);
  }
}

template <typename T>
struct Pair {
  T x, y;
};

// An input moves by x_step, or y_step, for one element of z: 1, or 0 for a single number.
template <typename Function, typename In, typename Out>
__global__ void Binary(int64_t count, int x_step, int y_step, const In* x, const In* y,
                       Out* z) {
  MapElements(
      count,
      [=](int64_t i) {
        return Pair<In>{x[i * x_step], y[i * y_step]};
      },
      [=](int64_t i, const Pair<In>& in) { z[i] = Function()(in.x, in.y); });
}

template <typename Index, typename Function, typename In, typename Out>
__global__ void BinaryBroadcast(Index count, Broadcast broadcast, const In* x,
                                const In* y, Out* z) {
  const auto load = [&](Index i) {
    Index at[2] = {};
    FindElements(broadcast, i, at);
    return Pair<In>{x[at[0]], y[at[1]]};
  };
  MapElements(count, load,
              [=](Index i, const Pair<In>& in) { z[i] = Function()(in.x, in.y); });
}

template <typename Function, typename In, typename Out>
// NOLINTNEXTLINE(readability-function-size): the inputs, and how to walk through them
cudaError_t LaunchBinary(int64_t count, int64_t x_count, int64_t y_count,
                         const Broadcast& broadcast, const void* x, const void* y,
                         void* z, cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  const auto moves = [&](int64_t size) { return size == count; };
  const bool is_simple =
      (moves(x_count) || x_count == 1) && (moves(y_count) || y_count == 1);
  if (is_simple) {
    Binary<Function, In, Out><<<BlocksForMap(count), kBlockSize, 0, stream>>>(
        count, moves(x_count), moves(y_count), static_cast<const In*>(x),
        static_cast<const In*>(y), static_cast<Out*>(z));
  } else if (FitsInt(count)) {
    BinaryBroadcast<int, Function, In, Out>
        <<<BlocksForMap(count), kBlockSize, 0, stream>>>(
            static_cast<int>(count), broadcast, static_cast<const In*>(x),
            static_cast<const In*>(y), static_cast<Out*>(z));
  } else {
    BinaryBroadcast<int64_t, Function, In, Out>
        <<<BlocksForMap(count), kBlockSize, 0, stream>>>(
            count, broadcast, static_cast<const In*>(x), static_cast<const In*>(y),
            static_cast<Out*>(z));
  }
  return cudaGetLastError();
}

// A function object of two arguments of one type.
#define MINITF_FUNCTION(Name, expression)        \
  struct Name {                                  \
    template <typename T>                        \
    __device__ auto operator()(T x, T y) const { \
      return expression;                         \
    }                                            \
  }

// Integers wrap around, as they do on the CPU: computed as unsigned, they may.
template <typename T>
struct Wrapping {
  using Type = T;
};
template <>
struct Wrapping<int64_t> {
  using Type = uint64_t;
};
template <typename T>
using Wraps = typename Wrapping<T>::Type;

MINITF_FUNCTION(Add, T(Wraps<T>(x) + Wraps<T>(y)));
MINITF_FUNCTION(Sub, T(Wraps<T>(x) - Wraps<T>(y)));
MINITF_FUNCTION(Mul, T(Wraps<T>(x) * Wraps<T>(y)));
MINITF_FUNCTION(Div, x / y);
MINITF_FUNCTION(SquaredDifference, Mul()(Sub()(x, y), Sub()(x, y)));
MINITF_FUNCTION(MulNoNan, y == T(0) ? T(0) : x * y);
MINITF_FUNCTION(DivNoNan, y == T(0) ? T(0) : x / y);
MINITF_FUNCTION(Xdivy, x == T(0) ? T(0) : x / y);
MINITF_FUNCTION(Xlogy, x == T(0) ? T(0) : x * T(log(y)));
MINITF_FUNCTION(FloorDiv, T(floor(x / y)));
MINITF_FUNCTION(Mod, T(fmod(x, y)));
MINITF_FUNCTION(Pow, T(pow(x, y)));
MINITF_FUNCTION(Atan2, T(atan2(x, y)));
// Where either is no number, neither is the result.
MINITF_FUNCTION(Maximum, x > y || x != x ? x : y);
MINITF_FUNCTION(Minimum, x < y || x != x ? x : y);
MINITF_FUNCTION(Less, x < y);
MINITF_FUNCTION(LessEqual, x <= y);
MINITF_FUNCTION(Greater, x > y);
MINITF_FUNCTION(GreaterEqual, x >= y);
MINITF_FUNCTION(Equal, x == y);
MINITF_FUNCTION(NotEqual, x != y);
MINITF_FUNCTION(LogicalAnd, x&& y);
MINITF_FUNCTION(LogicalOr, x || y);
// Gradients of y = f(x) by x. Here x stands for y, and y for dL/dy.
MINITF_FUNCTION(ReciprocalGrad, -y* x* x);
MINITF_FUNCTION(SqrtGrad, T(0.5) * y / x);
MINITF_FUNCTION(RsqrtGrad, T(-0.5) * y * x * x * x);
MINITF_FUNCTION(SigmoidGrad, y* x*(T(1) - x));
MINITF_FUNCTION(TanhGrad, y*(T(1) - x * x));
// Of activations. Here x stands for dL/dy, and y for the activation's x.
MINITF_FUNCTION(ReluGrad, x* T(y > T(0)));
MINITF_FUNCTION(Relu6Grad, x* T(y > T(0) && y < T(6)));
MINITF_FUNCTION(SoftplusGrad, x / (T(exp(-y)) + T(1)));
MINITF_FUNCTION(SoftsignGrad, x / Mul()(T(1) + T(fabs(y)), T(1) + T(fabs(y))));
// The same, but that y is the activation's result.
MINITF_FUNCTION(EluGrad, y < T(0) ? x * (y + T(1)) : x);
MINITF_FUNCTION(SeluGrad,
                y < T(0) ? x * (y + T(1.7580993408473768)) : x * T(1.0507009873554805));

#undef MINITF_FUNCTION

struct Launcher {
  template <typename Function, typename In, typename Out>
  static constexpr auto Of = LaunchBinary<Function, In, Out>;
};
using Table = FunctionTable<BinaryKernel, Launcher>;

void AddArithmetic(Table* table) {
  table->AddNumbers<Add>("Add");
  table->AddNumbers<Add>("AddV2");
  table->AddNumbers<Sub>("Sub");
  table->AddNumbers<Mul>("Mul");
  table->AddNumbers<SquaredDifference>("SquaredDifference");
  table->AddNumbers<Maximum>("Maximum");
  table->AddNumbers<Minimum>("Minimum");
  table->AddFloating<Div>("Div");
  table->AddFloating<Div>("RealDiv");
  table->AddFloating<MulNoNan>("MulNoNan");
  table->AddFloating<DivNoNan>("DivNoNan");
  table->AddFloating<Xdivy>("Xdivy");
  table->AddFloating<Xlogy>("Xlogy");
  table->AddFloating<FloorDiv>("FloorDiv");
  table->AddFloating<Mod>("Mod");
  table->AddFloating<Mod>("TruncateMod");
  table->AddFloating<Pow>("Pow");
  table->AddFloating<Atan2>("Atan2");
}

template <typename Function>
void AddComparison(Table* table, const char* op) {
  table->AddTests<Function>(op);
  table->Add<Function, int64_t, bool>(op);
}

void AddComparisons(Table* table) {
  AddComparison<Less>(table, "Less");
  AddComparison<LessEqual>(table, "LessEqual");
  AddComparison<Greater>(table, "Greater");
  AddComparison<GreaterEqual>(table, "GreaterEqual");
  AddComparison<Equal>(table, "Equal");
  AddComparison<NotEqual>(table, "NotEqual");
  table->Add<LogicalAnd, bool>("LogicalAnd");
  table->Add<LogicalOr, bool>("LogicalOr");
}

void AddGradients(Table* table) {
  table->AddFloating<ReciprocalGrad>("ReciprocalGrad");
  table->AddFloating<ReciprocalGrad>("InvGrad");
  table->AddFloating<SqrtGrad>("SqrtGrad");
  table->AddFloating<RsqrtGrad>("RsqrtGrad");
  table->AddFloating<SigmoidGrad>("SigmoidGrad");
  table->AddFloating<TanhGrad>("TanhGrad");
  table->AddFloating<ReluGrad>("ReluGrad");
  table->AddFloating<Relu6Grad>("Relu6Grad");
  table->AddFloating<SoftplusGrad>("SoftplusGrad");
  table->AddFloating<SoftsignGrad>("SoftsignGrad");
  table->AddFloating<EluGrad>("EluGrad");
  table->AddFloating<SeluGrad>("SeluGrad");
}

std::vector<BinaryKernel> MakeTable() {
  Table table;
  AddArithmetic(&table);
  AddComparisons(&table);
  AddGradients(&table);
  return table.Rows();
}

// ---- More inputs ----------------------------------------------------------------------

template <typename T>
__global__ void Select(int64_t count, Broadcast broadcast, const bool* condition,
                       const T* a, const T* b, T* y) {
  MINITF_GPU_LOOP(i, count) {
    int64_t at[3] = {};
    FindElements(broadcast, i, at);
    y[i] = condition[at[0]] ? a[at[1]] : b[at[2]];
  }
}

template <typename T>
__global__ void Accumulate(int64_t count, const T* x, T* sum) {
  MINITF_GPU_LOOP(i, count) sum[i] += x[i];
}

template <typename T>
__global__ void LeakyReluGrad(int64_t count, T alpha, const T* dy, const T* x, T* dx) {
  MINITF_GPU_LOOP(i, count) dx[i] = x[i] > 0 ? dy[i] : alpha * dy[i];
}

}  // namespace

std::span<const BinaryKernel> BinaryKernels() {
  static const std::vector<BinaryKernel> table = MakeTable();
  return table;
}

// NOLINTNEXTLINE(readability-function-size): the inputs, and how to walk through them
cudaError_t LaunchSelect(int size, int64_t count, const Broadcast& broadcast,
                         const bool* condition, const void* a, const void* b, void* y,
                         cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  return WithElementsOf(size, [&]<typename T>() {
    Select<T><<<BlocksFor(count), kBlockSize, 0, stream>>>(
        count, broadcast, condition, static_cast<const T*>(a), static_cast<const T*>(b),
        static_cast<T*>(y));
    return cudaGetLastError();
  });
}

template <typename T>
cudaError_t LaunchAccumulate(int64_t count, const T* x, T* sum, cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  Accumulate<T><<<BlocksFor(count), kBlockSize, 0, stream>>>(count, x, sum);
  return cudaGetLastError();
}

template <typename T>
cudaError_t LaunchLeakyReluGrad(int64_t count, T alpha, const T* dy, const T* x, T* dx,
                                cudaStream_t stream) {
  if (count == 0) return cudaSuccess;
  LeakyReluGrad<T><<<BlocksFor(count), kBlockSize, 0, stream>>>(count, alpha, dy, x, dx);
  return cudaGetLastError();
}

#define MINITF_FLOATING(T)                                                     \
  template cudaError_t LaunchAccumulate(int64_t, const T*, T*, cudaStream_t);  \
  template cudaError_t LaunchLeakyReluGrad(int64_t, T, const T*, const T*, T*, \
                                           cudaStream_t)
MINITF_FLOATING(float);
MINITF_FLOATING(double);

}  // namespace minitf::gpu
