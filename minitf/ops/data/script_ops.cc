// Ops that call a function of the program: tf.py_func and tf.py_function.
//
// The function is found by its token, in a table that Python keeps; so a graph with such
// a node runs only in the process that built it.
//
// Kernels    python/bindings/script_kernel.cc
// Gradients  minitf/gradients/data/script_grad.cc, python/minitf/ops/script_ops.py
// Compare    tensorflow/core/ops/script_ops.cc
// Read next  minitf/ops/step/function_ops.cc

#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// Nothing is known of what a function returns but how many tensors.
void UnknownShapes(InferenceContext* ctx) {
  const size_t count = ctx->attr<std::vector<DType>>("Tout").size();
  for (size_t i = 0; i < count; ++i) {
    ctx->set_output(static_cast<int>(i), PartialShape());
  }
}

REGISTER_OP("PyFunc")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("token: string")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .SetIsStateful()
    .SetIsHostOnly()
    .SetShapeFn(UnknownShapes)
    .Doc("What the Python function `token` makes of NumPy arrays of the inputs.");

REGISTER_OP("PyFuncStateless")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("token: string")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .SetIsHostOnly()
    .SetShapeFn(UnknownShapes)
    .Doc(
        "As PyFunc, for a function whose result depends on nothing but the inputs, so "
        "that equal calls may be made once.");

REGISTER_OP("EagerPyFunc")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("token: string")
    .Attr("is_async: bool = false")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .SetIsStateful()
    .SetIsHostOnly()
    .SetShapeFn(UnknownShapes)
    .Doc("What the Python function `token` makes of the inputs, as eager tensors.");

}  // namespace
}  // namespace minitf
