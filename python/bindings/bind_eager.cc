// Eager mode in Python: running an op now, and tapes.
//
// execute() or execute_plain() runs once for every op of an eager program. They are plain
// C functions: Python hands over its arguments as an array, and nothing is looked up to
// find out what they are.
//
// Compare    tensorflow/python/eager/pywrap_tfe_src.cc
// Read next  python/minitf/eager/backprop.py

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "minitf/base/logging.h"
#include "minitf/eager/dispatch.h"
#include "minitf/eager/tape.h"
#include "python/bindings/attr_bridge.h"
#include "python/bindings/bind.h"
#include "python/bindings/eager_tensor.h"
#include "python/bindings/gil.h"
#include "python/bindings/interrupts.h"

namespace py = pybind11;

namespace minitf {

namespace {

// Below this, letting other Python threads run costs more than it gives.
constexpr size_t kBigBytes = 16'384;

std::vector<EagerTensor> UnwrapAll(py::handle objects) {
  const auto sequence = py::reinterpret_steal<py::object>(
      PySequence_Fast(objects.ptr(), "a list of EagerTensors is needed"));
  if (!sequence) throw py::error_already_set();
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence.ptr());
  std::vector<EagerTensor> values;
  values.reserve(count);
  for (Py_ssize_t i = 0; i < count; ++i)
    values.push_back(UnwrapEagerTensor(PySequence_Fast_GET_ITEM(sequence.ptr(), i)));
  return values;
}

std::vector<EagerTensor> DispatchAway(const std::string& op,
                                      const std::vector<EagerTensor>& inputs, Attrs attrs,
                                      const std::vector<int>& input_lengths) {
  VLOG(2) << "pybind11: run op " << op << " with " << inputs.size() << " inputs";
  size_t bytes = 0;
  for (const EagerTensor& input : inputs) {
    // A call that waits for a queue waits for another thread.
    const bool may_wait = input.tensor.dtype() == DType::kResource;
    bytes += may_wait ? kBigBytes : input.tensor.num_bytes();
  }
  return Interruptibly([&] {
    std::optional<GilReleased> others_may_run;
    if (bytes >= kBigBytes) others_may_run.emplace();
    return Dispatch(op, inputs, std::move(attrs), input_lengths);
  });
}

// execute(op, inputs, attrs, input_lengths): the outputs, as a list of EagerTensors.
PyObject* ExecuteUnguarded(PyObject* const* arguments, Py_ssize_t count) {
  if (count != 4) throw py::type_error("execute() takes 4 arguments");
  const char* op = PyUnicode_AsUTF8(arguments[0]);
  if (op == nullptr) throw py::error_already_set();
  const std::vector<EagerTensor> inputs = UnwrapAll(arguments[1]);
  Attrs attrs;
  if (arguments[2] != Py_None) attrs = AttrsFromPython(FindOp(op), arguments[2]);
  std::vector<int> lengths;
  if (arguments[3] != Py_None)
    lengths = py::handle(arguments[3]).cast<std::vector<int>>();

  auto outputs = DispatchAway(op, inputs, std::move(attrs), lengths);
  auto list = py::reinterpret_steal<py::object>(PyList_New(outputs.size()));
  if (!list) throw py::error_already_set();
  for (size_t i = 0; i < outputs.size(); ++i) {
    PyList_SET_ITEM(list.ptr(), i,
                    WrapEagerTensor(std::move(outputs[i])).release().ptr());
  }
  return list.release().ptr();
}

// execute_plain(op, input, ...): the only output of an op without lists, its attributes
// at their defaults; None if an input is no EagerTensor.
PyObject* ExecutePlainUnguarded(PyObject* const* arguments, Py_ssize_t count) {
  if (count == 0) throw py::type_error("execute_plain() needs the name of an op");
  const char* op = PyUnicode_AsUTF8(arguments[0]);
  if (op == nullptr) throw py::error_already_set();
  std::vector<EagerTensor> inputs;
  inputs.reserve(count - 1);
  for (Py_ssize_t i = 1; i < count; ++i) {
    if (!IsEagerTensor(arguments[i])) Py_RETURN_NONE;
    inputs.push_back(UnwrapEagerTensor(arguments[i]));
  }
  auto outputs = DispatchAway(op, inputs, {}, {});
  return WrapEagerTensor(std::move(outputs.at(0))).release().ptr();
}

PyObject* Execute(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  return CallGuarded(&ExecuteUnguarded, arguments, count);
}

PyObject* ExecutePlain(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  return CallGuarded(&ExecutePlainUnguarded, arguments, count);
}

using FastCall = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t);

PyMethodDef FastMethod(const char* name, FastCall function, const char* doc) {
  // Python's way to store functions of other types; the flag says which type it is.
  auto* untyped = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
  return {name, untyped, METH_FASTCALL, doc};
}

PyMethodDef fast_methods[] = {
    FastMethod("execute", &Execute,
               "execute(op, inputs, attrs, input_lengths): the list of outputs."),
    FastMethod("execute_plain", &ExecutePlain,
               "execute_plain(op, input, ...): the only output of an op without lists; "
               "None if an input is no EagerTensor."),
};

