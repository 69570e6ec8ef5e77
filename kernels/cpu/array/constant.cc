// Tensors from nowhere: constants, placeholders, equal elements, ranges, one-hot vectors.
//
// Op         minitf/ops/array/array_ops.cc
// Compare    tensorflow/core/kernels/constant_op.cc, sequence_ops.cc, one_hot_op.cc

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/common/device_memory.h"
#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/common/scalars.h"
#include "kernels/cpu/common/strided_copy.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/array_shapes.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

class ConstOp final : public OpKernel {
 public:
  explicit ConstOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("value", &value_));
    OP_REQUIRES(construction, value_.dtype() == construction->output_type(0),
                errors::InvalidArgument("value is ", value_.dtype(), ", dtype is ",
                                        construction->output_type(0)));
    const bool is_for_host = memory_types().outputs[0] == MemoryType::kHost;
    if (!is_for_host) value_ = InMemoryOf(construction->device(), value_);
  }

  void Compute(OpKernelContext* ctx) override { ctx->set_output(0, value_); }
  bool IsExpensive() const override { return false; }

 private:
  Tensor value_;
};
REGISTER_KERNEL(Kernel("Const").OnAllDevices().HostMemoryIfInt32("dtype"), ConstOp);

// TensorFlow's short names of types, for a message that is TensorFlow's word for word.
std::string ShortNameOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32: return "float";
    case DType::kFloat64: return "double";
    case DType::kFloat16: return "half";
    default: return std::string(NameOf(dtype));
  }
}

// Only computed where nothing was fed.
class PlaceholderOp final : public OpKernel {
 public:
  explicit PlaceholderOp(OpKernelConstruction* construction)
      : OpKernel(construction), name_(construction->node_name()) {
    OP_REQUIRES_OK(construction, construction->GetAttr("dtype", &dtype_));
    OP_REQUIRES_OK(construction, construction->GetAttr("shape", &shape_));
  }

  void Compute(OpKernelContext* ctx) override {
    ctx->SetStatus(errors::InvalidArgument(
        "You must feed a value for placeholder tensor '", name_, "' with dtype ",
        ShortNameOf(dtype_), shape_.has_rank() ? StrCat(" and shape ", shape_) : ""));
  }

 private:
  std::string name_;
  DType dtype_ = DType::kInvalid;
  PartialShape shape_;
};
REGISTER_KERNEL(Kernel("Placeholder").OnAllDevices(), PlaceholderOp);

class FillOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& dims = ctx->host_input(0);  // [rank]
    const Tensor& value = ctx->input(1);      // []
    Require(dims.rank() == 1, "dims must be a vector, got shape ", dims.shape());
    RequireScalar(value, "value");
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, Shape(IntegersOf(dims)), &y));
    FillTensor(value, y, ctx->threads());
  }
};
REGISTER_KERNEL(Kernel("Fill").OnAllDevices().HostMemory("dims").HostMemoryIfInt32("T"),
                FillOp);

class ZerosLikeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0}, 0, x.shape(), &y));
    FillTensor(ZeroOf(x.dtype()), y, ctx->threads());
  }
};
REGISTER_KERNEL(Kernel("ZerosLike").OnAllDevices().HostMemoryIfInt32("T"), ZerosLikeOp);

class OnesLikeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0}, 0, x.shape(), &y));
    Tensor one(x.dtype(), Shape{});
    VisitDType(x.dtype(), [&]<typename T>() {
      if constexpr (!std::is_same_v<T, std::string> && !std::is_same_v<T, ResourceHandle>)
        one.mutable_flat<T>()[0] = T(1);
    });
    FillTensor(one, y, ctx->threads());
  }
};
REGISTER_KERNEL(Kernel("OnesLike").OnAllDevices().HostMemoryIfInt32("T"), OnesLikeOp);

// ---- Ranges ---------------------------------------------------------------------------

