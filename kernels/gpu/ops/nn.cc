// Pooling, bias, softmax and cross entropy on cards.
//
// Poolings and softmax are computed by the label of a kernel: "" takes cuDNN where it can
// be had, else our kernel; "direct" takes ours, and "cudnn" nothing but cuDNN.
//
// Op         minitf/ops/nn/nn_ops.cc, activation_ops.cc
// Compare    tensorflow/core/kernels/pooling_ops_common_gpu.h, bias_op_gpu.cu.cc,
//            xent_op.cc
// Read next  kernels/gpu/ops/batch_norm.cc

#include <algorithm>
#include <array>
#include <string>

#include "kernels/gpu/nn/pooling.h"
#include "kernels/gpu/nn/softmax.h"
#include "kernels/gpu/ops/images.h"
#include "kernels/gpu/ops/vendor_op.h"
#include "kernels/gpu/reduction.h"
#include "kernels/gpu/vendor/pooling_fit.h"
#include "minitf/framework/shape_inference.h"

namespace minitf::gpu {
namespace {

// ---- Pooling --------------------------------------------------------------------------

// A pooling, its attributes read. Windows across channels are windows across columns of
// other images.
class PoolOp : public OpKernel {
 public:
  PoolOp(OpKernelConstruction* construction, std::string label)
      : OpKernel(construction),
        label_(std::move(label)),
        attrs_(PoolAttrs::Of(construction->attrs())) {}

 protected:
  Conv2dGeometry GeometryOf(const Shape& x) const {
    return Conv2dGeometry::OfPool(x, attrs_);
  }
  static Conv2dSizes SizesFor(const Conv2dGeometry& g) {
    return SizesOf(g.WithDepthAsColumns());
  }

  // Has cuDNN compute y from x, or dx from dy, of elements T. False if our kernels are to
  // do it.
  template <typename T>
  bool PoolsByCudnn(const OpKernelContext& ctx, PoolKind kind, const Conv2dGeometry& g,
                    const Tensor& from, Tensor* to) const {
    const bool is_nhwc = g.format == DataFormat::kNhwc;
    const PoolProblem problem{
        kind, kTypeOf<T>, is_nhwc ? ConvLayout::kNhwc : ConvLayout::kNchw, SizesOf(g)};
    const auto pool = [&](VendorLibrary* library) {
      return library->Pool(problem, BytesOf(from), BytesOf(to), StreamOf(ctx));
    };
    return ComputesByCudnn(ctx, label_, WhyNotPooled(problem.sizes), pool);
  }

  const std::string label_;

 private:
  const PoolAttrs attrs_;
};

template <typename T, bool kIsMax>
class PoolForwardOp final : public PoolOp {
 public:
  using PoolOp::PoolOp;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [N,H,W,C], or [N,C,H,W]
    const Conv2dGeometry g = GeometryOf(x.shape());
    Tensor* y = nullptr;  // [N,P,Q,C], or [N,C,P,Q]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, g.output_shape().ToShape(), &y));
    if (y->num_elements() == 0) return;
    const PoolKind kind = kIsMax ? PoolKind::kMax : PoolKind::kAverage;
    if (PoolsByCudnn<T>(*ctx, kind, g, x, y)) return;
    const Tensor images = ToNhwcOnCard(ctx, x, g.format);
    ComputeNhwc<T>(ctx, g.format, y, [&](T* result) {
      const auto launch = kIsMax ? LaunchMaxPool<T> : LaunchAvgPool<T>;
      CheckLaunch(launch(SizesFor(g), DataOf<T>(images), result, StreamOf(*ctx)));
    });
  }
};
template <typename T>
using MaxPoolOp = PoolForwardOp<T, true>;
template <typename T>
using AvgPoolOp = PoolForwardOp<T, false>;

void CheckPooled(const Conv2dGeometry& g, const Tensor& tensor, const char* what) {
  Require(g.output_shape() == PartialShape(tensor.shape()), what, " has shape ",
          tensor.shape(), ", but the pooled images have shape ", g.output_shape());
}

// By our kernel alone, which gives the gradient to the first of equal maxima. cuDNN
// promises that CUDNN_POOLING_MAX_DETERMINISTIC gives it to the same one in every run,
// and not to which.
template <typename T>
class MaxPoolGradOp final : public PoolOp {
 public:
  using PoolOp::PoolOp;