// ---- Python objects as tensors --------------------------------------------------------

// A Python object that lives as long as the tensors that point to it: so a tape that
// keeps such a tensor keeps the object, too.
class PythonObject final : public Resource {
 public:
  explicit PythonObject(py::object object) : object_(std::move(object)) {}
  ~PythonObject() override {
    if (PythonIsEnding()) {
      object_.release();
      return;
    }
    const GilHeld gil;
    object_ = py::object();
  }

  std::string DebugString() const override { return "an object of Python"; }
  const py::object& object() const { return object_; }

 private:
  py::object object_;
};

py::object TensorOfObject(py::object object) {
  Tensor handle(DType::kResource, Shape{});
  handle.mutable_flat<ResourceHandle>()[0] =
      ResourceHandle(std::make_shared<PythonObject>(std::move(object)));
  return WrapEagerTensor(MakeEagerTensor(std::move(handle)));
}

py::object ObjectOfTensor(py::handle tensor) {
  const Tensor& handle = UnwrapEagerTensor(tensor).tensor;
  if (handle.dtype() != DType::kResource || handle.num_elements() != 1) return py::none();
  const auto* held =
      dynamic_cast<const PythonObject*>(handle.flat<ResourceHandle>()[0].get().get());
  return held == nullptr ? py::none() : held->object();
}

// ---- Tapes ----------------------------------------------------------------------------

// An EagerTensor, or one without an identity for None: ones, as Tape::Gradient reads it.
std::vector<EagerTensor> UnwrapOptional(const py::list& objects) {
  std::vector<EagerTensor> values;
  for (py::handle object : objects)
    values.push_back(object.is_none() ? EagerTensor{} : UnwrapEagerTensor(object));
  return values;
}

// Of each gradient the list of its parts, as Tape::Gradient gives them.
py::list TapeGradient(Tape& tape, const py::list& ys, const py::list& xs,
                      const py::list& dys) {
  py::list gradients;
  for (auto& parts : Interruptibly([&] {
         return tape.Gradient(UnwrapAll(ys), UnwrapAll(xs), UnwrapOptional(dys));
       })) {
    py::list wrapped;
    for (EagerTensor& part : parts) wrapped.append(WrapEagerTensor(std::move(part)));
    gradients.append(wrapped);
  }
  return gradients;
}

// A StopRecording that Python's `with` can hold.
class StopRecordingScope {
 public:
  void Enter() { stops_.push_back(std::make_unique<StopRecording>()); }
  void Exit() { stops_.pop_back(); }

 private:
  std::vector<std::unique_ptr<StopRecording>> stops_;
};

// A variable that no resource manager knows: it goes when its last handle goes.
py::object NewVariable(const std::string& name, int dtype, py::handle shape) {
  auto variable = std::make_shared<Variable>(name, static_cast<DType>(dtype));
  variable->DeclareShape(ShapeFromPython(shape));
  Tensor handle(DType::kResource, Shape{});
  handle.mutable_flat<ResourceHandle>()[0] = ResourceHandle(std::move(variable));
  return WrapEagerTensor(MakeEagerTensor(std::move(handle)));
}

}  // namespace

void BindEager(py::module_& module) {
  for (PyMethodDef& method : fast_methods) {
    PyObject* function = PyCFunction_New(&method, nullptr);
    if (function == nullptr) throw py::error_already_set();
    module.add_object(method.ml_name, py::reinterpret_steal<py::object>(function));
  }
  module.def("forget_kernels", &ForgetKernels,
             "Forgets kept kernels, and with them the state of random numbers.");
  module.def("tensor_of_object", &TensorOfObject, "A tensor that keeps a Python object.");
  module.def("object_of_tensor", &ObjectOfTensor,
             "The object that a tensor keeps, or None.");
  module.def("new_variable", &NewVariable, "The handle of a variable without a value.");

  py::class_<Tape>(module, "Tape")
      .def(py::init<bool>())
      .def("start", &Tape::Start, py::call_guard<py::gil_scoped_release>())
      .def("stop", &Tape::Stop, py::call_guard<py::gil_scoped_release>())
      .def("ignore_stops", &Tape::IgnoreStops)
      .def("reset", &Tape::Reset)
      .def("watch",
           [](Tape& tape, py::handle tensor) { tape.Watch(UnwrapEagerTensor(tensor)); })
      .def("is_watched",
           [](const Tape& tape, py::handle tensor) {
             return tape.IsWatched(UnwrapEagerTensor(tensor).id);
           })
      .def("gradient", &TapeGradient)
      .def_property_readonly("is_recording", &Tape::is_recording)
      .def_property_readonly("num_records", &Tape::num_records);

  py::class_<StopRecordingScope>(module, "StopRecording")
      .def(py::init<>())
      .def("enter", &StopRecordingScope::Enter)
      .def("exit", &StopRecordingScope::Exit);
}

}  // namespace minitf
