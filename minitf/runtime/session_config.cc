// Session options out of a ConfigProto.

#include "minitf/runtime/session_config.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "minitf/base/text.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/protos/config.pb.h"

namespace minitf {
namespace {

template <typename Message>
Message Parse(std::string_view bytes, std::string_view name) {
  Message message;
  const bool is_good =
      message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  Require(is_good, "these ", bytes.size(), " bytes are no ", name);
  return message;
}

void Set(std::string_view pass, proto::RewriterConfig::Toggle toggle,
         PassOptions* passes) {
  if (toggle == proto::RewriterConfig::DEFAULT) return;
  passes->Set(pass, toggle == proto::RewriterConfig::ON);
}

PassOptions PassesFrom(const proto::GraphOptions& graph) {
  const proto::RewriterConfig& rewrites = graph.rewrite_options();
  PassOptions passes = ParsePassOptions(rewrites.minitf_passes());
  const proto::OptimizerOptions& optimizer = graph.optimizer_options();
  if (optimizer.opt_level() == proto::OptimizerOptions::L0) passes.enabled = false;
  if (rewrites.disable_meta_optimizer()) passes.enabled = false;
  if (rewrites.disable_model_pruning()) passes.Set("pruning", false);
  if (const int64_t limit = optimizer.max_folded_constant_in_bytes(); limit != 0) {
    Require(limit > 0, "max_folded_constant_in_bytes must not be negative, got ", limit);
    passes.max_constant_bytes = limit;
  }
  Set("constant_folding", rewrites.constant_folding(), &passes);
  Set("arithmetic_optimization", rewrites.arithmetic_optimization(), &passes);
  Set("remapping", rewrites.remapping(), &passes);
  Set("layout_optimizer", rewrites.layout_optimizer(), &passes);
  return passes;
}

MemoryPlanMode MemoryPlanFrom(proto::RewriterConfig::MemoryPlan plan) {
  switch (plan) {
    case proto::RewriterConfig::MEMORY_PLAN_OFF: return MemoryPlanMode::kOff;
    case proto::RewriterConfig::MEMORY_PLAN_ON: return MemoryPlanMode::kOn;
    case proto::RewriterConfig::MEMORY_PLAN_CHECKED: return MemoryPlanMode::kChecked;
    default: throw Error(errors::InvalidArgument("no such memory plan: ", plan));
  }
}

// Labels by ops, each of which a kernel of the op has.
std::map<std::string, std::string, std::less<>> KernelLabelsFrom(
    const proto::ConfigProto& config) {
  std::map<std::string, std::string, std::less<>> labels;
  for (const auto& [op, label] : config.minitf_kernel_labels()) {
    std::set<std::string> known;
    for (const KernelDef* kernel : KernelsOf(op)) known.insert(kernel->key.label);
    Require(!known.empty(), "minitf_kernel_labels: no kernel is registered for an op \"",
            op, '"');
    Require(known.contains(label), "minitf_kernel_labels: ", op,
            " has no kernel with the label \"", label, "\"; there are \"",
            Join(std::vector<std::string>(known.begin(), known.end()), "\", \""), '"');
    labels.emplace(op, label);
  }
  return labels;
}

}  // namespace

SessionOptions SessionOptionsFromConfig(std::string_view bytes) {
  const auto config = Parse<proto::ConfigProto>(bytes, "ConfigProto");
  SessionOptions options;
  options.intra_op_threads = config.intra_op_parallelism_threads();
  options.inter_op_threads = config.inter_op_parallelism_threads();
  options.allow_soft_placement = config.allow_soft_placement();
  options.log_device_placement = config.log_device_placement();
  options.operation_timeout_ms = config.operation_timeout_in_ms();
  Require(options.operation_timeout_ms >= 0,
          "operation_timeout_in_ms must not be negative, got ",
          options.operation_timeout_ms);
  for (const auto& [type, count] : config.device_count()) {
    options.devices.device_count[type] = count;
  }
  options.devices.visible_device_list = config.gpu_options().visible_device_list();
  options.devices.gpu_memory_fraction =
      config.gpu_options().per_process_gpu_memory_fraction();
  options.passes = PassesFrom(config.graph_options());
  options.memory_plan =
      MemoryPlanFrom(config.graph_options().rewrite_options().minitf_memory_plan());
  options.kernel_labels = KernelLabelsFrom(config);
  return options;
}

RunOptionsMessage ParseRunOptions(std::string_view bytes) {
  const auto message = Parse<proto::RunOptions>(bytes, "RunOptions");
  Require(message.timeout_in_ms() >= 0, "timeout_in_ms must not be negative, got ",
          message.timeout_in_ms());
  return {message.timeout_in_ms(), message.trace_level() != proto::RunOptions::NO_TRACE,
          message.output_partition_graphs()};
}

}  // namespace minitf
