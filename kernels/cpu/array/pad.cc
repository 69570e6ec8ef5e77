// Padding on the CPU: fill, then copy the input into a slice, the middle.
//
// MirrorPad copies the input into the middle as well, and then, axis by axis, the middle
// backwards over the border. From the last axis to the first each copy sees the borders
// that those before have made, so corners come out right. The gradient goes the same way
// back, and adds instead of copying.
//
// Op         minitf/ops/array/slice_ops.cc
// Compare    tensorflow/core/kernels/pad_op.cc, mirror_pad_op.cc

#include <array>

#include "kernels/cpu/common/strided_copy.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shapes/array_shapes.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

// A tensor of shape `padded` without the paddings of the axes [0, axes): if that is all
// of them, the middle.
StridedLayout WithoutPaddings(const Shape& padded,
                              const std::vector<AxisPadding>& paddings, int axes) {
  StridedLayout result(padded);
  for (int axis = 0; axis < axes; ++axis) {
    const auto [before, after] = paddings[axis];
    result = result.Slice(axis, before, 1, padded.dim(axis) - before - after);
  }
  return result;
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
    StridedCopy(x, StridedLayout(x.shape()), y,
                WithoutPaddings(y->shape(), paddings, x.rank()), ctx->threads());
  }
};
REGISTER_KERNEL(
    Kernel("Pad").OnAllDevices().HostMemory("paddings").HostMemoryIfInt32("T"),
    PadOp<false>);
REGISTER_KERNEL(
    Kernel("PadV2").OnAllDevices().HostMemory("paddings").HostMemoryIfInt32("T"),
    PadOp<true>);

// ---- Mirroring ------------------------------------------------------------------------

// One border of one axis, and the elements of which it is the mirror image.
struct Border {
  StridedLayout border;
  StridedLayout image;
};

// The two borders of `axis`, over the whole of the axes behind it and the middle of those
// before. `gap` is 1 where the outermost element of the middle is not repeated. An image
// lies in the padded tensor, too, and is walked backwards. The last axis comes first:
// then the borders of an axis mirror what lies behind it with the borders that are there
// already, which fills the corners, too.
std::array<Border, 2> BordersOf(int axis, const Shape& padded,
                                const std::vector<AxisPadding>& paddings, int64_t gap) {
  const StridedLayout all = WithoutPaddings(padded, paddings, axis);
  const auto [before, after] = paddings[axis];
  const int64_t end = padded.dim(axis) - after;  // of the middle
  return {
      Border{all.Slice(axis, 0, 1, before),
             all.Slice(axis, 2 * before - 1 + gap, -1, before)},
      Border{all.Slice(axis, end, 1, after), all.Slice(axis, end - 1 - gap, -1, after)}};
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
    StridedCopy(x, StridedLayout(x.shape()), y,
                WithoutPaddings(y->shape(), paddings, x.rank()), ctx->threads());
    for (int axis = x.rank(); axis-- > 0;) {
      for (const auto& [border, image] :
           BordersOf(axis, y->shape(), paddings, repeats_border_ ? 0 : 1)) {
        StridedCopy(*y, image, y, border, ctx->threads());
      }
    }
  }

 private:
  bool repeats_border_ = false;
};
REGISTER_KERNEL(Kernel("MirrorPad").OnAllDevices().HostMemory("paddings"), MirrorPadOp);

// Adds the elements of a border to those of which they are the mirror image. `images` and
// `from` are where both stand after the axes before `axis`.
template <typename T>
void AddBack(const Border& layouts, int axis, T* images, const T* from) {
  if (axis == layouts.border.rank()) {
    *images += *from;
    return;
  }
  for (int64_t i = 0; i < layouts.border.sizes()[axis]; ++i) {
    AddBack(layouts, axis + 1, images + i * layouts.image.strides()[axis],
            from + i * layouts.border.strides()[axis]);
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
      for (const Border& layouts :
           BordersOf(axis, dy.shape(), paddings, repeats_border_ ? 0 : 1)) {
        AddBack(layouts, 0, elements + layouts.image.offset(),
                elements + layouts.border.offset());
      }
    }
    StridedCopy(sum, WithoutPaddings(dy.shape(), paddings, dy.rank()), dx,
                StridedLayout(inner), ctx->threads());
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
