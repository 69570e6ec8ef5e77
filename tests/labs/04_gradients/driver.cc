// What cases of lab 04 call in C++: one gradient function without the sweep around it,
// and the sweep without the functions.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "minitf/eager/dispatch.h"
#include "minitf/eager/tape.h"
#include "minitf/framework/gradient.h"
#include "python/bindings/attr_bridge.h"
#include "python/bindings/numpy_bridge.h"
#include "tests/labs/04_gradients/scribe.h"

namespace minitf {
namespace {

// dL/dx for every input of a call of `op`, where dL/d(output 0) is `dy`: an array, or
// None where the gradient function gives none.
py::list RegisteredGradient(const std::string& op, const std::vector<py::array>& inputs,
                            const py::dict& attr_values, const py::array& dy) {
  const OpDef& definition = FindOp(op);
  Attrs attrs = AttrsFromPython(definition, attr_values);
  EagerEmitter emitter;
  std::vector<Value> xs;
  std::vector<EagerTensor> tensors;
  std::vector<DType> types;
  for (const py::array& input : inputs) {
    tensors.push_back(MakeEagerTensor(TensorFromArray(input)));
    types.push_back(tensors.back().tensor.dtype());
    xs.push_back(emitter.Add(tensors.back()));
  }
  CompleteAttrs(definition, types, &attrs);
  const std::vector<Value> zs = emitter.CallAll(op, xs, attrs);
  std::vector<Value> dys(zs.size(), Value::None());
  dys[0] = emitter.Add(MakeEagerTensor(TensorFromArray(dy)));

  const GradientContext ctx{emitter, definition, attrs, xs, zs, dys, ""};
  py::list gradients;
  for (const Value value : Gradients().Get(op).fn(ctx)) {
    gradients.append(
        value.is_none()
            ? py::none()
            : ArrayFromTensor(emitter.Get(emitter.Dense(value)).tensor, Sharing::kNever));
  }
  return gradients;
}

}  // namespace
}  // namespace minitf

PYBIND11_MODULE(lab_04_driver, module) {
  module.def("registered_gradient", &minitf::RegisteredGradient);
  module.def("sweep_over", &minitf::SweepOver);
}
