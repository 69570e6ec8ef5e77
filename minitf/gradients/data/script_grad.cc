// Gradients of ops that call a function of the program: Python gives them, or none.
//
// Ops        minitf/ops/data/script_ops.cc
// Compare    tensorflow/python/ops/script_ops.py
// Read next  python/minitf/ops/script_ops.py

#include <vector>

#include "minitf/framework/gradient.h"

namespace minitf {
namespace {

const NotDifferentiable kScriptsWithoutGradient("PyFunc", "PyFuncStateless");

// python/minitf/ops/script_ops.py puts its own in this place.
std::vector<Value> EagerPyFuncGrad(const GradientContext&) {
  throw Error(errors::Unimplemented("the gradient of EagerPyFunc is Python's to give"));
}
REGISTER_GRADIENT("EagerPyFunc", EagerPyFuncGrad);

}  // namespace
}  // namespace minitf
