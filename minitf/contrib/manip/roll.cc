// Roll on all devices: the parts before and behind each cut are copied.
//
// Op         minitf/contrib/manip/manip_ops.cc
// Compare    tensorflow/core/kernels/roll_op.cc

#include <vector>

#include "kernels/cpu/common/strided_copy.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// Two parts of one shape: elements of the input, and their places in the output.
struct Moved {
  StridedLayout from;
  StridedLayout to;
};

// Cuts each part along `axis`: index i of `from` moves to index (i + shift) % size.
std::vector<Moved> CutAlong(const std::vector<Moved>& parts, int axis, int64_t shift,
                            int64_t size) {
  std::vector<Moved> cut;
  for (const Moved& part : parts) {
    const int64_t head = size - shift;
    cut.push_back(
        {part.from.Slice(axis, 0, 1, head), part.to.Slice(axis, shift, 1, head)});
    cut.push_back(
        {part.from.Slice(axis, head, 1, shift), part.to.Slice(axis, 0, 1, shift)});
  }
  return cut;
}

class RollOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const Tensor& shift = ctx->host_input(1);
    const Tensor& axis = ctx->host_input(2);
    Require(x.rank() >= 1, "input must be 1-D or higher, got ", x.shape());
    Require(shift.rank() <= 1, "shift must be a scalar or a vector, got shape ",
            shift.shape());
    Require(shift.shape() == axis.shape(),
            "shift and axis must have the same shape, got ", shift.shape(), " and ",
            axis.shape());
    const std::vector<int64_t> shifts =
        ShiftsByAxis(x.shape(), IntegersOf(shift), IntegersOf(axis));
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    if (y->num_elements() == 0) return;

    std::vector<Moved> parts{{StridedLayout(x.shape()), StridedLayout(x.shape())}};
    for (int k = 0; k < x.rank(); ++k) {
      if (shifts[k] != 0) parts = CutAlong(parts, k, shifts[k], x.dim(k));
    }
    for (const Moved& part : parts) {
      StridedCopy(x, part.from, y, part.to, ctx->threads());
    }
  }

 private:
  // The sum of the shifts along each axis, in [0, size). An axis may occur several times.
  static std::vector<int64_t> ShiftsByAxis(const Shape& shape,
                                           const std::vector<int64_t>& shifts,
                                           const std::vector<int64_t>& axes) {
    std::vector<int64_t> sums(shape.rank(), 0);
    for (size_t i = 0; i < axes.size(); ++i) {
      const int axis = NormalizedAxis(axes[i], shape.rank());
      const int64_t size = shape.dim(axis);
      if (size == 0) continue;
      // Both terms are in [0, size), so the sum does not overflow.
      const int64_t shift = (shifts[i] % size + size) % size;
      sums[axis] = (sums[axis] + shift) % size;
    }
    return sums;
  }
};
REGISTER_KERNEL(
    Kernel("Roll").OnAllDevices().HostMemory("shift", "axis").HostMemoryIfInt32("T"),
    RollOp);

}  // namespace
}  // namespace minitf
