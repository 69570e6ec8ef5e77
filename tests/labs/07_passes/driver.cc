// What cases of lab 07 call in C++: one pass over the graph of a step, the lives of its
// tensors, memory plans, and steps by them. Graphs come and go as plain data.
//
// Here is a GPU, too, as far as passes ask for one: it has loops for some of the ops for
// which the CPU has loops.

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "minitf/base/thread_pool.h"
#include "minitf/framework/elementwise.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/graph/step_graph.h"
#include "minitf/graph/topological_order.h"
#include "minitf/passes/memory_plan.h"
#include "minitf/passes/pass.h"
#include "minitf/runtime/session.h"
#include "python/bindings/attr_bridge.h"
#include "python/bindings/numpy_bridge.h"

namespace minitf {
namespace {

namespace py = pybind11;

using Place = std::pair<std::string, int>;  // an output: node and number

// ---- From data to graphs --------------------------------------------------------------

// The attributes of a node: arrays are tensors, and types are given by their names.
Attrs AttrsOf(const OpDef& op, const py::dict& values) {
  Attrs attrs;
  py::dict others;
  for (const auto& [key, value] : values) {
    const auto name = key.cast<std::string>();
    const AttrDef* def = op.FindAttr(name);
    if (py::isinstance<py::array>(value)) {
      attrs.Set(name, TensorFromArray(value.cast<py::array>()).Clone());
    } else if (def != nullptr && def->kind == "type") {
      attrs.Set(name, DTypeFromName(value.cast<std::string>()));
    } else {
      others[key] = value;
    }
  }
  for (const Attrs::Entry& entry : AttrsFromPython(op, others)) {
    attrs.Set(entry.first, entry.second);
  }
  return attrs;
}

// A graph with what a step asks of it.
class Net {
 public:
  explicit Net(const py::dict& net) {
    for (const py::handle node : net["nodes"]) AddNode(node.cast<py::dict>());
    for (const auto& name : net["feeds"].cast<std::vector<std::string>>()) {
      request_.feeds.push_back(nodes_.at(name)->output(0));
    }
    for (const auto& place : net["fetches"].cast<std::vector<Place>>()) {
      request_.fetches.push_back(OutputAt(place));
    }
    for (const auto& name : net["targets"].cast<std::vector<std::string>>()) {
      request_.targets.push_back(nodes_.at(name));
    }
  }

  StepGraph MakeStep() const { return MakeStepGraph(request_); }
  const RunRequest& request() const { return request_; }
  const std::shared_ptr<Graph>& graph() const { return graph_; }

 private:
  void AddNode(const py::dict& node) {
    NodeSpec spec;
    spec.op = node["op"].cast<std::string>();
    spec.name = node["name"].cast<std::string>();
    for (const auto& place : node["inputs"].cast<std::vector<Place>>()) {
      spec.inputs.push_back(OutputAt(place));
    }
    for (const auto& name : node["waits"].cast<std::vector<std::string>>()) {
      spec.control_inputs.push_back(nodes_.at(name));
    }
    spec.attrs = AttrsOf(FindOp(spec.op), node["attrs"].cast<py::dict>());
    spec.device = node["device"].cast<std::string>();
    spec.origin = "net.py:" + std::to_string(nodes_.size() + 1);
    const std::string name = spec.name;
    nodes_[name] = graph_->AddNode(std::move(spec));
  }

