// Sparse tensors: three dense ones, with places, values and sizes.
//
// Kernels    kernels/cpu/sparse_to_dense.cc
// Gradients  minitf/gradients/io_grad.cc
// Compare    tensorflow/core/ops/sparse_ops.cc
// Read next  minitf/ops/image_ops.cc

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

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

}  // namespace
}  // namespace minitf