  void Compute(OpKernelContext* ctx) override {
    if (label_ == "cudnn") {
      ThrowNotByLibrary(label_, "it does not say which of equal maxima it takes");
    }
    const Tensor& x = ctx->input(0);   // [N,H,W,C], or [N,C,H,W]
    const Tensor& dy = ctx->input(2);  // [N,P,Q,C], or [N,C,P,Q]
    const Conv2dGeometry g = GeometryOf(x.shape());
    CheckPooled(g, ctx->input(1), "orig_output");
    CheckPooled(g, dy, "grad");
    Tensor* dx = nullptr;  // the shape of x
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &dx));
    if (dx->num_elements() == 0) return;
    const Tensor images = ToNhwcOnCard(ctx, x, g.format);
    const Tensor gradient = ToNhwcOnCard(ctx, dy, g.format);
    ComputeNhwc<T>(ctx, g.format, dx, [&](T* result) {
      CheckLaunch(LaunchMaxPoolGrad(SizesFor(g), DataOf<T>(images), DataOf<T>(gradient),
                                    result, StreamOf(*ctx)));
    });
  }
};

template <typename T>
class AvgPoolGradOp final : public PoolOp {
 public:
  using PoolOp::PoolOp;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& dy = ctx->input(1);  // [N,P,Q,C], or [N,C,P,Q]
    const Shape x_shape = ShapeFromSizes(ctx->host_input(0), "orig_input_shape");
    const Conv2dGeometry g = GeometryOf(x_shape);
    CheckOutputGradient(g, dy.shape());
    Tensor* dx = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x_shape, &dx));
    if (dx->num_elements() == 0) return;
    if (PoolsByCudnn<T>(*ctx, PoolKind::kAverageGradient, g, dy, dx)) return;
    const Tensor gradient = ToNhwcOnCard(ctx, dy, g.format);
    ComputeNhwc<T>(ctx, g.format, dx, [&](T* result) {
      CheckLaunch(
          LaunchAvgPoolGrad(SizesFor(g), DataOf<T>(gradient), result, StreamOf(*ctx)));
    });
  }
};

// ---- Bias -----------------------------------------------------------------------------

DataFormat FormatOf(const OpKernelConstruction& construction) {
  return DataFormatFrom(construction.attrs().Get<std::string>("data_format"));
}

// The axis of the channels.
int ChannelAxis(const Shape& shape, DataFormat format) {
  Require(shape.rank() >= 2, "Input tensor must be at least 2D: ", shape);
  return format == DataFormat::kNchw ? 1 : shape.rank() - 1;
}

template <typename T>
class BiasAddOp final : public OpKernel {
 public:
  explicit BiasAddOp(OpKernelConstruction* construction)
      : OpKernel(construction), format_(FormatOf(*construction)) {
    for (const BinaryKernel& kernel : BinaryKernels()) {
      const bool is_add = std::string_view(kernel.op) == "Add";
      if (is_add && DTypeFrom(kernel.in) == DTypeOf<T>()) add_ = kernel.launch;
    }
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);     // [N,...,C], or [N,C,...]
    const Tensor& bias = ctx->input(1);  // [C]
    const int axis = ChannelAxis(x.shape(), format_);
    Require(bias.rank() == 1, "Biases must be 1D: ", bias.shape());
    Require(bias.dim(0) == x.dim(axis),
            "Must provide as many biases as there are channels: ", bias.shape(), " vs. ",
            x.shape());
    Tensor* y = nullptr;  // the shape of x
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0}, 0, x.shape(), &y));
    if (x.num_elements() == 0) return;
    std::vector<int64_t> sizes(x.rank(), 1);
    sizes[axis] = bias.dim(0);
    const Shape bias_shape(sizes);
    const std::array<const Shape*, 2> inputs = {&x.shape(), &bias_shape};
    CheckLaunch(add_(x.num_elements(), x.num_elements(), bias.num_elements(),
                     BroadcastOf(x.shape(), inputs), BytesOf(x), BytesOf(bias),
                     BytesOf(y), StreamOf(*ctx)));
  }

 private:
  const DataFormat format_;
  decltype(BinaryKernel::launch) add_ = nullptr;
};