  Output OutputAt(const Place& place) const {
    return nodes_.at(place.first)->output(place.second);
  }

  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::map<std::string, Node*> nodes_;
  RunRequest request_;
};

// ---- From graphs to data --------------------------------------------------------------

struct AttrReader {
  py::object operator()(const Tensor& value) const {
    return ArrayFromTensor(value, Sharing::kNever);
  }
  py::object operator()(DType value) const { return py::str(StrCat(value)); }
  py::object operator()(const std::string& value) const { return py::str(value); }
  py::object operator()(const std::vector<std::string>& value) const {
    return py::cast(value);
  }
  template <typename T>
  py::object operator()(const T& value) const {
    return AttrToPython(value);
  }
};

py::dict DataOf(Node* node) {
  py::dict attrs;
  for (const Attrs::Entry& entry : node->attrs()) {
    attrs[py::str(entry.first)] = std::visit(AttrReader{}, entry.second);
  }
  std::vector<Place> inputs;
  for (const Output& input : node->inputs()) {
    inputs.emplace_back(input.node->name(), input.index);
  }
  std::vector<std::string> waits;
  for (const Node* input : node->control_inputs()) waits.push_back(input->name());
  py::list shapes;
  std::vector<std::string> types;
  for (int i = 0; i < node->num_outputs(); ++i) {
    shapes.append(ShapeToPython(node->output_shape(i)));
    types.push_back(StrCat(node->output_type(i)));
  }
  py::dict data;
  data["name"] = node->name();
  data["op"] = node->type();
  data["inputs"] = inputs;
  data["waits"] = waits;
  data["attrs"] = attrs;
  data["device"] = node->device();
  data["origin"] = node->origin();
  data["shapes"] = shapes;
  data["types"] = types;
  return data;
}

// All nodes, each after those that it needs.
py::list DataOf(const StepGraph& step) {
  py::list nodes;
  for (Node* node : TopologicalOrder(step.graph->nodes())) nodes.append(DataOf(node));
  return nodes;
}

std::vector<std::string> NamesOf(const std::vector<Node*>& nodes) {
  std::vector<std::string> names;
  for (const Node* node : nodes) names.push_back(node->name());
  return names;
}

// ---- Devices --------------------------------------------------------------------------

// There is a kernel, so that nodes are fused for the GPU; no step runs there.
class FusedOnGpuOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* ctx) override {
    ctx->SetStatus(errors::Unimplemented("this GPU does not compute"));
  }
};

void AddGpu() {
  for (const char* op : {"Neg", "Tanh", "Mul"}) {
    const ElementwiseLoop* loop = FindElementwiseLoop(Device::kCpu, op, DType::kFloat32);
    AddElementwiseLoop(Device::kGpu, op, DType::kFloat32, *loop);
  }
  RegisterKernel<FusedOnGpuOp>(
      Kernel("_FusedElementwise").On(Device::kGpu).Type<float>("T"));
}

// ---- Passes ---------------------------------------------------------------------------

const DeviceContext& Cpu() {
  static const DeviceContext device = {&CpuAllocator(), &ProcessThreads(), nullptr,
                                       nullptr};
  return device;
}

PassOptions OptionsOf(const std::string& pass, const py::dict& settings) {
  PassOptions options;
  options.Set("all", false);
  options.Set(pass, true);
  options.cpu = &Cpu();
  if (settings.contains("no_cpu")) options.cpu = nullptr;
  if (settings.contains("max_constant_bytes")) {
    options.max_constant_bytes = settings["max_constant_bytes"].cast<int64_t>();
  }
  if (settings.contains("gpus")) {
    for (const auto& name : settings["gpus"].cast<std::vector<std::string>>()) {
      options.kernels[name] = Device::kGpu;
    }
  }
  return options;
}

int NumChanges(const std::vector<PassReport>& reports) {
  int changes = 0;
  for (const PassReport& report : reports) changes += report.num_changes;
  return changes;
}

// One visit of a pass, without a second one that would find what the first has left.
int RunOnce(const std::string& name, StepGraph* step, const PassOptions& options) {
  GraphEditor editor(step);
  for (const Pass& pass : Passes()) {
    if (pass.name != name) continue;
    editor.BeginPass(pass.name);
    pass.run(&editor, options);
  }
  return editor.num_changes();
}

// Runs the nodes one after another; what the fetches take.
py::list Values(const StepGraph& step, const py::list& feeds) {
  std::map<std::pair<const Node*, int>, Tensor> values;
  std::map<int64_t, Tensor> fetches;
  for (Node* node : TopologicalOrder(step.graph->nodes())) {
    std::vector<Tensor> inputs;
    for (const Output& input : node->inputs()) {
      inputs.push_back(values.at({input.node, input.index}));
    }
    if (node->role() == OpRole::kArg) {
      const auto index = node->attrs().Get<int64_t>("index");
      values[{node, 0}] = TensorFromArray(feeds[index].cast<py::array>()).Clone();
    } else if (node->role() == OpRole::kRetval) {
      fetches[node->attrs().Get<int64_t>("index")] = inputs.at(0);
    } else {
      const auto kernel = MakeKernel(node->name(), node->op(), node->attrs(),
                                     node->signature(), Device::kCpu, Cpu());
      std::vector<Tensor> outputs(node->num_outputs());
      OpKernelContext ctx(inputs, outputs, node->signature().output_types, Cpu());
      RunKernel(kernel.get(), &ctx);
      ThrowIfError(ctx.status());
      for (int i = 0; i < node->num_outputs(); ++i) values[{node, i}] = outputs[i];
    }
  }
  py::list arrays;
  for (const auto& [index, value] : fetches) {
    arrays.append(ArrayFromTensor(value, Sharing::kNever));
  }
  return arrays;
}

