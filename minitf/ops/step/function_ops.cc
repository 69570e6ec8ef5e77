// Where tensors enter and leave a graph that is run as a whole: _Arg and _Retval.
//
// The executor knows both by name; they have no kernel.
//
// Compare    tensorflow/core/ops/function_ops.cc
// Read next  minitf/graph/step_graph.h

#include "minitf/framework/gradient.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

REGISTER_OP("_Arg")
    .Output("output: T")
    .Attr("T: type")
    .Attr("index: int >= 0")
    .SetIsStateful(StateUse::kNames)
    .SetRole(OpRole::kArg)
    .SetLendsOutputs()
    .SetIsHostOnly()
    .SetShapeFn(UnknownShape)
    .Doc("The value that a step is given as its feed number `index`.");
REGISTER_GRADIENT("_Arg", kNotDifferentiable);

REGISTER_OP("_Retval")
    .Input("input: T")
    .Attr("T: type")
    .Attr("index: int >= 0")
    .SetIsStateful()
    .SetRole(OpRole::kRetval)
    .SetIsHostOnly()
    .SetShapeFn(NoOutputs)
    .Doc("Makes `input` the fetch number `index` of a step.");
REGISTER_GRADIENT("_Retval", kNotDifferentiable);

}  // namespace
}  // namespace minitf
