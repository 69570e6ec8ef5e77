// The kernel of PyFunc and its kin: calls a function of the program in the middle of a
// step.
//
// The thread that runs the node takes Python's lock and hands the inputs to the function
// that python/minitf/ops/script_ops.py has left here. What the user's function returns is
// checked and converted there, too; here it arrives as tensors of the right types, or as
// the code and the message of an error.
//
// Op         minitf/ops/data/script_ops.cc
// Exercise   exercises/12_bindings
// Compare    tensorflow/python/lib/core/py_func.cc
// Read next  python/bindings/bind_gradients.cc

#include <string>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>

#include "minitf/framework/op_kernel.h"
#include "python/bindings/bind.h"
#include "python/bindings/eager_tensor.h"
#include "python/bindings/gil.h"

namespace py = pybind11;

namespace minitf {

namespace {

// Python's function (token, inputs) -> outputs. Never freed: Python may be gone before
// static objects are.
py::object& ScriptRunner() {
  static auto* const runner = new py::object();
  return *runner;
}

class PyFuncOp final : public OpKernel {
 public:
  explicit PyFuncOp(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("token", &token_));
  }

  void Compute(OpKernelContext* ctx) override {
    // LAB(12.10) begin: take Python's lock and Call; an exception is the node's status
    const GilHeld gil;
    try {
      Call(ctx);
    } catch (const py::error_already_set& error) {
      ctx->SetStatus(errors::Internal(error.what()));
    }
    // LAB(12.10) end
  }

 private:
  // Everything of Python that is made here is gone before the lock is.
  void Call(OpKernelContext* ctx) const {
    py::list inputs;
    for (int i = 0; i < ctx->num_inputs(); ++i)
      inputs.append(WrapEagerTensor(MakeEagerTensor(ctx->input(i))));

    const py::object result = ScriptRunner()(py::bytes(token_), inputs);

    // LAB(12.10) begin: set the status that `result` states if it is a tuple, and return
    if (py::isinstance<py::tuple>(result)) {
      const py::tuple error = result;
      ctx->SetStatus({static_cast<Code>(error[0].cast<int>()),
                      std::string(error[1].cast<py::bytes>())});
      return;
    }
    // LAB(12.10) end
    int i = 0;
    for (const py::handle output : result.cast<py::list>())
      ctx->set_output(i++, UnwrapEagerTensor(output).tensor);
  }

  std::string token_;
};

REGISTER_KERNEL(Kernel("PyFunc").On(Device::kCpu), PyFuncOp);
REGISTER_KERNEL(Kernel("PyFuncStateless").On(Device::kCpu), PyFuncOp);
REGISTER_KERNEL(Kernel("EagerPyFunc").On(Device::kCpu), PyFuncOp);

}  // namespace

void BindScripts(py::module_& module) {
  module.def(
      "set_script_runner", [](py::object runner) { ScriptRunner() = std::move(runner); },
      "From now on, PyFunc and its kin call runner(token, inputs).");
}

}  // namespace minitf
