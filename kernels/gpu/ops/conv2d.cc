// Convolutions and their gradients on cards.
//
// Tiers, by the label of a kernel: "" takes cuDNN where it can be had, else tiles where
// there are any, else the direct form; "direct", "shared", "im2col" and "tiles" are as in
// kernels/gpu/conv2d.h, and "cudnn" takes nothing but cuDNN.
//
// Op         minitf/ops/nn/nn_ops.cc
// Compare    tensorflow/core/kernels/conv_ops.cc, conv_grad_ops.cc
// Read next  kernels/gpu/ops/nn.cc

#include <algorithm>
#include <array>
#include <string>

#include "kernels/gpu/ops/images.h"
#include "kernels/gpu/ops/vendor_op.h"
#include "minitf/base/logging.h"

namespace minitf::gpu {
namespace {

// What the three ops share. For DepthwiseConv2dNative, each channel is a group.
class ConvOp : public OpKernel {
 public:
  ConvOp(OpKernelConstruction* construction, std::string tier, bool is_depthwise)
      : OpKernel(construction),
        attrs_(Conv2dAttrs::Of(construction->attrs())),
        tier_(std::move(tier)),
        is_depthwise_(is_depthwise),
        may_use_cudnn_(!is_depthwise &&
                       construction->attrs().Get<bool>("use_cudnn_on_gpu")) {}

 protected:
  Conv2dGeometry GeometryOf(const Shape& x, const Shape& w) const {
    const auto of = is_depthwise_ ? Conv2dGeometry::OfDepthwise : Conv2dGeometry::Of;
    return of(x, w, attrs_);
  }

  // Whether to take a tier that is asked for, or that is the fastest. Throws
  // Unimplemented if it was asked for and does not fit.
  bool Takes(const std::string& tier, bool fits, const Conv2dGeometry& g) const {
    if (tier_ == tier && !fits) {
      throw Error(errors::Unimplemented(
          "the kernel '", tier, "' of a card does not ", "take a filter of ", g.r, "x",
          g.s, " with ", g.groups, " groups on images of ", g.h, "x", g.w));
    }
    return fits && tier_ == tier;
  }
  bool TakesTiles(const Conv2dSizes& sizes, const Conv2dGeometry& g) const {
    const bool fits = FitsConv2dTiles(sizes);
    return Takes("tiles", fits, g) || (tier_.empty() && fits);
  }

  // Has cuDNN compute the one of x, w and y, of elements T, that is the result of `kind`.
  // False if our kernels are to do it.
  template <typename T>
  bool ComputesByCudnn(OpKernelContext* ctx, ConvKind kind, const Conv2dGeometry& g,
                       const ConvOperands& operands) const {
    CardLibrary* const library = LibraryFor(*ctx, tier_, "cudnn", WhyNotCudnn(g));
    if (library == nullptr) return false;
    ConvCall call;
    const bool is_nhwc = g.format == DataFormat::kNhwc;
    call.problem.kind = kind;
    call.problem.type = kTypeOf<T>;
    call.problem.layout = is_nhwc ? ConvLayout::kNhwc : ConvLayout::kNchw;
    call.problem.sizes = SizesOf(g);
    call.pad_bottom = static_cast<int>(g.pad_bottom);
    call.pad_right = static_cast<int>(g.pad_right);

    std::vector<Tensor> rooms;  // for the time of the call
    const auto allocate = [&](size_t bytes) -> void* {
      Tensor room;
      const Shape shape{static_cast<int64_t>(bytes)};
      if (!ctx->allocate_temp(DType::kUint8, shape, &room).ok()) return nullptr;
      return BytesOf(&rooms.emplace_back(std::move(room)));
    };
    try {
      if (library->Convolve(call, operands, allocate, StreamOf(*ctx))) return true;
    } catch (const Error& error) {
      const bool is_for_memory = error.status().code() == Code::kResourceExhausted;
      if (!is_for_memory || !tier_.empty()) throw;
      VLOG(1) << "Our kernel convolves, which needs less memory: " << error.what();
      return false;
    }
    if (!tier_.empty()) {
      ThrowNotByLibrary(tier_, "cuDNN has no algorithm for these sizes that is allowed");
    }
    return false;
  }

  const Conv2dAttrs attrs_;
  const std::string tier_;
  const bool is_depthwise_;

