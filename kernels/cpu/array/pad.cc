// Padding on the CPU: fill, then copy the input into the middle.
//
// MirrorPad copies the input into the middle as well, and then, axis by axis, the middle
// backwards over the border. From the last axis to the first each copy sees the borders
// that those before have made, so corners come out right. The gradient goes the same way
// back, and adds instead of copying.
//
// Op         minitf/ops/array/slice_ops.cc
// Compare    tensorflow/core/kernels/pad_op.cc, mirror_pad_op.cc

#include "kernels/cpu/common/strided_copy.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shapes/array_shapes.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

// The loops over the middle, where `inner` lies in a padded tensor, and in *offset its
// first element there.
std::vector<CopyLoop> MiddleLoops(const Shape& inner, const Shape& padded,
                                  const std::vector<AxisPadding>& paddings,
                                  int64_t* offset) {
  const std::vector<int64_t> from = StridesOf(inner);
  const std::vector<int64_t> to = StridesOf(padded);
  std::vector<CopyLoop> loops;
  *offset = 0;
  for (int axis = 0; axis < inner.rank(); ++axis) {
    *offset += paddings[axis].before * to[axis];
    loops.push_back({inner.dim(axis), from[axis], to[axis]});
  }
  return loops;
}

template <bool kHasValue>
class PadOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const std::vector<AxisPadding> paddings = PaddingsOf(ctx->host_input(1));
    const Tensor value = kHasValue ? ctx->input(2) : ZeroOf(x.dtype());  // []
    Require(value.rank() == 0,
            "constant_values must be a scalar. Found: ", value.shape());
    Tensor* y = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(0, PaddedShape(x.shape(), paddings).ToShape(), &y));
    FillTensor(value, y, ctx->threads());
    int64_t offset = 0;
    auto loops = MiddleLoops(x.shape(), y->shape(), paddings, &offset);
    StridedCopy(x, 0, y, offset, std::move(loops), ctx->threads());
  }
};
REGISTER_KERNEL(
    Kernel("Pad").On(Device::kCpu).HostMemory("paddings").HostMemoryIfInt32("T"),
    PadOp<false>);
REGISTER_KERNEL(
    Kernel("PadV2").On(Device::kCpu).HostMemory("paddings").HostMemoryIfInt32("T"),
    PadOp<true>);

// ---- Mirroring ------------------------------------------------------------------------

// One border of one axis: its elements and those of which they are the mirror image.
struct Border {
  int64_t offset;               // of the element next to the middle
  int64_t image_offset;         // of the element it mirrors
  std::vector<CopyLoop> loops;  // from the images to the border
};

// The two borders of `axis`, over the whole of the axes behind it and the middle of those
// before. `inner` is the shape of the middle; `gap` is 1 where the outermost element of
// the middle is not repeated. A border is copied from the output itself, with a negative
// stride. The last axis comes first: then the borders of an axis mirror what lies behind
// it with the borders that are there already, which fills the corners, too.
std::vector<Border> BordersOf(int axis, const Shape& inner, const Shape& padded,
                              const std::vector<AxisPadding>& paddings, int64_t gap) {
  const std::vector<int64_t> strides = StridesOf(padded);
  std::vector<CopyLoop> loops;
  int64_t start = 0;
  for (int k = 0; k < padded.rank(); ++k) {
    if (k < axis) start += paddings[k].before * strides[k];
    loops.push_back({k < axis ? inner.dim(k) : padded.dim(k), strides[k], strides[k]});
  }
  const int64_t stride = strides[axis];
  const auto [before, after] = paddings[axis];
  const int64_t first = start + before * stride;
  const int64_t last = first + (inner.dim(axis) - 1) * stride;
  std::vector<Border> borders;
  loops[axis] = {before, stride, -stride};
  borders.push_back({first - stride, first + gap * stride, loops});
  loops[axis] = {after, -stride, stride};
  borders.push_back({last + stride, last - gap * stride, loops});
  return borders;
}

