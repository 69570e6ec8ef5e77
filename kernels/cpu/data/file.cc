// Files on the CPU.
//
// Op         minitf/ops/data/file_ops.cc
// Compare    tensorflow/core/kernels/whole_file_read_ops.cc, matching_files_op.cc

#include <algorithm>

#include "kernels/cpu/common/scalars.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/io/records/file_system.h"

namespace minitf {
namespace {

const std::string& OneText(const Tensor& text, std::string_view what) {
  RequireScalar(text, what);
  return text.scalar<std::string>();
}

class ReadFileOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Tensor* contents = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, Shape(), &contents));
    contents->mutable_flat<std::string>()[0] =
        ReadWholeFile(OneText(ctx->input(0), "filename"));
  }
};
REGISTER_KERNEL(Kernel("ReadFile").On(Device::kCpu), ReadFileOp);

class WriteFileOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    WriteWholeFile(OneText(ctx->input(0), "filename"),
                   OneText(ctx->input(1), "contents"));
  }
};
REGISTER_KERNEL(Kernel("WriteFile").On(Device::kCpu), WriteFileOp);

class MatchingFilesOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& patterns = ctx->input(0);
    OP_REQUIRES(ctx, patterns.rank() <= 1,
                errors::InvalidArgument("pattern must be a scalar or a vector, its shape "
                                        "is ",
                                        patterns.shape()));
    std::vector<std::string> paths;
    for (const std::string& pattern : patterns.flat<std::string>()) {
      std::ranges::move(MatchingFiles(pattern), std::back_inserter(paths));
    }
    std::ranges::sort(paths);
    ctx->set_output(0, Tensor::Of({static_cast<int64_t>(paths.size())}, paths));
  }
};
REGISTER_KERNEL(Kernel("MatchingFiles").On(Device::kCpu), MatchingFilesOp);

}  // namespace
}  // namespace minitf
