// Element-wise ops on cards.
//
// Op         minitf/ops/cwise/cwise_unary_ops.cc, cwise_binary_ops.cc
// Compare    tensorflow/core/kernels/cwise_ops_common.h
// Read next  kernels/gpu/ops/vendor_op.h

#include <array>
#include <optional>
#include <string_view>

#include "kernels/gpu/ops/gpu_op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf::gpu {
namespace {

class UnaryOp final : public OpKernel {
 public:
  UnaryOp(OpKernelConstruction* construction, const UnaryKernel& kernel)
      : OpKernel(construction), kernel_(kernel) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Tensor* y = nullptr;  // the shape of x
    if (kernel_.in == kernel_.out) {
      OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0}, 0, x.shape(), &y));
    } else {
      OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    }
    CheckLaunch(kernel_.launch(x.num_elements(), BytesOf(x), BytesOf(y), StreamOf(*ctx)));
  }

 private:
  const UnaryKernel kernel_;
};

class BinaryOp final : public OpKernel {
 public:
  BinaryOp(OpKernelConstruction* construction, const BinaryKernel& kernel)
      : OpKernel(construction),
        kernel_(kernel),
        broadcasts_(!std::string_view(kernel.op).ends_with("Grad")) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const Tensor& y = ctx->input(1);
    Require(broadcasts_ || x.shape() == y.shape(),
            "the inputs must have one shape: ", x.shape(), " vs. ", y.shape());
    const Shape shape = BroadcastShapes(x.shape(), y.shape());
    Tensor* z = nullptr;
    if (kernel_.in == kernel_.out) {
      OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0, 1}, 0, shape, &z));
    } else {
      OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &z));
    }
    if (shape.num_elements() == 0) return;
    const std::array<const Shape*, 2> inputs = {&x.shape(), &y.shape()};
    CheckLaunch(kernel_.launch(shape.num_elements(), x.num_elements(), y.num_elements(),
                               BroadcastOf(shape, inputs), BytesOf(x), BytesOf(y),
                               BytesOf(z), StreamOf(*ctx)));
  }

 private:
  const BinaryKernel kernel_;
  const bool broadcasts_;  // gradients do not
};

template <typename Op, typename Entry>
void RegisterEntry(const Entry& entry) {
  Kernel kernel(entry.op);
  kernel.On(Device::kGpu);
  if (entry.in != ElementType::kBool) kernel.Type("T", DTypeFrom(entry.in));
  KernelRegistrar(kernel, [entry](OpKernelConstruction* construction) {
    return std::make_unique<Op>(construction, entry);
  });
}

const bool kTablesAreRegistered = [] {
  for (const UnaryKernel& entry : UnaryKernels()) RegisterEntry<UnaryOp>(entry);
  for (const BinaryKernel& entry : BinaryKernels()) RegisterEntry<BinaryOp>(entry);
  return true;
}();

// ---- Other types, other numbers of inputs ---------------------------------------------

class CastOp final : public OpKernel {
 public:
  CastOp(OpKernelConstruction* construction, ElementType from, ElementType to)
      : OpKernel(construction), from_(from), to_(to) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    if (from_ == to_) return ctx->set_output(0, x);
    Tensor* y = nullptr;  // the shape of x
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    CheckLaunch(
        LaunchCast(from_, to_, x.num_elements(), BytesOf(x), BytesOf(y), StreamOf(*ctx)));
  }

 private:
  const ElementType from_, to_;
};

const bool kCastsAreRegistered = [] {
  constexpr std::array kTypes = {ElementType::kBool, ElementType::kInt32,
                                 ElementType::kInt64, ElementType::kFloat32,
                                 ElementType::kFloat64};
  for (const ElementType from : kTypes) {
    for (const ElementType to : kTypes) {
      KernelRegistrar(Kernel("Cast")
                          .On(Device::kGpu)
                          .Type("SrcT", DTypeFrom(from))
                          .Type("DstT", DTypeFrom(to)),
                      [=](OpKernelConstruction* construction) {
                        return std::make_unique<CastOp>(construction, from, to);
                      });
    }
  }
  return true;
}();

class SelectV2Op final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& condition = ctx->input(0);
    const Tensor& t = ctx->input(1);
    const Tensor& e = ctx->input(2);
    const Shape shape =
        BroadcastShapes(BroadcastShapes(t.shape(), e.shape()), condition.shape());
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &output));
    if (shape.num_elements() == 0) return;
    const std::array<const Shape*, 3> inputs = {&condition.shape(), &t.shape(),
                                                &e.shape()};
    CheckLaunch(LaunchSelect(static_cast<int>(SizeOf(t.dtype())), shape.num_elements(),
                             BroadcastOf(shape, inputs), DataOf<bool>(condition),
                             BytesOf(t), BytesOf(e), BytesOf(output), StreamOf(*ctx)));
  }
};

template <typename T>
class AddNOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Shape shape = ctx->input(0).shape();
    for (int i = 1; i < ctx->num_inputs(); ++i) {
      Require(ctx->input(i).shape() == shape,
              "Inputs to operation must have the same size and shape. Input 0: ", shape,
              " != input ", i, ": ", ctx->input(i).shape());
    }
    const Tensor first = ctx->input(0);
    if (ctx->num_inputs() == 1) return ctx->set_output(0, first);
    Tensor* sum = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &sum));
    const cudaStream_t stream = StreamOf(*ctx);
    ctx->stream()->Copy(sum->mutable_data(), first.data(), first.num_bytes());
    for (int i = 1; i < ctx->num_inputs(); ++i) {
      CheckLaunch(LaunchAccumulate(shape.num_elements(), DataOf<T>(ctx->input(i)),
                                   DataOf<T>(sum), stream));
    }
  }
};

template <typename T>
class LeakyReluOp final : public OpKernel {
 public:
  explicit LeakyReluOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("alpha", &alpha_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0}, 0, x.shape(), &y));
    CheckLaunch(LaunchLeakyRelu(x.num_elements(), T(alpha_), DataOf<T>(x), DataOf<T>(y),
                                StreamOf(*ctx)));
  }

 private:
  float alpha_ = 0;
};

template <typename T>
class LeakyReluGradOp final : public OpKernel {
 public:
  explicit LeakyReluGradOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("alpha", &alpha_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& dy = ctx->input(0);
    const Tensor& x = ctx->input(1);  // the shape of dy
    Require(dy.shape() == x.shape(),
            "gradients and features must have one shape: ", dy.shape(), " vs. ",
            x.shape());
    Tensor* dx = nullptr;
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0, 1}, 0, x.shape(), &dx));
    CheckLaunch(LaunchLeakyReluGrad(x.num_elements(), T(alpha_), DataOf<T>(dy),
                                    DataOf<T>(x), DataOf<T>(dx), StreamOf(*ctx)));
  }

 private:
  float alpha_ = 0;
};

const bool kOthersAreRegistered = [] {
  RegisterFloating<AddNOp>(Kernel("AddN"));
  RegisterFloating<LeakyReluOp>(Kernel("LeakyRelu"));
  RegisterFloating<LeakyReluGradOp>(Kernel("LeakyReluGrad"));
  for (const DType dtype :
       {DType::kFloat32, DType::kFloat64, DType::kInt64, DType::kInt32, DType::kBool}) {
    RegisterKernel<SelectV2Op>(Kernel("SelectV2").On(Device::kGpu).Type("T", dtype));
  }
  return true;
}();

}  // namespace
}  // namespace minitf::gpu
