// Tensors and strings on the CPU: serialized TensorProtos, and Examples from JSON.
//
// Op         minitf/ops/data/parsing_ops.cc
// Compare    tensorflow/core/kernels/parse_tensor_op.cc, example_parsing_ops.cc

#include <algorithm>
#include <string>

#include "kernels/cpu/common/scalars.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/io/messages/example_json.h"
#include "minitf/io/messages/tensor_bytes.h"

namespace minitf {
namespace {

class SerializeTensorOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    ctx->set_output(0, Tensor::Scalar(TensorToBytes(ctx->input(0), StringForm::kListed)));
  }
};
REGISTER_KERNEL(Kernel("SerializeTensor").On(Device::kCpu), SerializeTensorOp);

class ParseTensorOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& serialized = ctx->input(0);
    RequireScalar(serialized, "serialized");
    Expansion expansion;
    Tensor parsed = TensorFromBytes(serialized.flat<std::string>()[0], &expansion);
    OP_REQUIRES(
        ctx, parsed.dtype() == ctx->output_type(0),
        errors::InvalidArgument("Type mismatch between parsed tensor (", parsed.dtype(),
                                ") and dtype (", ctx->output_type(0), ")"));
    ctx->set_output(0, std::move(parsed));
  }
};
REGISTER_KERNEL(Kernel("ParseTensor").On(Device::kCpu), ParseTensorOp);

class DecodeJsonExampleOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& json = ctx->input(0);
    Tensor* examples = nullptr;  // in the shape of json
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, json.shape(), &examples));
    std::ranges::transform(json.flat<std::string>(),
                           examples->mutable_flat<std::string>().begin(),
                           ExampleFromJson);
  }
};
REGISTER_KERNEL(Kernel("DecodeJSONExample").On(Device::kCpu), DecodeJsonExampleOp);

}  // namespace
}  // namespace minitf