class MirrorPadOp final : public OpKernel {
 public:
  explicit MirrorPadOp(OpKernelConstruction* construction) : OpKernel(construction) {
    std::string mode;
    OP_REQUIRES_OK(construction, construction->GetAttr("mode", &mode));
    repeats_border_ = mode == "SYMMETRIC";
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const std::vector<AxisPadding> paddings = PaddingsOf(ctx->host_input(1));
    const auto shape = MirrorPaddedShape(x.shape(), paddings, repeats_border_);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape.ToShape(), &y));
    if (y->num_elements() == 0) return;
    int64_t offset = 0;
    auto loops = MiddleLoops(x.shape(), y->shape(), paddings, &offset);
    StridedCopy(x, 0, y, offset, std::move(loops), ctx->threads());
    for (int axis = x.rank(); axis-- > 0;) {
      for (Border& border :
           BordersOf(axis, x.shape(), y->shape(), paddings, repeats_border_ ? 0 : 1)) {
        StridedCopy(*y, border.image_offset, y, border.offset, std::move(border.loops),
                    ctx->threads());
      }
    }
  }

 private:
  bool repeats_border_ = false;
};
REGISTER_KERNEL(Kernel("MirrorPad").On(Device::kCpu).HostMemory("paddings"), MirrorPadOp);

// Adds what the loops write to, element by element, to where they read from.
template <typename T>
void AddBack(std::span<const CopyLoop> loops, T* images, const T* border) {
  if (loops.empty()) {
    *images += *border;
    return;
  }
  const CopyLoop& loop = loops.front();
  for (int64_t i = 0; i < loop.size; ++i) {
    AddBack(loops.subspan(1), images + i * loop.from_stride, border + i * loop.to_stride);
  }
}

template <typename T>
class MirrorPadGradOp final : public OpKernel {
 public:
  explicit MirrorPadGradOp(OpKernelConstruction* construction) : OpKernel(construction) {
    std::string mode;
    OP_REQUIRES_OK(construction, construction->GetAttr("mode", &mode));
    repeats_border_ = mode == "SYMMETRIC";
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& dy = ctx->input(0);
    const std::vector<AxisPadding> paddings = PaddingsOf(ctx->host_input(1));
    Require(static_cast<int>(paddings.size()) == dy.rank(), "paddings have ",
            paddings.size(), " rows, the input has ", dy.rank(), " axes");
    std::vector<int64_t> sizes;
    for (int axis = 0; axis < dy.rank(); ++axis) {
      const auto [before, after] = paddings[axis];
      Require(before <= dy.dim(axis) && after <= dy.dim(axis) - before, "paddings ",
              before, ", ", after, " are more than the size ", dy.dim(axis), " of axis ",
              axis);
      sizes.push_back(dy.dim(axis) - before - after);
    }
    const Shape inner(sizes);
    MirrorPaddedShape(inner, paddings,
                      repeats_border_);  // throws if there was no such pad
    Tensor* dx = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, inner, &dx));
    if (dx->num_elements() == 0) return;

    Tensor sum = dy.Clone();
    T* elements = sum.mutable_flat<T>().data();
    for (int axis = 0; axis < dy.rank(); ++axis) {
      for (const Border& border :
           BordersOf(axis, inner, dy.shape(), paddings, repeats_border_ ? 0 : 1)) {
        AddBack<T>(border.loops, elements + border.image_offset,
                   elements + border.offset);
      }
    }
    int64_t offset = 0;
    auto loops = MiddleLoops(inner, dy.shape(), paddings, &offset);
    for (CopyLoop& loop : loops) std::swap(loop.from_stride, loop.to_stride);
    StridedCopy(sum, offset, dx, 0, std::move(loops), ctx->threads());
  }

 private:
  bool repeats_border_ = false;
};

template <typename... Ts>
bool RegisterMirrorPadGrad() {
  (RegisterKernel<MirrorPadGradOp<Ts>>(
       Kernel("MirrorPadGrad").On(Device::kCpu).HostMemory("paddings").Type<Ts>("T")),
   ...);
  return true;
}
const bool kMirrorPadGradIsRegistered =
    RegisterMirrorPadGrad<float, double, float16, bfloat16, complex64, complex128>();

}  // namespace
}  // namespace minitf