// A pass, until it finds nothing more, or once. If there are feeds, the graph that it
// leaves is run.
py::dict RunPass(const py::dict& net, const std::string& pass, const py::dict& settings,
                 const py::object& feeds) {
  const Net user_net(net);
  StepGraph step = user_net.MakeStep();
  const PassOptions options = OptionsOf(pass, settings);
  py::dict result;
  result["before"] = DataOf(step);
  if (settings.contains("once")) {
    result["changes"] = RunOnce(pass, &step, options);
  } else {
    result["changes"] = NumChanges(RunPasses(&step, options));
  }
  result["after"] = DataOf(step);
  result["args"] = NamesOf(step.args);
  result["retvals"] = NamesOf(step.retvals);
  result["targets"] = NamesOf(step.targets);
  result["values"] = feeds.is_none() ? py::object(py::none())
                                     : py::object(Values(step, feeds.cast<py::list>()));
  result["again"] = NumChanges(RunPasses(&step, options));
  return result;
}

// ---- Memory ---------------------------------------------------------------------------

using Life = std::tuple<int64_t, int, int>;  // size, first and last use

std::vector<BufferLife> LivesFrom(const std::vector<Life>& lives) {
  std::vector<BufferLife> buffers;
  for (const auto& [size, first, last] : lives) buffers.push_back({size, first, last});
  return buffers;
}

py::tuple Plan(const std::vector<Life>& lives, int64_t alignment) {
  const MemoryPlan plan = PlanMemory(LivesFrom(lives), alignment);
  return py::make_tuple(plan.offsets, plan.arena_size);
}

int64_t Peak(const std::vector<Life>& lives, int64_t alignment) {
  return PeakOfLives(LivesFrom(lives), alignment);
}

// The lives of the tensors of a step, and for each input of each node whether the node
// may write its output there.
py::dict Lives(const py::dict& net) {
  const Net user_net(net);
  const StepGraph step = user_net.MakeStep();
  const PlannedStep planned = LivesOf(step);
  py::list nodes;
  std::vector<std::vector<bool>> in_place;
  for (Node* node : planned.order) {
    nodes.append(DataOf(node));
    std::vector<bool>& inputs = in_place.emplace_back();
    for (size_t i = 0; i < node->inputs().size(); ++i) {
      inputs.push_back(MayWorkInPlace(*node, static_cast<int>(i), Device::kCpu));
    }
  }
  std::vector<std::tuple<std::string, int, int>> tensors;
  for (const auto& [tensor, buffer] : planned.tensors) {
    tensors.emplace_back(tensor.node->name(), tensor.index, buffer);
  }
  std::vector<Life> buffers;
  for (const BufferLife& life : planned.buffers) {
    buffers.emplace_back(life.size, life.first_use, life.last_use);
  }
  py::dict result;
  result["nodes"] = nodes;
  result["in_place"] = in_place;
  result["tensors"] = tensors;
  result["buffers"] = buffers;
  result["num_unknown"] = planned.num_unknown;
  result["total_bytes"] = planned.total_bytes;
  return result;
}

// Steps of a session, without passes. With a plan each runs in memory that the plan gives
// out, and what is dead becomes NaN.
py::list Steps(const py::dict& net, const py::list& feeds, bool is_planned, int times) {
  const Net user_net(net);
  SessionOptions options;
  options.passes.Set("all", false);
  options.memory_plan = is_planned ? MemoryPlanMode::kChecked : MemoryPlanMode::kOff;
  Session session(user_net.graph(), options);
  std::vector<Tensor> values;
  for (const py::handle feed : feeds) {
    values.push_back(TensorFromArray(feed.cast<py::array>()).Clone());
  }
  py::list steps;
  for (int step = 0; step < times; ++step) {
    py::list arrays;
    for (const Tensor& value : session.Run(user_net.request(), values)) {
      arrays.append(ArrayFromTensor(value, Sharing::kNever));
    }
    steps.append(arrays);
  }
  return steps;
}

}  // namespace
}  // namespace minitf

PYBIND11_MODULE(lab_07_driver, module) {
  minitf::AddGpu();
  module.def("run_pass", &minitf::RunPass);
  module.def("lives", &minitf::Lives);
  module.def("plan", &minitf::Plan);
  module.def("peak", &minitf::Peak);
  module.def("steps", &minitf::Steps);
}
