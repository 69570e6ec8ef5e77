// ScatterNd into variables and tensors on the CPU.
//
// The indices are checked before the first element changes. Updates are applied in order
// and in one thread, so that the result for repeated places does not depend on chance.
//
// Op         minitf/contrib/manip/manip_ops.cc
// Compare    tensorflow/core/kernels/scatter_nd_op.cc

#include <algorithm>
#include <type_traits>
#include <vector>

#include "kernels/cpu/array/gather.h"
#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/common/strided_copy.h"
#include "kernels/cpu/state/locked_variables.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shapes/gather_shapes.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

// The numbers of the blocks of `shape` that `updates` go to. Throws unless all fit.
std::vector<int64_t> CheckedBlocks(const Shape& shape, const Tensor& indices,
                                   const Tensor& updates) {
  Require(shape.rank() >= 1, "the scatter target must be at least a vector, is a scalar");
  CheckScatterNd(shape, indices.shape(), updates.shape());
  return BlocksAt(indices, shape);
}

template <typename T>
constexpr bool kIsNumber = !std::is_same_v<T, std::string> &&
                           !std::is_same_v<T, ResourceHandle> && !std::is_same_v<T, bool>;

struct Replace {
  static void Apply(const Tensor& updates, const std::vector<int64_t>& blocks,
                    Tensor* value) {
    const int64_t block = updates.num_elements() / static_cast<int64_t>(blocks.size());
    VisitMovable(updates.dtype(), [&]<typename T>() {
      const T* from = MovableData<T>(updates);
      T* to = MovableData<T>(value);
      for (const int64_t place : blocks) {
        std::copy_n(from, block, to + place * block);
        from += block;
      }
    });
  }
};

// Joins numbers by Term: the sum or the difference of two.
template <typename Term>
struct Join {
  static void Apply(const Tensor& updates, const std::vector<int64_t>& blocks,
                    Tensor* value) {
    const int64_t block = updates.num_elements() / static_cast<int64_t>(blocks.size());
    VisitDType(updates.dtype(), [&]<typename T>() {
      if constexpr (kIsNumber<T>) {
        const T* from = updates.flat<T>().data();
        T* to = value->mutable_flat<T>().data();
        for (const int64_t place : blocks) {
          JoinInto(from, block, to + place * block, Term());
          from += block;
        }
      } else {
        throw Error(errors::Unimplemented("not defined for ", updates.dtype()));
      }
    });
  }
};

struct Sum {
  template <typename T>
  T operator()(const T& x, const T& y) const {
    return WrapAdd(x, y);
  }
};

struct Difference {
  template <typename T>
  T operator()(const T& x, const T& y) const {
    return WrapSubtract(x, y);
  }
};

template <typename Change>
class ScatterNdVariableOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& indices = ctx->input(1);  // [..., depth]
    const Tensor& updates = ctx->input(2);  // [..., block...]
    LockedVariables variables(ctx, 1, updates.dtype());
    const std::vector<int64_t> blocks =
        CheckedBlocks(variables[0].value.shape(), indices, updates);
    if (updates.num_elements() == 0) return;
    Change::Apply(updates, blocks, variables.MutableValue(0));
  }
};
REGISTER_KERNEL(Kernel("ResourceScatterNdUpdate").On(Device::kCpu),
                ScatterNdVariableOp<Replace>);
REGISTER_KERNEL(Kernel("ResourceScatterNdAdd").On(Device::kCpu),
                ScatterNdVariableOp<Join<Sum>>);
REGISTER_KERNEL(Kernel("ResourceScatterNdSub").On(Device::kCpu),
                ScatterNdVariableOp<Join<Difference>>);

template <typename Change>
class TensorScatterOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& tensor = ctx->input(0);
    const Tensor& indices = ctx->input(1);  // [..., depth]
    const Tensor& updates = ctx->input(2);  // [..., block...]
    const std::vector<int64_t> blocks = CheckedBlocks(tensor.shape(), indices, updates);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, tensor.shape(), &y));
    const StridedLayout all(tensor.shape());
    StridedCopy(tensor, all, y, all, ctx->threads());
    if (updates.num_elements() > 0) Change::Apply(updates, blocks, y);
  }
};
REGISTER_KERNEL(Kernel("TensorScatterUpdate").On(Device::kCpu), TensorScatterOp<Replace>);
REGISTER_KERNEL(Kernel("TensorScatterAdd").On(Device::kCpu), TensorScatterOp<Join<Sum>>);
REGISTER_KERNEL(Kernel("TensorScatterSub").On(Device::kCpu),
                TensorScatterOp<Join<Difference>>);

}  // namespace
}  // namespace minitf
