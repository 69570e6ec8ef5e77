// Files: read and written whole, and found by pattern.
//
// All are stateful: a file may change between two steps. None has a gradient.
//
// Kernels    kernels/cpu/data/file.cc
// Gradients  minitf/gradients/data/io_grad.cc
// Compare    tensorflow/core/ops/io_ops.cc
// Read next  minitf/ops/data/parsing_ops.cc

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

REGISTER_OP("ReadFile")
    .Input("filename: string")
    .Output("contents: string")
    .SetIsStateful()
    .SetDependsOnOutside()
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->WithRank(0, 0, "filename");
      ScalarShape(ctx);
    })
    .Doc("All bytes of the file `filename`, as a scalar.");

REGISTER_OP("WriteFile")
    .Input("filename: string")
    .Input("contents: string")
    .SetIsStateful()
    .SetDependsOnOutside()
    .SetShapeFn([](InferenceContext* ctx) {
      ctx->WithRank(0, 0, "filename");
      ctx->WithRank(1, 0, "contents");
    })
    .Doc("Makes the file `filename` of the bytes `contents`, and folders for it.");

REGISTER_OP("MatchingFiles")
    .Input("pattern: string")
    .Output("filenames: string")
    .SetIsStateful()
    .SetDependsOnOutside()
    .SetShapeFn([](InferenceContext* ctx) {
      const PartialShape& pattern = ctx->input(0);
      Require(!pattern.has_rank() || pattern.rank() <= 1,
              "pattern must be a scalar or a vector, its shape is ", pattern);
      ctx->set_output(0, {PartialShape::kUnknown});
    })
    .Doc("The paths [?] that match any of `pattern`, in alphabetical order.");

}  // namespace
}  // namespace minitf
