// StepTrace: collecting runs of nodes, and writing them as a message.

#include "minitf/runtime/executor/step_trace.h"

#include <chrono>
#include <map>
#include <utility>

#include "minitf/graph/graph_def.h"
#include "minitf/protos/graph.pb.h"
#include "minitf/protos/step_stats.pb.h"

namespace minitf {
namespace {

int64_t NanosecondsSince1970() {
  return std::chrono::system_clock::now().time_since_epoch() /
         std::chrono::nanoseconds(1);
}

// "y = MatMul(a, b)", as TensorFlow labels a node in a timeline; or, where the kernel has
// chosen one of several ways, "y = MatMul[packed](a, b)".
std::string LabelOf(const Node& node, std::string_view tier) {
  std::string label = StrCat(node.name(), " = ", node.type());
  if (!tier.empty()) label += StrCat('[', tier, ']');
  const char* separator = "(";
  for (const Output& input : node.inputs()) {
    label += StrCat(separator, input.node->name());
    if (input.index > 0) label += StrCat(':', input.index);
    separator = ", ";
  }
  return node.inputs().empty() ? label + "()" : label + ')';
}

}  // namespace

StepTrace::StepTrace() : start_ns_(NanosecondsSince1970()) {}

void StepTrace::NodeEnds(const NodeRun& run) {
  TracedRun traced{run.node.name(),
                   LabelOf(run.node, run.tier),
                   std::string(run.device),
                   run.start_ns,
                   run.end_ns,
                   run.thread,
                   {}};
  for (const Tensor& output : run.outputs) {
    if (!output.has_value()) continue;
    traced.outputs.push_back({output.dtype(), output.shape(),
                              static_cast<int64_t>(output.num_bytes()),
                              reinterpret_cast<uint64_t>(output.data())});
  }
  const std::lock_guard lock(mutex_);
  runs_.push_back(std::move(traced));
}

std::string StepTrace::Serialize(const std::vector<const Graph*>& partitions) const {
  const std::lock_guard lock(mutex_);
  proto::RunMetadata metadata;
  std::map<std::string, proto::DeviceStepStats*> devices;
  for (const TracedRun& run : runs_) {
    proto::DeviceStepStats*& device = devices[run.device];
    if (device == nullptr) {
      device = metadata.mutable_step_stats()->add_dev_stats();
      device->set_device(run.device);
    }
    proto::NodeExecStats* node = device->add_node_stats();
    node->set_node_name(run.name);
    node->set_timeline_label(run.label);
    node->set_thread_id(static_cast<uint32_t>(run.thread));
    const int64_t start = start_ns_ + run.start_ns;
    const int64_t duration = run.end_ns - run.start_ns;
    node->set_all_start_micros(start / 1000);
    node->set_scheduled_micros(start / 1000);
    node->set_op_end_rel_micros(duration / 1000);
    node->set_all_end_rel_micros(duration / 1000);
    node->set_all_start_nanos(start);
    node->set_scheduled_nanos(start);
    node->set_op_end_rel_nanos(duration);
    node->set_all_end_rel_nanos(duration);
    for (size_t i = 0; i < run.outputs.size(); ++i) {
      const TracedOutput& traced = run.outputs[i];
      proto::NodeOutput* output = node->add_output();
      output->set_slot(static_cast<int>(i));
      proto::TensorDescription* description = output->mutable_tensor_description();
      description->set_dtype(static_cast<proto::DataType>(traced.dtype));
      for (const int64_t size : traced.shape.sizes()) {
        description->mutable_shape()->add_dim()->set_size(size);
      }
      proto::AllocationDescription* memory =
          description->mutable_allocation_description();
      memory->set_requested_bytes(traced.bytes);
      memory->set_allocated_bytes(traced.bytes);
      memory->set_allocator_name(run.device);
      memory->set_ptr(traced.address);
    }
  }
  for (const Graph* graph : partitions) {
    GraphToProto(*graph, {}, metadata.add_partition_graphs());
  }
  return metadata.SerializeAsString();
}

}  // namespace minitf
