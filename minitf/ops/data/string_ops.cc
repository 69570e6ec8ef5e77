// Text made of tensors, and printing it.
//
// Compare    tensorflow/core/ops/string_ops.cc, logging_ops.cc
// Read next  kernels/cpu/data/print.cc

#include "minitf/framework/gradient.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

REGISTER_OP("StringFormat")
    .Input("inputs: T")
    .Output("output: string")
    .Attr("T: list(type) >= 0")
    .Attr("template: string = '%s'")
    .Attr("placeholder: string = '%s'")
    .Attr("summarize: int = 3")
    .SetShapeFn(ScalarShape)
    .Doc(
        "`template`, a scalar, with the n-th `placeholder` replaced by the text of the "
        "n-th "
        "input. Of each axis the first and last `summarize` elements are shown, all if "
        "it is "
        "negative.");
REGISTER_GRADIENT("StringFormat", kNotDifferentiable);

REGISTER_OP("PrintV2")
    .Input("input: string")
    .Attr("output_stream: string = 'stderr'")
    .Attr("end: string = '\n'")
    .SetIsStateful()
    .SetReleasesInputs()
    .SetIsHostOnly()
    .SetShapeFn(NoOutputs)
    .Doc(
        "Writes the scalar `input`, and `end` after it, to `output_stream`: stdout, "
        "stderr, "
        "or a file, file://PATH, to whose end it is added.");
REGISTER_GRADIENT("PrintV2", kNotDifferentiable);

}  // namespace
}  // namespace minitf