template <typename T>
class BiasAddGradOp final : public OpKernel {
 public:
  explicit BiasAddGradOp(OpKernelConstruction* construction)
      : OpKernel(construction), format_(FormatOf(*construction)) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& dy = ctx->input(0);  // [N,...,C], or [N,C,...]
    const int axis = ChannelAxis(dy.shape(), format_);
    Tensor* db = nullptr;  // [C]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {dy.dim(axis)}, &db));
    if (db->num_elements() == 0) return;
    int64_t inner = 1;
    for (int i = axis + 1; i < dy.rank(); ++i) inner *= dy.dim(i);
    const int64_t channels = dy.dim(axis);
    int64_t outer = 1;
    for (int i = 0; i < axis; ++i) outer *= dy.dim(i);
    // Channels that do not come last: the sum of each image's channel first.
    Tensor rows;  // [outer,channels]
    const T* from = DataOf<T>(dy);
    if (inner != 1) {
      T* const sums = RoomFor<T>(ctx, outer * channels, &rows);
      Sum(ctx, {outer * channels, inner, 1}, from, sums);
      from = sums;
    }
    Sum(ctx, {1, outer, channels}, from, DataOf<T>(db));
  }

 private:
  static void Sum(OpKernelContext* ctx, const ReduceSizes& sizes, const T* x, T* y) {
    Tensor room;
    T* const memory = RoomFor<T>(ctx, ReduceRoom(sizes), &room);
    CheckLaunch(LaunchReduce(ReduceFunction::kSum, sizes, x, y, memory, StreamOf(*ctx)));
  }

  const DataFormat format_;
};

// ---- Softmax --------------------------------------------------------------------------

template <typename T, bool kIsLog>
class AnySoftmaxOp final : public OpKernel {
 public:
  AnySoftmaxOp(OpKernelConstruction* construction, std::string label)
      : OpKernel(construction), label_(std::move(label)) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [...,C]
    Require(x.rank() >= 1, "logits must have >= 1 dimension, got ", x.shape());
    Tensor* y = nullptr;  // [...,C]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    if (y->num_elements() == 0) return;
    const int64_t classes = x.dim(x.rank() - 1);
    const int64_t rows = x.num_elements() / classes;
    const auto compute = [&](VendorLibrary* library) {
      const SoftmaxProblem problem{kTypeOf<T>, kIsLog, static_cast<int>(rows),
                                   static_cast<int>(classes)};
      return library->Softmax(problem, BytesOf(x), BytesOf(y), StreamOf(*ctx));
    };
    if (ComputesByCudnn(*ctx, label_, WhyNotCudnn(x), compute)) return;
    CheckLaunch(
        LaunchSoftmax(kIsLog, rows, classes, DataOf<T>(x), DataOf<T>(y), StreamOf(*ctx)));
  }

 private:
  static std::string WhyNotCudnn(const Tensor& x) {
    const bool is_small = x.num_elements() <= kMostNumbers;
    return is_small ? "" : "the tensor has more than 2^31 - 1 numbers";
  }

  const std::string label_;
};
template <typename T>
using SoftmaxOp = AnySoftmaxOp<T, false>;
template <typename T>
using LogSoftmaxOp = AnySoftmaxOp<T, true>;

// How a matrix that broadcasts to [rows,classes] is walked through.
Strides2d StridesOf(const Tensor& x) {
  const int64_t columns = x.rank() < 1 ? 1 : x.dim(x.rank() - 1);
  const int64_t rows = x.rank() < 2 ? 1 : x.dim(0);
  return {rows == 1 ? 0 : columns, columns == 1 ? 0 : 1};
}

// Losses of rows without classes are 0.
void SetZero(OpKernelContext* ctx, Tensor* tensor) {
  if (tensor->num_elements() == 0) return;
  CheckLaunch(cudaMemsetAsync(BytesOf(tensor), 0, tensor->num_bytes(), StreamOf(*ctx)));
}

