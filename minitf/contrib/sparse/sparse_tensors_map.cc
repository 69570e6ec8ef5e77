// Sparse tensors in a map, on the CPU: in before a queue, out behind it.
//
// Op         minitf/contrib/sparse/sparse_ops.cc
// Compare    tensorflow/core/kernels/sparse_tensors_map_ops.cc

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "minitf/contrib/sparse/sparse_tensors.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/io/queues/shared_resource.h"

namespace minitf {
namespace {

std::shared_ptr<SparseTensorsMap> MapOf(const OpKernelConstruction& construction) {
  return FindOrMakeNamed<SparseTensorsMap>(construction, [](const std::string& name) {
    return std::make_shared<SparseTensorsMap>(name);
  });
}

template <bool kMany>
class AddSparseToTensorsMapOp final : public OpKernel {
 public:
  explicit AddSparseToTensorsMapOp(OpKernelConstruction* construction)
      : OpKernel(construction), map_(MapOf(*construction)) {}

  void Compute(OpKernelContext* ctx) override {
    SparseParts whole = {ctx->input(0), ctx->input(1), ctx->input(2)};
    std::vector<SparseParts> tensors;
    if (kMany) {
      tensors = RowsOf(whole);
    } else {
      RequireSparse(whole);
      tensors.push_back(std::move(whole));
    }

    const std::vector<int64_t> added = map_->Add(std::move(tensors));
    Tensor* handles = nullptr;  // [] or [rows]
    const Shape shape = kMany ? Shape{std::ssize(added)} : Shape{};
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &handles));
    std::ranges::copy(added, handles->mutable_flat<int64_t>().begin());
  }

 private:
  const std::shared_ptr<SparseTensorsMap> map_;
};
REGISTER_KERNEL(Kernel("AddSparseToTensorsMap").On(Device::kCpu),
                AddSparseToTensorsMapOp<false>);
REGISTER_KERNEL(Kernel("AddManySparseToTensorsMap").On(Device::kCpu),
                AddSparseToTensorsMapOp<true>);

class TakeManySparseFromTensorsMapOp final : public OpKernel {
 public:
  explicit TakeManySparseFromTensorsMapOp(OpKernelConstruction* construction)
      : OpKernel(construction), map_(MapOf(*construction)) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& handles = ctx->input(0);  // [n]
    OP_REQUIRES(
        ctx, handles.rank() == 1,
        errors::InvalidArgument("sparse_handles should be a vector but received shape ",
                                handles.shape()));
    SparseParts batch =
        StackedRows(map_->Take(handles.flat<int64_t>()), ctx->output_type(1));
    ctx->set_output(0, std::move(batch.indices));
    ctx->set_output(1, std::move(batch.values));
    ctx->set_output(2, std::move(batch.shape));
  }

 private:
  const std::shared_ptr<SparseTensorsMap> map_;
};
REGISTER_KERNEL(Kernel("TakeManySparseFromTensorsMap").On(Device::kCpu),
                TakeManySparseFromTensorsMapOp);

}  // namespace
}  // namespace minitf
