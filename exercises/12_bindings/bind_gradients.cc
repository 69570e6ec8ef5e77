// Gradients in Python: tf.gradients, and gradient functions that are written in Python.
//
// A Python gradient function gets an object `op` with inputs, outputs and attributes, and
// the gradients of the outputs. In a graph these are graph tensors, on a tape they are
// eager ones, and so is what it returns; the emitter tells which. The two Python
// functions that make the objects (python/minitf/ops/gradients_impl.py) are left here
// when minitf is imported.
//
// Exercise   exercises/12_bindings
// Compare    tensorflow/python/framework/ops.py, RegisterGradient
// Read next  python/minitf/ops/gradients_impl.py

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "minitf/base/lab.h"
#include "minitf/eager/dispatch.h"
#include "minitf/framework/gradient.h"
#include "minitf/graph/gradients/backward_flow.h"
#include "minitf/graph/gradients/graph_gradients.h"
#include "python/bindings/attr_bridge.h"
#include "python/bindings/bind.h"
#include "python/bindings/eager_tensor.h"
#include "python/bindings/gil.h"
#include "python/bindings/graph_bridge.h"

namespace py = pybind11;

namespace minitf {

namespace {

// The Python functions that call a Python gradient function, one for each mode. Never
// freed: Python may be gone before static objects are.
struct Callers {
  py::object in_graph;
  py::object on_tape;
};

Callers& GradientCallers() {
  static auto* const callers = new Callers();
  return *callers;
}

// The Python graph whose gradients are being made in this thread.
thread_local PyObject* differentiated_graph = nullptr;

// The emitter whose nodes a Python gradient function adds at present, if they may belong
// to a branch or a loop; else null.
thread_local GraphEmitter* present_emitter = nullptr;

using OptionalHandles = std::vector<std::optional<int64_t>>;

// Sets a variable for as long as it lives.
template <typename T>
class Present {
 public:
  Present(T* variable, T value)
      : variable_(variable), former_(std::exchange(*variable, value)) {}
  ~Present() { *variable_ = former_; }

  Present(const Present&) = delete;
  Present& operator=(const Present&) = delete;

