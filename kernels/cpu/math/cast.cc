// Cast on the CPU: the same numbers as another type.
//
// There is one loop for each pair of types, found when the kernel is made. The types of
// 16 bits convert by way of float.
//
// C++ leaves open what becomes of a number that no integer of the target can hold, of
// infinity and of NaN. Here, as in TensorFlow, they become what the instruction of an
// x86 processor makes of them: the lowest integer of 32 or 64 bits, cut to the target.
//
// Op         minitf/ops/math/math_ops.cc
// Compare    tensorflow/core/kernels/cast_op.cc
// Read next  kernels/cpu/math/add_n.cc

#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/cpu/common/arithmetic.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

using CastLoop = void (*)(const void* from, void* to, int64_t count);

template <typename T>
constexpr bool kIsNumber =
    !std::is_same_v<T, std::string> && !std::is_same_v<T, ResourceHandle>;

// x without its fraction; the lowest number of Integer if that does not hold it.
template <typename Integer, typename Real>
Integer Truncated(Real x) {
  constexpr auto kLowest = static_cast<Real>(std::numeric_limits<Integer>::min());
  return static_cast<Integer>(x >= kLowest && x < -kLowest ? x : kLowest);
}

template <typename To, typename Real>
To ToInteger(Real x) {
  if constexpr (!std::is_same_v<To, uint64_t>) {
    // The signed type that holds all numbers of To, if there is one.
    using Wide = std::conditional_t<(sizeof(To) < 4 || std::is_same_v<To, int32_t>),
                                    int32_t, int64_t>;
    return static_cast<To>(Truncated<Wide>(x));
  } else {
    constexpr uint64_t kHighBit = uint64_t{1} << 63;
    constexpr auto kHalf = static_cast<Real>(kHighBit);
    if (!(x >= kHalf)) return static_cast<uint64_t>(Truncated<int64_t>(x));
    return static_cast<uint64_t>(Truncated<int64_t>(x - kHalf)) | kHighBit;
  }
}

template <typename To, typename From>
To ConvertReal(From x) {
  if constexpr (kIsComplex<To>) {
    return To(ConvertReal<typename To::value_type>(x));
  } else if constexpr (kIsHalf<From>) {
    return ConvertReal<To>(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return ToInteger<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

template <typename To, typename From>
To Convert(const From& x) {
  if constexpr (!kIsComplex<From>) {
    return ConvertReal<To>(x);
  } else if constexpr (kIsComplex<To>) {
    return To(x);
  } else {
    return ConvertReal<To>(x.real());
  }
}

template <typename From, typename To>
void CastElements(const void* from, void* to, int64_t count) {
  const auto* x = static_cast<const From*>(from);
  auto* y = static_cast<To*>(to);
  if constexpr (kIsHalf<From> && std::is_same_v<To, float>) {
    Widen(x, y, count);
  } else if constexpr (std::is_same_v<From, float> && kIsHalf<To>) {
    Narrow(x, y, count);
  } else {
    StoreEach(count, y, [x](int64_t i) { return Convert<ComputeType<To>>(x[i]); });
  }
}

// The loop from `from` to `to`, or null if one of them is no type of numbers.
CastLoop FindLoop(DType from, DType to) {
  return VisitDType(from, [to]<typename From>() -> CastLoop {
    return VisitDType(to, []<typename To>() -> CastLoop {
      if constexpr (kIsNumber<From> && kIsNumber<To>) {
        return CastElements<From, To>;
      } else {
        return nullptr;
      }
    });
  });
}

class CastOp final : public OpKernel {
 public:
  explicit CastOp(OpKernelConstruction* construction) : OpKernel(construction) {
    const DType from = construction->input_type(0);
    const DType to = construction->output_type(0);
    is_same_ = from == to;
    loop_ = FindLoop(from, to);
    OP_REQUIRES(construction, is_same_ || loop_ != nullptr,
                errors::Unimplemented("Cast ", from, " to ", to, " is not supported"));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    if (is_same_) return ctx->set_output(0, x);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));

    const auto* from = static_cast<const char*>(x.data());
    auto* to = static_cast<char*>(y->mutable_data());
    const auto from_size = static_cast<int64_t>(SizeOf(x.dtype()));
    const auto to_size = static_cast<int64_t>(SizeOf(y->dtype()));
    ctx->threads().ParallelFor(x.num_elements(), 1, [&](int64_t begin, int64_t end) {
      loop_(from + begin * from_size, to + begin * to_size, end - begin);
    });
  }

 private:
  bool is_same_ = false;
  CastLoop loop_ = nullptr;
};

REGISTER_KERNEL(Kernel("Cast").On(Device::kCpu), CastOp);

}  // namespace
}  // namespace minitf
