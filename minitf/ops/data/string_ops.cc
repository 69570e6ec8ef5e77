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
        "n-th input. Of each axis the first and last `summarize` elements are shown, all "
        "if it is negative.");
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
        "stderr, or a file, file://PATH, to whose end it is added.");
REGISTER_GRADIENT("PrintV2", kNotDifferentiable);

REGISTER_OP("Assert")
    .Input("condition: bool")
    .Input("data: T")
    .Attr("T: list(type) >= 1")
    .Attr("summarize: int = 3")
    .SetIsStateful()
    .SetReleasesInputs()
    .SetShapeFn([](InferenceContext* ctx) { ctx->WithRank(0, 0, "condition"); })
    .Doc(
        "Fails unless the scalar `condition` is true. The message shows the first "
        "`summarize` elements of every tensor in `data`.");

REGISTER_GRADIENT("Assert", kNotDifferentiable);

REGISTER_OP("Print")
    .Input("input: T")
    .Input("data: U")
    .Output("output: T")
    .Attr("T: type")
    .Attr("U: list(type) >= 0")
    .Attr("message: string = ''")
    .Attr("first_n: int = -1")
    .Attr("summarize: int = 3")
    .SetIsStateful()
    .SetReleasesInputs()
    .SetIsHostOnly()
    .SetShapeFn(UnchangedShape)
    .Doc(
        "The input. Prints `message` and the tensors in `data` to the error stream, at "
        "the first `first_n` steps or, if that is negative, at all.");

}  // namespace
}  // namespace minitf