 private:
  // Why cuDNN is not asked for a convolution; "" if it is. It takes groups in some
  // layouts and types only, so they are left to our kernels. Layouts, dilations, uneven
  // padding and float64 are dealt with in kernels/gpu/vendor/convolver.h; cuDNN may have
  // no algorithm even so.
  std::string WhyNotCudnn(const Conv2dGeometry& g) const {
    if (is_depthwise_) return "it filters each channel apart";
    if (!may_use_cudnn_) return "use_cudnn_on_gpu is false";
    if (g.groups > 1) return StrCat("the filters are in ", g.groups, " groups");
    const Conv2dSizes sizes = SizesOf(g);
    const std::array numbers = {sizes.x_size(), sizes.w_size(), sizes.y_size()};
    // With no images, the gradient of the filters is zero. Our kernels write that.
    if (std::ranges::min(numbers) == 0) return "there is nothing to add up";
    // Images are copied into larger ones if their padding is uneven.
    const int64_t rows = g.h + g.pad_top + g.pad_bottom;
    const int64_t columns = g.w + g.pad_left + g.pad_right;
    const bool is_small =
        std::max({std::ranges::max(numbers), rows, columns}) <= kMostNumbers &&
        g.n * g.c <= kMostNumbers / (rows * columns);
    return is_small ? "" : "a padded tensor has more than 2^31 - 1 numbers";
  }

  const bool may_use_cudnn_;
};

// A tensor that is only read. ConvOperands has no const pointers, since which operand is
// written depends on the kind.
void* ReadOnly(const Tensor& tensor) { return const_cast<void*>(BytesOf(tensor)); }

template <typename T>
class Conv2DOp final : public ConvOp {
 public:
  using ConvOp::ConvOp;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [N,H,W,C], or [N,C,H,W]
    const Tensor& w = ctx->input(1);  // [R,S,C/G,K]
    const Conv2dGeometry g = GeometryOf(x.shape(), w.shape());
    Tensor* y = nullptr;  // [N,P,Q,K], or [N,K,P,Q]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, g.output_shape().ToShape(), &y));
    if (y->num_elements() == 0) return;
    const ConvOperands operands{ReadOnly(x), ReadOnly(w), BytesOf(y)};
    if (ComputesByCudnn<T>(ctx, ConvKind::kForward, g, operands)) return;
    const Tensor images = ToNhwcOnCard(ctx, x, g.format);
    ComputeNhwc<T>(ctx, g.format, y, [&](T* result) {
      CheckLaunch(Launch(ctx, g, DataOf<T>(images), DataOf<T>(w), result));
    });
  }

 private:
  cudaError_t Launch(OpKernelContext* ctx, const Conv2dGeometry& g, const T* x,
                     const T* w, T* y) const {
    const Conv2dSizes sizes = SizesOf(g);
    const cudaStream_t stream = StreamOf(*ctx);
    if constexpr (std::is_same_v<T, float>) {
      if (TakesTiles(sizes, g)) return LaunchConv2dTiles(sizes, x, w, y, stream);
      if (Takes("shared", FitsConv2dShared(sizes), g)) {
        return LaunchConv2dShared(sizes, x, w, y, stream);
      }
      if (Takes("im2col", FitsConv2dTiles(sizes), g)) {
        Tensor patches;
        const int64_t count = g.n * g.places() * g.patch_size();
        return LaunchConv2dIm2col(sizes, x, w, RoomFor<T>(ctx, count, &patches), y,
                                  stream);
      }
    }
    return LaunchConv2dDirect(sizes, x, w, y, stream);
  }
};

template <typename T>
class Conv2DBackpropInputOp final : public ConvOp {
 public:
  using ConvOp::ConvOp;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& w = ctx->input(1);   // [R,S,C/G,K]
    const Tensor& dy = ctx->input(2);  // [N,P,Q,K], or [N,K,P,Q]
    const Shape given = ShapeFromSizes(ctx->host_input(0), "input_sizes");
    const Shape x_shape =
        is_depthwise_
            ? given
            : Conv2dInputShape(given, w.shape(), dy.shape(), attrs_.format).ToShape();
    const Conv2dGeometry g = GeometryOf(x_shape, w.shape());
    CheckOutputGradient(g, dy.shape());
    Tensor* dx = nullptr;  // the shape of x
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x_shape, &dx));
    if (dx->num_elements() == 0) return;
    const ConvOperands operands{BytesOf(dx), ReadOnly(w), ReadOnly(dy)};
    if (ComputesByCudnn<T>(ctx, ConvKind::kInput, g, operands)) return;
    const Conv2dSizes sizes = SizesOf(g);
    const Tensor gradient = ToNhwcOnCard(ctx, dy, g.format);
    const cudaStream_t stream = StreamOf(*ctx);
    ComputeNhwc<T>(ctx, g.format, dx, [&](T* result) {
      if constexpr (std::is_same_v<T, float>) {
        if (TakesTiles(sizes, g)) {
          return CheckLaunch(LaunchConv2dInputTiles(sizes, DataOf<T>(gradient),
                                                    DataOf<T>(w), result, stream));
        }
      }
      CheckLaunch(LaunchConv2dInputDirect(sizes, DataOf<T>(gradient), DataOf<T>(w),
                                          result, stream));
    });
  }
};

