// Sparse tensors as strings, on the CPU: three serialized tensors for each of them.
//
// Op         minitf/contrib/sparse/sparse_ops.cc
// Compare    tensorflow/core/kernels/serialize_sparse_op.cc,
//            deserialize_sparse_string_op.cc

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "minitf/contrib/sparse/sparse_rows.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/io/messages/tensor_bytes.h"

namespace minitf {
namespace {

template <bool kMany>
class SerializeSparseOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const SparseParts whole = {ctx->input(0), ctx->input(1), ctx->input(2)};
    std::vector<SparseParts> tensors;
    if (kMany) {
      tensors = RowsOf(whole);
    } else {
      RequireSparse(whole);
      tensors.push_back(whole);
    }

    Tensor* serialized = nullptr;  // [3] or [rows,3]
    const Shape shape = kMany ? Shape{std::ssize(tensors), 3} : Shape{3};
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &serialized));
    auto next = serialized->mutable_flat<std::string>().begin();
    for (const auto& [indices, values, sizes] : tensors) {
      for (const Tensor* part : {&indices, &values, &sizes}) {
        *next++ = TensorToBytes(*part, StringForm::kPacked);
      }
    }
  }
};
REGISTER_KERNEL(Kernel("SerializeSparse").On(Device::kCpu), SerializeSparseOp<false>);
REGISTER_KERNEL(Kernel("SerializeManySparse").On(Device::kCpu), SerializeSparseOp<true>);

class DeserializeManySparseOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& serialized = ctx->input(0);  // [n,3]
    OP_REQUIRES(ctx, serialized.rank() == 2 && serialized.dim(1) == 3,
                errors::InvalidArgument(
                    "serialized_sparse should be a matrix with 3 as the last dimension, ",
                    "its shape is ", serialized.shape()));
    const auto strings = serialized.flat<std::string>();
    Expansion expansion;
    std::vector<SparseParts> tensors;
    for (int64_t i = 0; i < serialized.dim(0); ++i) {
      tensors.push_back(Read(strings.subspan(3 * i, 3), i, &expansion));
    }

    SparseParts batch = StackedRows(tensors, ctx->output_type(1));
    ctx->set_output(0, std::move(batch.indices));
    ctx->set_output(1, std::move(batch.values));
    ctx->set_output(2, std::move(batch.shape));
  }

 private:
  static SparseParts Read(std::span<const std::string> strings, int64_t i,
                          Expansion* expansion) {
    try {
      SparseParts parts = {TensorFromBytes(strings[0], expansion),
                           TensorFromBytes(strings[1], expansion),
                           TensorFromBytes(strings[2], expansion)};
      RequireIntegers(parts.indices, "indices");
      RequireIntegers(parts.shape, "shape");
      RequireSparse(parts);
      RequirePlacesWithin(parts);
      return parts;
    } catch (const Error& error) {
      throw Error(error.status().WithPrefix(StrCat("serialized_sparse[", i, "]: ")));
    }
  }

  static void RequireIntegers(const Tensor& tensor, std::string_view what) {
    Require(tensor.dtype() == DType::kInt64, "the ", what, " should be int64, but are ",
            tensor.dtype());
  }
};
REGISTER_KERNEL(Kernel("DeserializeManySparse").On(Device::kCpu),
                DeserializeManySparseOp);

}  // namespace
}  // namespace minitf