 private:
  T* variable_;
  T former_;
};

// The parts of each gradient (Emitter::PartsOf), as Python's handles of them.
using PartHandles = std::vector<std::vector<int64_t>>;

PartHandles HandlesOfParts(const std::vector<std::vector<Output>>& gradients) {
  PartHandles handles;
  for (const auto& parts : gradients) {
    handles.emplace_back();
    for (const Output part : parts) handles.back().push_back(HandleOf(part));
  }
  return handles;
}

// The value that `parts` are parts of.
Value ValueOfParts(const std::vector<Value>& parts, Emitter& emitter) {
  // TODO(12.11) begin: return none, the only part, or Slices
  MINITF_TODO("12.11");
  // TODO(12.11) end
}

std::vector<Value> CallInGraph(const py::object& function, const GradientContext& ctx,
                               GraphEmitter& emitter) {
  const Node* node = emitter.graph().FindNode(ctx.node_name);
  Require(node != nullptr && differentiated_graph != nullptr, "node '", ctx.node_name,
          "' is in no graph that Python knows");
  std::vector<std::vector<Output>> dy;
  for (const Value value : ctx.dy) {
    dy.emplace_back();
    for (const Value part : emitter.PartsOf(value)) {
      dy.back().push_back(emitter.OutputOf(part));
    }
  }
  const BackwardFlow* flow = emitter.flow();
  const bool in_flow = flow != nullptr && flow->present()->parent != nullptr;
  const Present present(&present_emitter, in_flow ? &emitter : nullptr);
  const py::object result =
      GradientCallers().in_graph(function, py::handle(differentiated_graph), node->id(),
                                 HandlesOfParts(dy), emitter.current_scope(), in_flow);

  std::vector<Value> gradients;
  // TODO(12.11) begin: append the gradient that each list in `result` stands for
  MINITF_TODO("12.11");
  // TODO(12.11) end
  return gradients;
}

py::list WrapValues(const std::vector<Value>& values, const EagerEmitter& emitter) {
  py::list list;
  for (const Value value : values) list.append(WrapEagerTensor(emitter.Get(value)));
  return list;
}

std::vector<Value> CallOnTape(const py::object& function, const GradientContext& ctx,
                              EagerEmitter& emitter) {
  py::dict attrs;
  for (const auto& [name, value] : ctx.attrs) {
    const AttrDef* def = ctx.op.FindAttr(name);
    attrs[py::str(name)] =
        py::make_tuple(def == nullptr ? "" : def->kind, AttrToPython(value));
  }
  std::vector<Value> gradients;
  // TODO(12.11) begin: call GradientCallers().on_tape; append the values of its result
  MINITF_TODO("12.11");
  // TODO(12.11) end
  return gradients;
}

std::vector<Value> CallByMode(const py::object& function, const GradientContext& ctx) {
  const GilHeld gil;
  // TODO(12.11) begin: call the function as the type of ctx.emitter requires
  MINITF_TODO("12.11");
  // TODO(12.11) end
}

// `function` as a gradient function. It lives as long as the program, as every entry of a
// registry does.
GradientFn AsGradientFn(const py::object& function) {
  auto* const kept = new py::object(function);
  return [kept](const GradientContext& ctx) { return CallByMode(*kept, ctx); };
}

// Python's gradient function takes the place of that of C++: so a student can write the
// gradient of an op that has one.
void RegisterPythonGradient(const std::string& op, const py::object& function) {
  GradientEntry entry;
  if (!function.is_none()) entry.fn = AsGradientFn(function);
  Gradients().Replace(op, std::move(entry));
}

struct GradientArguments {
  std::vector<int64_t> ys;
  std::vector<int64_t> xs;
  OptionalHandles dys;
  std::vector<int64_t> stop_gradients;
};

PartHandles GradientsOfGraph(const py::object& python_graph, Graph& graph,
                             const GradientArguments& arguments,
                             const GradientPlacement& placement) {
  std::vector<Output> dys;
  for (const auto& handle : arguments.dys)
    dys.push_back(handle.has_value() ? OutputOf(graph, *handle) : Output{});
  const Present present(&differentiated_graph, python_graph.ptr());
  return HandlesOfParts(GraphGradients(
      &graph, OutputsOf(graph, arguments.ys), OutputsOf(graph, arguments.xs), dys,
      OutputsOf(graph, arguments.stop_gradients), placement));
}

// ---- Branches and loops, for Python's gradient functions -----------------------------

BackwardFlow& PresentFlow() {
  Require(present_emitter != nullptr, "no gradient is being made");
  return *present_emitter->flow();
}

int64_t ReachInPresentFlow(int64_t handle) {
  BackwardFlow& flow = PresentFlow();
  const Output value = OutputOf(present_emitter->graph(), handle);
  return HandleOf(flow.Reach(value, flow.present()));
}

std::optional<int> PivotOfPresentFlow(const std::vector<int64_t>& inputs) {
  BackwardFlow& flow = PresentFlow();
  const Node* pivot =
      flow.PivotFor(OutputsOf(present_emitter->graph(), inputs), flow.present());
  return pivot == nullptr ? std::nullopt : std::optional(pivot->id());
}

// Pairs of numbers: of each node from `first` on that is in a loop, and of the first
// Enter of the innermost one; and of each such Enter, and of that of the loop around, -1
// if there is none.
auto LoopsOfNodes(Graph& graph, int first) {
  FlowMap flows;
  std::vector<std::pair<int, Flow*>> found;
  bool enters_loop = false;
  for (int id = first; id < graph.num_nodes(); ++id) {
    enters_loop |= graph.node(id)->role() == OpRole::kEnter;
  }
  for (int id = first; enters_loop && id < graph.num_nodes(); ++id) {
    Flow* loop = LoopAround(flows.After(graph.node(id)));
    if (loop != nullptr) found.emplace_back(id, loop);
  }
  std::vector<std::pair<int, int>> nodes;
  std::map<int, int> loops;
  for (auto& [id, loop] : found) {
    nodes.emplace_back(id, loop->enter->id());
    while (loop != nullptr) {
      Flow* around = LoopAround(loop->parent);
      loops[loop->enter->id()] = around == nullptr ? -1 : around->enter->id();
      loop = around;
    }
  }
  return std::pair(nodes, loops);
}

}  // namespace

void BindGradients(py::module_& module) {
  module.def(
      "graph_gradients",
      [](const py::object& python_graph, Graph& graph, std::vector<int64_t> ys,
         std::vector<int64_t> xs, OptionalHandles dys,
         std::vector<int64_t> stop_gradients, std::string scope, std::string device,
         bool beside_forward, std::optional<int> pivot) {
        return GradientsOfGraph(
            python_graph, graph,
            {std::move(ys), std::move(xs), std::move(dys), std::move(stop_gradients)},
            {std::move(scope), std::move(device), beside_forward,
             pivot.has_value() ? graph.node(*pivot) : nullptr});
      });
  module.def("reach_in_present_flow", &ReachInPresentFlow,
             "A tensor, as the nodes of a gradient that is being made may take it.");
  module.def("pivot_of_present_flow", &PivotOfPresentFlow,
             "The node that a node of such inputs has to wait for, or None.");
  module.def("loops_of_nodes", &LoopsOfNodes,
             "The loops that new nodes are in, by their first Enters.");
  module.def("register_gradient", &RegisterPythonGradient,
             "Sets the gradient function of an op; None: not differentiable.");
  module.def("set_gradient_callers", [](py::object in_graph, py::object on_tape) {
    GradientCallers() = {std::move(in_graph), std::move(on_tape)};
  });
}

}  // namespace minitf
