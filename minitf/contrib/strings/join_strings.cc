// Joining text on the CPU: element by element, and along axes.
//
// Op         minitf/contrib/strings/string_ops.cc
// Compare    tensorflow/core/kernels/string_join_op.cc, reduce_join_op.cc

#include <algorithm>
#include <string>
#include <vector>

#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/tensor/tensor_view.h"

namespace minitf {
namespace {

class StringJoinOp final : public OpKernel {
 public:
  explicit StringJoinOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("separator", &separator_));
  }

  void Compute(OpKernelContext* ctx) override {
    Shape shape;
    bool is_scalar = true;
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      const Shape& other = ctx->input(i).shape();
      if (other.rank() == 0) continue;
      Require(is_scalar || other == shape,
              "inputs must be scalars or have one shape, have ", shape, " and ", other);
      shape = other;
      is_scalar = false;
    }
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &y));
    const auto to = y->mutable_flat<std::string>();
    for (size_t k = 0; k < to.size(); ++k) {
      for (int i = 0; i < ctx->num_inputs(); ++i) {
        const auto from = ctx->input(i).flat<std::string>();
        if (i > 0) to[k] += separator_;
        to[k] += from[ctx->input(i).rank() == 0 ? 0 : k];
      }
    }
  }

 private:
  std::string separator_;
};
REGISTER_KERNEL(Kernel("StringJoin").On(Device::kCpu), StringJoinOp);

// Which axes are joined, and the shape of the result.
struct JoinedAxes {
  JoinedAxes(const Shape& input, const std::vector<int64_t>& axes, bool keep_dims) {
    std::vector<bool> is_joined(input.rank(), false);
    for (const int64_t axis : axes) {
      const int joined_axis = NormalizedAxis(axis, input.rank());
      Require(!is_joined[joined_axis], "reduction_indices has axis ", axis, " twice");
      is_joined[joined_axis] = true;
      joined.insert(joined.begin(), joined_axis);
      count *= input.dim(joined_axis);
    }
    std::vector<int64_t> sizes;
    for (int axis = 0; axis < input.rank(); ++axis) {
      if (!is_joined[axis]) kept.push_back(axis);
      if (!is_joined[axis]) sizes.push_back(input.dim(axis));
      if (is_joined[axis] && keep_dims) sizes.push_back(1);
    }
    shape = Shape(sizes);
  }

  std::vector<int> kept;
  std::vector<int> joined;  // backwards, because the first axis listed runs fastest
  int64_t count = 1;        // of the texts that are joined
  Shape shape;
};

class ReduceJoinOp final : public OpKernel {
 public:
  explicit ReduceJoinOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("keep_dims", &keep_dims_));
    OP_REQUIRES_OK(c, c->GetAttr("separator", &separator_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const JoinedAxes axes(x.shape(), IntegersOf(ctx->host_input(1)), keep_dims_);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, axes.shape, &y));
    const auto from = x.flat<std::string>();
    const auto to = y->mutable_flat<std::string>();
    const StridedLayout layout(x.shape());
    for (size_t k = 0; k < to.size(); ++k) {
      const int64_t first = OffsetAlong(layout, axes.kept, static_cast<int64_t>(k));
      for (int64_t i = 0; i < axes.count; ++i) {
        if (i > 0) to[k] += separator_;
        to[k] += from[first + OffsetAlong(layout, axes.joined, i)];
      }
    }
  }

 private:
  // The offset of index `i` of all indices along `axes`, of which the last runs fastest.
  static int64_t OffsetAlong(const StridedLayout& layout, const std::vector<int>& axes,
                             int64_t i) {
    int64_t offset = 0;
    for (size_t k = axes.size(); k-- > 0;) {
      const int64_t size = layout.sizes()[axes[k]];
      offset += i % size * layout.strides()[axes[k]];
      i /= size;
    }
    return offset;
  }

  bool keep_dims_ = false;
  std::string separator_;
};
REGISTER_KERNEL(Kernel("ReduceJoin").On(Device::kCpu).HostMemory("reduction_indices"),
                ReduceJoinOp);

}  // namespace
}  // namespace minitf