template <typename T>
class Conv2DBackpropFilterOp final : public ConvOp {
 public:
  using ConvOp::ConvOp;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);   // [N,H,W,C], or [N,C,H,W]
    const Tensor& dy = ctx->input(2);  // [N,P,Q,K], or [N,K,P,Q]
    const Shape w_shape = ShapeFromSizes(ctx->host_input(1), "filter_sizes");
    const Conv2dGeometry g = GeometryOf(x.shape(), w_shape);
    CheckOutputGradient(g, dy.shape());
    Tensor* dw = nullptr;  // [R,S,C/G,K]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, w_shape, &dw));
    if (dw->num_elements() == 0) return;
    const ConvOperands operands{ReadOnly(x), BytesOf(dw), ReadOnly(dy)};
    if (ComputesByCudnn<T>(ctx, ConvKind::kFilter, g, operands)) return;
    const Conv2dSizes sizes = SizesOf(g);
    const Tensor images = ToNhwcOnCard(ctx, x, g.format);
    const Tensor gradient = ToNhwcOnCard(ctx, dy, g.format);
    const cudaStream_t stream = StreamOf(*ctx);
    if constexpr (std::is_same_v<T, float>) {
      if (TakesTiles(sizes, g)) {
        Tensor room;
        const int splits = Conv2dFilterSplits(sizes);
        T* const partial =
            RoomFor<T>(ctx, splits > 1 ? splits * sizes.w_size() : 0, &room);
        return CheckLaunch(LaunchConv2dFilterTiles(sizes, DataOf<T>(images),
                                                   DataOf<T>(gradient), partial,
                                                   DataOf<T>(dw), stream));
      }
    }
    CheckLaunch(LaunchConv2dFilterDirect(sizes, DataOf<T>(images), DataOf<T>(gradient),
                                         DataOf<T>(dw), stream));
  }
};

template <template <typename> typename Op>
void RegisterConv(const Kernel& kernel, const std::vector<std::string>& tiers,
                  bool is_depthwise) {
  const auto add = [&]<typename T>(const std::string& tier) {
    KernelRegistrar(Kernel(kernel).On(Device::kGpu).Type<T>("T").Label(tier),
                    [=](OpKernelConstruction* construction) {
                      return std::make_unique<Op<T>>(construction, tier, is_depthwise);
                    });
  };
  for (const std::string& tier : tiers) {
    add.template operator()<float>(tier);
    const bool has_double = tier.empty() || tier == "cudnn" || tier == "direct";
    if (has_double) add.template operator()<double>(tier);
  }
}

const bool kConvolutionsAreRegistered = [] {
  const std::vector<std::string> forward = {"",       "cudnn",  "direct",
                                            "shared", "im2col", "tiles"};
  const std::vector<std::string> backward = {"", "cudnn", "direct", "tiles"};
  const auto input = [](const std::string& op) {
    return Kernel(op).HostMemory("input_sizes");
  };
  const auto filter = [](const std::string& op) {
    return Kernel(op).HostMemory("filter_sizes");
  };
  RegisterConv<Conv2DOp>(Kernel("Conv2D"), forward, false);
  RegisterConv<Conv2DBackpropInputOp>(input("Conv2DBackpropInput"), backward, false);
  RegisterConv<Conv2DBackpropFilterOp>(filter("Conv2DBackpropFilter"), backward, false);
  const std::string depthwise = "DepthwiseConv2dNative";
  RegisterConv<Conv2DOp>(Kernel(depthwise), {""}, true);
  RegisterConv<Conv2DBackpropInputOp>(input(depthwise + "BackpropInput"), {""}, true);
  RegisterConv<Conv2DBackpropFilterOp>(filter(depthwise + "BackpropFilter"), {""}, true);
  return true;
}();

}  // namespace
}  // namespace minitf::gpu