// `Wide` is the type in which the numbers are worked out: rounding once per number, and
// not once per step, keeps the last one where it belongs.
template <typename T, typename Wide>
class RangeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const T first = ctx->host_input(0).scalar<T>();
    const T limit = ctx->host_input(1).scalar<T>();
    const T step = ctx->host_input(2).scalar<T>();
    int64_t size = 0;
    if constexpr (std::is_integral_v<T>) {
      size = RangeSize(first, limit, step);
    } else {
      size = FloatRangeSize(first, limit, step);
    }
    const auto start = static_cast<Wide>(first);
    const auto delta = static_cast<Wide>(step);
    Tensor* y = nullptr;  // [size]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {size}, &y));
    const auto numbers = y->mutable_flat<T>();
    for (int64_t i = 0; i < size; ++i) {
      // In 64 bits i * delta may wrap around; then the sum wraps back to the right value.
      numbers[i] =
          static_cast<T>(WrapAdd(start, WrapMultiply(static_cast<Wide>(i), delta)));
    }
  }
};
const bool kIntegerRangeRegistered =
    ForTypes(Types<int32_t, int64_t>{}, []<typename T>() {
      RegisterKernel<RangeOp<T, int64_t>>(
          Kernel("Range")
              .OnAllDevices()
              .HostMemory("start", "limit", "delta", "output")
              .Type<T>("Tidx"));
    });
const bool kRangeRegistered = ForTypes(RealTypes{}, []<typename T>() {
  RegisterKernel<RangeOp<T, double>>(Kernel("Range")
                                         .OnAllDevices()
                                         .HostMemory("start", "limit", "delta", "output")
                                         .Type<T>("Tidx"));
});

template <typename T>
class LinSpaceOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    RequireScalar(ctx->input(0), "start");
    RequireScalar(ctx->input(1), "stop");
    const auto start = static_cast<double>(ctx->host_input(0).scalar<T>());
    const auto stop = static_cast<double>(ctx->host_input(1).scalar<T>());
    const int64_t num = IntegerOf(ctx->host_input(2), "num");
    Require(num > 0, "Requires num > 0: ", num);
    Tensor* y = nullptr;  // [num]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {num}, &y));
    const auto numbers = y->mutable_flat<T>();
    const double step = num > 1 ? (stop - start) / static_cast<double>(num - 1) : 0;
    for (int64_t i = 0; i < num; ++i) {
      numbers[i] = static_cast<T>(start + step * static_cast<double>(i));
    }
    if (num > 1) numbers.back() = static_cast<T>(stop);
  }
};
const bool kLinSpaceRegistered = ForTypes(RealTypes{}, []<typename T>() {
  RegisterKernel<LinSpaceOp<T>>(
      Kernel("LinSpace").HostMemory("start", "stop", "num", "output").Type<T>("T"));
});

// ---- One-hot --------------------------------------------------------------------------

class OneHotOp final : public OpKernel {
 public:
  explicit OneHotOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("axis", &axis_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& indices = ctx->input(0);  // [before..., after...]
    const int64_t depth = IntegerOf(ctx->host_input(1), "depth");
    const Tensor& on = ctx->input(2);   // []
    const Tensor& off = ctx->input(3);  // []
    Require(depth >= 0, "depth must be non-negative, got: ", depth);
    RequireScalar(on, "on_value");
    RequireScalar(off, "off_value");
    Require(-1 <= axis_ && axis_ <= indices.rank(), "Expected axis to be -1 or between ",
            "[0, ", indices.rank(), "], is ", axis_);
    std::vector<int64_t> sizes = indices.shape().ToVector();
    const auto axis = axis_ < 0 ? indices.rank() : static_cast<int>(axis_);
    sizes.insert(sizes.begin() + axis, depth);
    Tensor* y = nullptr;  // [before..., depth, after...]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, Shape(sizes), &y));
    FillTensor(off, y, ctx->threads());
    if (y->num_elements() == 0) return;

    int64_t after = 1;
    for (int k = axis; k < indices.rank(); ++k) after *= indices.dim(k);
    if (indices.dtype() == DType::kUint8) {
      Set(indices.flat<uint8_t>(), on, depth, after, y);
    } else if (indices.dtype() == DType::kInt32) {
      Set(indices.flat<int32_t>(), on, depth, after, y);
    } else {
      Set(indices.flat<int64_t>(), on, depth, after, y);
    }
  }

 private:
  template <typename Index>
  static void Set(std::span<const Index> indices, const Tensor& on, int64_t depth,
                  int64_t after, Tensor* y) {
    VisitMovable(y->dtype(), [&]<typename T>() {
      T* elements = MovableData<T>(y);
      const T& value = *MovableData<T>(on);
      for (int64_t i = 0; i < static_cast<int64_t>(indices.size()); ++i) {
        const auto index = static_cast<int64_t>(indices[i]);
        if (index < 0 || index >= depth) continue;
        elements[(i / after * depth + index) * after + i % after] = value;
      }
    });
  }

  int64_t axis_ = -1;
};
REGISTER_KERNEL(Kernel("OneHot").On(Device::kCpu).HostMemory("depth"), OneHotOp);

}  // namespace
}  // namespace minitf
