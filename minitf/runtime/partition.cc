// Partition: copying nodes to their devices, and making the ends of edges between two
// devices, or between the memory of one and of its host.
//
// Exercise   exercises/13_placement

#include "minitf/runtime/partition.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "minitf/graph/loop_frames.h"
#include "minitf/graph/topological_order.h"

namespace minitf {
namespace {

// What a transfer stands for: output `output` of a node, or its having run.
constexpr int kControl = -1;

// Builds all parts at once, node by node in topological order.
class Partitioner {
 public:
  Partitioner(const StepGraph& step, const DeviceSet& devices)
      : step_(step), loops_(*step.graph), copies_(step.graph->num_nodes()) {
    for (const NamedDevice* device : devices.devices()) {
      index_of_.emplace(device->name(), parts_.size());
      parts_.emplace_back();
      parts_.back().device = device;
      parts_.back().step.graph = std::make_shared<Graph>();
    }
    if (LoopsSpanDevices()) ShareGraphs();
  }

  std::vector<Partition> Cut() {
    for (Node* node : TopologicalOrder(step_.graph->nodes())) Copy(*node);
    for (const Node* node : has_back_edge_) SetInputs(*node);
    Partition& host = parts_.front();
    for (const Node* arg : step_.args) host.step.args.push_back(CopyIn(arg, 0));
    for (const Node* retval : step_.retvals) {
      host.step.retvals.push_back(CopyIn(retval, 0));
    }
    for (const Node* target : step_.targets) {
      const size_t part = PartOf(*target);
      parts_[part].step.targets.push_back(CopyIn(target, part));
    }
    std::erase_if(parts_, [&](const Partition& part) {
      return &part != &parts_.front() &&
             std::ranges::none_of(part.step.graph->nodes(), [&](const Node* node) {
               return node->device() == part.device->name();
             });
    });
    return std::move(parts_);
  }

 private:
  // Id of the source, its output, the part that receives, and the memory there.
  using Edge = std::tuple<int, int, size_t, MemoryType>;

  // An output in its own part, and where it lies.
  struct Source {
    Output output;
    size_t part = 0;
    MemoryType memory = MemoryType::kHost;
  };

  size_t PartOf(const Node& node) const {
    const auto found = index_of_.find(node.device());
    if (found != index_of_.end()) return found->second;
    throw Error(errors::Internal("'", node.name(), "' was placed on '", node.device(),
                                 "', which is no device"));
  }

  bool SharesGraph(size_t part, size_t other) const {
    return parts_[part].step.graph == parts_[other].step.graph;
  }

  // The copy of a node that stands in `part` itself. Null for one not copied yet.
  Node* CopyIn(const Node* node, size_t part) const {
    if (PartOf(*node) != part) {
      throw Error(errors::Internal("'", node->name(), "' is to be on the host"));
    }
    return copies_[node->id()];
  }

  bool LoopsSpanDevices() const;
  void ShareGraphs();
  const MemoryTypes& MemoryOf(const Node& node);
  void Copy(const Node& node);
  void SetInputs(const Node& node);
  Output Reach(const Node& source, int output, const Node& consumer, size_t input);
  Node* WaitedFor(const Node& source, const Node& consumer);
  Node* Received(const Node& source, int output, size_t to, MemoryType memory);
  Node* Receive(const Node& source, const Source& sent, size_t to, MemoryType memory);
  Source Sent(const Node& source, int output);
  void RequireNoLoop(const Node& source, const Node& consumer) const;
  std::string End(const char* op, const char* host_op, size_t part, MemoryType memory);
  Attrs EdgeAttrs(const Node& source, size_t from, size_t to);

