// OpTrace: records of ops as messages.

#include "minitf/c/eager/op_trace.h"

#include <chrono>
#include <utility>

#include "minitf/c/eager/context.h"
#include "minitf/protos/step_stats.pb.h"

namespace minitf::c {
namespace {

constexpr int64_t kNanosPerMicro = 1000;

void Describe(const Tensor& tensor, proto::TensorDescription* description) {
  description->set_dtype(static_cast<proto::DataType>(tensor.dtype()));
  for (const int64_t size : tensor.shape().sizes()) {
    description->mutable_shape()->add_dim()->set_size(size);
  }
  proto::AllocationDescription* memory = description->mutable_allocation_description();
  memory->set_requested_bytes(static_cast<int64_t>(tensor.num_bytes()));
  memory->set_allocated_bytes(static_cast<int64_t>(tensor.num_bytes()));
  memory->set_allocator_name(kEagerDevice);
  memory->set_ptr(reinterpret_cast<uint64_t>(tensor.data()));
}

}  // namespace

OpTrace::OpTrace() : metadata_(std::make_unique<proto::RunMetadata>()) {}
OpTrace::~OpTrace() = default;

int64_t OpTrace::Now() {
  return std::chrono::system_clock::now().time_since_epoch() /
         std::chrono::nanoseconds(1);
}

void OpTrace::Add(const std::string& op, int64_t start_ns,
                  const std::vector<Tensor>& outputs) {
  const int64_t duration_ns = Now() - start_ns;
  const std::lock_guard lock(mutex_);
  proto::StepStats* stats = metadata_->mutable_step_stats();
  if (stats->dev_stats_size() == 0) stats->add_dev_stats()->set_device(kEagerDevice);
  proto::NodeExecStats* node = stats->mutable_dev_stats(0)->add_node_stats();
  node->set_node_name(op);
  node->set_timeline_label(op);
  node->set_all_start_micros(start_ns / kNanosPerMicro);
  node->set_scheduled_micros(start_ns / kNanosPerMicro);
  node->set_op_end_rel_micros(duration_ns / kNanosPerMicro);
  node->set_all_end_rel_micros(duration_ns / kNanosPerMicro);
  node->set_all_start_nanos(start_ns);
  node->set_scheduled_nanos(start_ns);
  node->set_op_end_rel_nanos(duration_ns);
  node->set_all_end_rel_nanos(duration_ns);
  int slot = 0;
  for (const Tensor& output : outputs) {
    proto::NodeOutput* message = node->add_output();
    message->set_slot(slot++);
    Describe(output, message->mutable_tensor_description());
  }
}

std::unique_ptr<proto::RunMetadata> OpTrace::Take() {
  auto fresh = std::make_unique<proto::RunMetadata>();
  const std::lock_guard lock(mutex_);
  return std::exchange(metadata_, std::move(fresh));
}

}  // namespace minitf::c
