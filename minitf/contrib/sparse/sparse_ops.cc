// Sparse tensors: three dense ones, with places, values and sizes.
//
// A batch of them goes through a queue as handles (sparse_tensors.h), or travels as
// strings, three for each.
//
// Kernels    minitf/contrib/sparse/sparse_to_dense.cc, sparse_tensors_map.cc,
//            serialize_sparse.cc
// Gradients  minitf/contrib/sparse/sparse_grad.cc
// Compare    tensorflow/core/ops/sparse_ops.cc
// Read next  minitf/contrib/sparse/sparse_tensors.h

#include <string>

#include "minitf/contrib/families.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

const FamilyRegistrar kSparseFamily("sparse");

REGISTER_OP("SparseToDense")
    .Input("sparse_indices: Tindices")
    .Input("output_shape: Tindices")
    .Input("sparse_values: T")
    .Input("default_value: T")
    .Output("dense: T")
    .Attr("validate_indices: bool = true")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->WithRank(1, 1, "output_shape");
      ctx->set_output(0, ctx->InputAsShape(1));
    })
    .Doc(
        "A tensor of `output_shape` with `sparse_values` [n], or one value, at places "
        "`sparse_indices` [n, rank], and `default_value` elsewhere.");

// ---- Batches of sparse tensors --------------------------------------------------------

// An op of one sparse tensor, inputs 0 to 2.
OpDefBuilder TakesSparse(const std::string& name) {
  OpDefBuilder builder(name);
  return builder.Input("sparse_indices: int64")
      .Input("sparse_values: T")
      .Input("sparse_shape: int64")
      .Attr("T: type");
}

// Output 0 has `shape`.
ShapeFn OfSparse(const PartialShape& shape) {
  return [shape](InferenceContext* ctx) {
    ctx->WithRank(0, 2, "sparse_indices");
    ctx->WithRank(1, 1, "sparse_values");
    ctx->WithRank(2, 1, "sparse_shape");
    ctx->set_output(0, shape);
  };
}

void BatchOfSparse(InferenceContext* ctx) {
  ctx->set_output(0, PartialShape::OfRank(2));
  ctx->set_output(1, PartialShape::OfRank(1));
  ctx->set_output(2, PartialShape::OfRank(1));
}

const OpRegistrar kSparseBatchOps[] = {
    TakesSparse("AddSparseToTensorsMap")
        .Output("sparse_handle: int64")
        .Attr("container: string = ''")
        .Attr("shared_name: string = ''")
        .SetIsStateful()
        .SetIsHostOnly()
        .SetShapeFn(OfSparse(PartialShape(Shape{})))
        .Doc("Puts a sparse tensor into the map called `shared_name`, or like the node; "
             "the handle takes it out again, once."),
    TakesSparse("AddManySparseToTensorsMap")
        .Output("sparse_handles: int64")
        .Attr("container: string = ''")
        .Attr("shared_name: string = ''")
        .SetIsStateful()
        .SetIsHostOnly()
        .SetShapeFn(OfSparse({kUnknown}))
        .Doc("Puts each row of a sparse tensor [n, ...] into a map, as "
             "AddSparseToTensorsMap does; n handles."),
    TakesSparse("SerializeSparse")
        .Output("serialized_sparse: out_type")
        .Attr("out_type: {string} = string")
        .SetShapeFn(OfSparse({3}))
        .Doc("Indices, values and shape of a sparse tensor as three serialized "
             "TensorProtos."),
    TakesSparse("SerializeManySparse")
        .Output("serialized_sparse: out_type")
        .Attr("out_type: {string} = string")
        .SetShapeFn(OfSparse({kUnknown, 3}))
        .Doc("The rows of a sparse tensor [n, ...], each as by SerializeSparse: [n, 3]."),
};

REGISTER_OP("TakeManySparseFromTensorsMap")
    .Input("sparse_handles: int64")
    .Output("sparse_indices: int64")
    .Output("sparse_values: dtype")
    .Output("sparse_shape: int64")
    .Attr("dtype: type")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetIsHostOnly()
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->WithRank(0, 1, "sparse_handles");
      BatchOfSparse(ctx);
    })
    .Doc(
        "Takes sparse tensors of one rank out of a map, and stacks them: n of [a, b] to "
        "[n, a, b], where each axis is as long as the longest.");

REGISTER_OP("DeserializeManySparse")
    .Input("serialized_sparse: string")
    .Output("sparse_indices: int64")
    .Output("sparse_values: dtype")
    .Output("sparse_shape: int64")
    .Attr("dtype: type")
    .SetShapeFn([](InferenceContext* ctx) {
      const PartialShape& strings = ctx->WithRank(0, 2, "serialized_sparse");
      Require(!strings.has_rank() || strings.dim(1) == kUnknown || strings.dim(1) == 3,
              "serialized_sparse should have 3 as the last dimension, its shape is ",
              strings);
      BatchOfSparse(ctx);
    })
    .Doc(
        "Sparse tensors of one rank from their serialized parts [n, 3], stacked as by "
        "TakeManySparseFromTensorsMap.");

}  // namespace
}  // namespace minitf