  const StepGraph& step_;
  const LoopFrames loops_;
  std::unordered_map<std::string, size_t> index_of_;  // by name of the device
  std::vector<Partition> parts_;
  std::vector<Node*> copies_;                    // by id of the node
  std::unordered_map<int, MemoryTypes> memory_;  // by id of the node
  std::map<Edge, Node*> receives_;               // the _Recv of what was sent already
  std::unordered_map<int, Node*> ran_;  // by id: the constant that says it has run
  std::vector<const Node*> has_back_edge_;
  int64_t num_edges_ = 0;
};

// Whether some loop has nodes on several devices.
bool Partitioner::LoopsSpanDevices() const {
  std::unordered_map<int, size_t> part_of_loop;
  return std::ranges::any_of(step_.graph->nodes(), [&](const Node* node) {
    const int loop = loops_.LoopOf(node);
    if (loop == LoopFrames::kNoLoop) return false;
    const size_t part = PartOf(*node);
    return part_of_loop.try_emplace(loop, part).first->second != part;
  });
}

// Gives all parts of a process one graph.
void Partitioner::ShareGraphs() {
  std::map<std::tuple<std::string, int, int>, std::shared_ptr<Graph>> graph_of_process;
  for (Partition& part : parts_) {
    const DeviceName& name = part.device->parsed_name();
    auto& graph = part.step.graph;
    graph = graph_of_process.try_emplace({*name.job, *name.replica, *name.task}, graph)
                .first->second;
  }
}

const MemoryTypes& Partitioner::MemoryOf(const Node& node) {
  const auto [found, is_new] = memory_.try_emplace(node.id());
  if (is_new) {
    found->second = parts_[PartOf(node)].device->MemoryTypesOf(node.op(), node.attrs(),
                                                               node.signature());
  }
  return found->second;
}

// Requires: all inputs have been copied, but for an edge back from a NextIteration to a
// Merge, which has another input.
void Partitioner::Copy(const Node& node) {
  const size_t part = PartOf(node);
  const auto is_copied = [this](const Output& o) { return copies_[o.node->id()]; };
  const auto any = std::ranges::find_if(node.inputs(), is_copied);
  std::vector<Output> inputs;
  for (const Output& input : node.inputs()) {
    // In place of what is not there yet stands another, of the same type.
    const Output& present = is_copied(input) ? input : *any;
    inputs.push_back(Reach(*present.node, present.index, node, inputs.size()));
  }
  if (!std::ranges::all_of(node.inputs(), is_copied)) has_back_edge_.push_back(&node);
  std::vector<Node*> control_inputs;
  for (const Node* control_input : node.control_inputs()) {
    Node* waited_for = WaitedFor(*control_input, node);
    if (std::ranges::find(control_inputs, waited_for) == control_inputs.end()) {
      control_inputs.push_back(waited_for);
    }
  }
  copies_[node.id()] = parts_[part].step.graph->CopyNode(node, std::move(inputs),
                                                         std::move(control_inputs));
}

// Of a Merge, whose input from a NextIteration was not there when it was copied.
void Partitioner::SetInputs(const Node& node) {
  Graph* graph = parts_[PartOf(node)].step.graph.get();
  for (size_t i = 0; i < node.inputs().size(); ++i) {
    const Output& input = node.inputs()[i];
    graph->UpdateInput(copies_[node.id()], static_cast<int>(i),
                       Reach(*input.node, input.index, node, i));
  }
}

// What `consumer` has to use as its `input`, in its own part, for an output of `source`.
Output Partitioner::Reach(const Node& source, int output, const Node& consumer,
                          size_t input) {
  // LAB(13.7) begin: the copy of `source` if it is there in that memory; or a _Recv
  const size_t to = PartOf(consumer);
  const MemoryType memory = MemoryOf(consumer).inputs[input];
  const bool is_there =
      PartOf(source) == to && MemoryOf(source).outputs[output] == memory;
  if (is_there) return {copies_[source.id()], output};
  RequireNoLoop(source, consumer);
  return Received(source, output, to, memory)->output(0);
  // LAB(13.7) end
}

// What `consumer` has to wait for, in its own part, so that it runs after `source`.
Node* Partitioner::WaitedFor(const Node& source, const Node& consumer) {
  // LAB(13.7) begin: as above, but that there is no tensor
  const size_t to = PartOf(consumer);
  if (PartOf(source) == to) return copies_[source.id()];
  RequireNoLoop(source, consumer);
  return Received(source, kControl, to, MemoryType::kHost);
  // LAB(13.7) end
}

// A value in a loop does not leave the graph, in which its _Recv waits for its _Send.
void Partitioner::RequireNoLoop(const Node& source, const Node& consumer) const {
  const int loop = loops_.LoopOfOutputs(&source);
  if (loop == LoopFrames::kNoLoop || SharesGraph(PartOf(source), PartOf(consumer))) {
    return;
  }
  throw Error(errors::Unimplemented("the while_loop '", loops_.NameOf(loop), "' has '",
                                    source.name(), "' on ", source.device(), " and '",
                                    consumer.name(), "' on ", consumer.device(),
                                    "; a loop has to run in one process")
                  .AtNode(consumer.name()));
}

// The node that receives an output of `source`, the same one for all who want it there.
Node* Partitioner::Received(const Node& source, int output, size_t to,
                            MemoryType memory) {
  // LAB(13.7) begin: `Receive` it, unless that has been done
  Node*& receive = receives_[{source.id(), output, to, memory}];
  if (receive == nullptr) receive = Receive(source, Sent(source, output), to, memory);
  return receive;
  // LAB(13.7) end
}

// What both ends of an edge agree on.
Attrs Partitioner::EdgeAttrs(const Node& source, size_t from, size_t to) {
  const NamedDevice& sender = *parts_[from].device;
  return {{"tensor_name", StrCat("edge_", num_edges_++, '_', source.name())},
          {"send_device", sender.name()},
          {"send_device_incarnation", static_cast<int64_t>(sender.incarnation())},
          {"recv_device", parts_[to].device->name()}};
}

// The op for an end of an edge. On a CPU there is but one memory.
std::string Partitioner::End(const char* op, const char* host_op, size_t part,
                             MemoryType memory) {
  const bool has_choice = !parts_[part].device->is_cpu();
  return has_choice && memory == MemoryType::kHost ? host_op : op;
}

// Adds both ends of an edge, and returns the one that receives.
Node* Partitioner::Receive(const Node& source, const Source& sent, size_t to,
                           MemoryType memory) {
  const size_t from = sent.part;
  NodeSpec send;
  // LAB(13.8) begin: op, inputs, attributes and device of the end that sends
  send.op = End("_Send", "_HostSend", from, sent.memory);
  send.inputs = {sent.output};
  send.attrs = EdgeAttrs(source, from, to);
  send.device = parts_[from].device->name();
  // LAB(13.8) end
  send.name = step_.graph->UniqueName(StrCat("send/", source.name()));
  send.origin = source.origin();

  NodeSpec receive;
  // LAB(13.8) begin: of the end that receives, which also has a tensor_type
  receive.op = End("_Recv", "_HostRecv", to, memory);
  receive.attrs = send.attrs;
  receive.attrs.Set("tensor_type", sent.output.dtype());
  receive.device = parts_[to].device->name();
  // LAB(13.8) end
  receive.name = step_.graph->UniqueName(StrCat("receive/", source.name()));
  receive.origin = source.origin();

  Node* sender = parts_[from].step.graph->AddNode(std::move(send));
  parts_[from].step.targets.push_back(sender);
  // In one graph this puts both ends into the same iteration of the same loop.
  if (SharesGraph(from, to)) receive.control_inputs = {sender};
  Graph* receiver = parts_[to].step.graph.get();
  Node* node = receiver->AddNode(std::move(receive));
  receiver->MergeOutputShape(node->output(0), sent.output.shape());
  return node;
}

// What is sent for an output of `source`: that output; or, to say that the node has run,
// an empty constant that waits for it. The constant is int32, which has its kernel in
// host memory, so that no GPU copies it.
Partitioner::Source Partitioner::Sent(const Node& source, int output) {
  const size_t part = PartOf(source);
  // LAB(13.8) begin: for a tensor, what there is; for a wait, one constant for all
  if (output != kControl) {
    return {{copies_[source.id()], output}, part, MemoryOf(source).outputs[output]};
  }
  Node*& constant = ran_[source.id()];
  if (constant == nullptr) {
    NodeSpec spec;
    spec.op = "Const";
    spec.name = step_.graph->UniqueName(StrCat("ran/", source.name()));
    spec.control_inputs = {copies_[source.id()]};
    spec.attrs = {{"dtype", DType::kInt32}, {"value", Tensor(DType::kInt32, Shape{0})}};
    spec.device = source.device();
    spec.origin = source.origin();
    constant = parts_[part].step.graph->AddNode(std::move(spec));
  }
  const MemoryTypes memory = parts_[part].device->MemoryTypesOf(
      constant->op(), constant->attrs(), constant->signature());
  return {constant->output(0), part, memory.outputs[0]};
  // LAB(13.8) end
}

}  // namespace

std::vector<Partition> PartitionGraph(const StepGraph& step, const DeviceSet& devices) {
  return Partitioner(step, devices).Cut();
}

}  // namespace minitf