template <typename T>
class SoftmaxCrossEntropyOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& logits = ctx->input(0);  // [N,C]
    const Tensor& labels = ctx->input(1);  // [N,C]
    const Shape shape = BroadcastShapes(logits.shape(), labels.shape());
    Require(shape.rank() == 2,
            "logits and labels must be either 2-dimensional, or broadcasted to be ",
            "2-dimensional: logits are ", logits.shape(), ", labels are ",
            labels.shape());
    Tensor* loss = nullptr;      // [N]
    Tensor* gradient = nullptr;  // [N,C]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {shape.dim(0)}, &loss));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, shape, &gradient));
    if (shape.num_elements() == 0) return SetZero(ctx, loss);
    CheckLaunch(LaunchCrossEntropy(shape.dim(0), shape.dim(1), DataOf<T>(logits),
                                   StridesOf(logits), DataOf<T>(labels),
                                   StridesOf(labels), DataOf<T>(loss),
                                   DataOf<T>(gradient), StreamOf(*ctx)));
  }
};

// A label that is no class makes its row NaN, as TensorFlow's kernel for GPUs does: the
// host would have to wait for the labels to give an error.
template <typename T, typename Label>
class SparseSoftmaxCrossEntropyOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& logits = ctx->input(0);  // [N,C]
    const Tensor& labels = ctx->input(1);  // [N]
    const Shape& shape = logits.shape();
    Require(shape.rank() == 2, "logits must be 2-D, but got shape ", shape);
    Require(labels.rank() == 1, "labels must be 1-D, but got shape ", labels.shape());
    Require(shape.dim(0) == labels.dim(0),
            "logits and labels must have the same first dimension, got logits shape ",
            shape, " and labels shape ", labels.shape());
    Require(shape.dim(1) > 0, "Must have at least one class, but got logits shape ",
            shape);
    Tensor* loss = nullptr;      // [N]
    Tensor* gradient = nullptr;  // [N,C]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, labels.shape(), &loss));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, shape, &gradient));
    CheckLaunch(LaunchSparseCrossEntropy(shape.dim(0), shape.dim(1), DataOf<T>(logits),
                                         DataOf<Label>(labels), DataOf<T>(loss),
                                         DataOf<T>(gradient), StreamOf(*ctx)));
  }
};

template <template <typename> typename Op>
void RegisterWithCudnn(const Kernel& kernel) {
  const auto add = [&]<typename T>(const std::string& label) {
    KernelRegistrar(Kernel(kernel).On(Device::kGpu).Type<T>("T").Label(label),
                    [label](OpKernelConstruction* construction) {
                      return std::make_unique<Op<T>>(construction, label);
                    });
  };
  for (const char* label : {"", "cudnn", "direct"}) {
    add.template operator()<float>(label);
    add.template operator()<double>(label);
  }
}

const bool kNnOpsAreRegistered = [] {
  RegisterWithCudnn<MaxPoolOp>(Kernel("MaxPool"));
  RegisterWithCudnn<AvgPoolOp>(Kernel("AvgPool"));
  RegisterWithCudnn<MaxPoolGradOp>(Kernel("MaxPoolGrad"));
  RegisterWithCudnn<AvgPoolGradOp>(Kernel("AvgPoolGrad").HostMemory("orig_input_shape"));
  RegisterFloating<BiasAddOp>(Kernel("BiasAdd"));
  RegisterFloating<BiasAddGradOp>(Kernel("BiasAddGrad"));
  RegisterWithCudnn<SoftmaxOp>(Kernel("Softmax"));
  RegisterWithCudnn<LogSoftmaxOp>(Kernel("LogSoftmax"));
  RegisterFloating<SoftmaxCrossEntropyOp>(Kernel("SoftmaxCrossEntropyWithLogits"));
  const auto add_sparse = []<typename T, typename Label>() {
    RegisterKernel<SparseSoftmaxCrossEntropyOp<T, Label>>(
        Kernel("SparseSoftmaxCrossEntropyWithLogits")
            .On(Device::kGpu)
            .Type<T>("T")
            .template Type<Label>("Tlabels"));
  };
  add_sparse.template operator()<float, int32_t>();
  add_sparse.template operator()<float, int64_t>();
  add_sparse.template operator()<double, int32_t>();
  add_sparse.template operator()<double, int64_t>();
  return true;
}();

}  // namespace
}  // namespace minitf::gpu
