// Transposing on the CPU: the loops of a copy in another order.
//
// SpaceToDepth and DepthToSpace are transposes too, once height and width are written as
// two axes each, "which block" and "where in the block":
//
//   [n, h, i, w, j, c]  <->  [n, h, w, i, j, c]      i, j in [0, block_size)
//
// Op         minitf/ops/array/reshape_ops.cc
// Compare    tensorflow/core/kernels/transpose_op.cc, spacetodepth_op.cc
// Read next  kernels/cpu/common/strided_copy.cc

#include <complex>
#include <numeric>

#include "kernels/cpu/common/strided_copy.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/array_shapes.h"

namespace minitf {
namespace {

template <typename T>
void Conjugate(Tensor* tensor) {
  for (std::complex<T>& element : tensor->mutable_flat<std::complex<T>>()) {
    element = std::conj(element);
  }
}

template <bool kConjugates>
class TransposeOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const Tensor& perm = ctx->host_input(1);  // [rank of x]
    Require(perm.rank() == 1, "perm must be a vector, not ", perm.shape());
    const std::vector<int> order = AsPermutation(IntegersOf(perm), x.rank());
    const auto transposed = StridedLayout(x.shape()).Transpose(order);
    const bool conjugates = kConjugates && IsComplex(x.dtype());
    // If only axes of size 1 move, no element does.
    if (!conjugates && transposed.IsContiguous()) {
      ctx->set_output(0, x.Reshaped(transposed.shape()));
      return;
    }
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, transposed.shape(), &y));
    StridedCopy(x, transposed, y, StridedLayout(y->shape()), ctx->threads());
    if (!conjugates) return;
    if (y->dtype() == DType::kComplex64) {
      Conjugate<float>(y);
    } else {
      Conjugate<double>(y);
    }
  }
};
REGISTER_KERNEL(Kernel("Transpose").OnAllDevices().HostMemory("perm"),
                TransposeOp<false>);
REGISTER_KERNEL(Kernel("ConjugateTranspose").On(Device::kCpu).HostMemory("perm"),
                TransposeOp<true>);

class InvertPermutationOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->host_input(0);  // [n]
    Require(x.rank() == 1, "invert_permutation expects a 1D vector, not ", x.shape());
    const std::vector<int64_t> values = IntegersOf(x);
    const auto n = static_cast<int64_t>(values.size());
    std::vector<int64_t> inverse(n, -1);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t value = values[i];
      Require(0 <= value && value < n, value, " is not between 0 and ", n);
      Require(inverse[value] < 0, value, " is duplicated in the input.");
      inverse[value] = i;
    }
    Tensor* y = nullptr;  // [n]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    if (y->dtype() == DType::kInt64) {
      std::ranges::copy(inverse, y->mutable_flat<int64_t>().begin());
    } else {
      std::ranges::copy(inverse, y->mutable_flat<int32_t>().begin());
    }
  }
};
REGISTER_KERNEL(Kernel("InvertPermutation").OnAllDevices().HostMemory("x", "y"),
                InvertPermutationOp);

// ---- Blocks ---------------------------------------------------------------------------

// SpaceToDepth and DepthToSpace: blocks of pixels become channels, and back. With a size
// for each axis of a block, [N,H/b,b,W/b,b,C], both are a transpose between two reshapes:
// the two axes of a block move in front of the channels. Back it is the inverse order.
template <bool kToDepth>
class BlockOp final : public OpKernel {
 public:
  explicit BlockOp(OpKernelConstruction* construction) : OpKernel(construction) {
    std::string format;
    OP_REQUIRES_OK(construction, construction->GetAttr("block_size", &block_));
    OP_REQUIRES_OK(construction, construction->GetAttr("data_format", &format));
    channels_last_ = format == "NHWC";
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Require(x.rank() == 4, "input must have rank 4, its shape is ", x.shape());
    const int row = channels_last_ ? 1 : 2;
    const int depth = channels_last_ ? 3 : 1;
    const int64_t area = CheckedProduct(block_, block_);
    // h, w and c as they are with the blocks apart.
    const int64_t h = kToDepth ? Divided(x, row, block_) : x.dim(row);
    const int64_t w = kToDepth ? Divided(x, row + 1, block_) : x.dim(row + 1);
    const int64_t c = kToDepth ? x.dim(depth) : Divided(x, depth, area);

    const Shape in_space = channels_last_ ? Shape{x.dim(0), h, block_, w, block_, c}
                                          : Shape{x.dim(0), c, h, block_, w, block_};
    const Shape in_depth = channels_last_ ? Shape{x.dim(0), h, w, block_, block_, c}
                                          : Shape{x.dim(0), block_, block_, c, h, w};
    std::vector<int> perm = channels_last_ ? std::vector<int>{0, 1, 3, 2, 4, 5}
                                           : std::vector<int>{0, 3, 5, 1, 2, 4};
    if (!kToDepth) {
      std::vector<int> inverse(perm.size());
      for (int i = 0; i < 6; ++i) inverse[perm[i]] = i;
      perm = std::move(inverse);
    }
    Tensor y(x.dtype(), kToDepth ? in_depth : in_space, *ctx->device().allocator);
    TransposeInto(x.Reshaped(kToDepth ? in_space : in_depth), perm, &y, ctx->threads());
    ctx->set_output(0, y.Reshaped(ResultShape(x.dim(0), h, w, c)));
  }

 private:
  static int64_t Divided(const Tensor& x, int axis, int64_t by) {
    Require(x.dim(axis) % by == 0, "size ", x.dim(axis), " of axis ", axis,
            " is not a multiple of ", by);
    return x.dim(axis) / by;
  }

  Shape ResultShape(int64_t n, int64_t h, int64_t w, int64_t c) const {
    const int64_t rows = kToDepth ? h : h * block_;
    const int64_t columns = kToDepth ? w : w * block_;
    const int64_t channels = kToDepth ? c * block_ * block_ : c;
    return channels_last_ ? Shape{n, rows, columns, channels}
                          : Shape{n, channels, rows, columns};
  }

  int64_t block_ = 2;
  bool channels_last_ = true;
};
REGISTER_KERNEL(Kernel("SpaceToDepth").OnAllDevices(), BlockOp<true>);
REGISTER_KERNEL(Kernel("DepthToSpace").OnAllDevices(), BlockOp<false>);

}  // namespace
}  // namespace minitf
