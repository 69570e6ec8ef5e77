// The graph pipeline: its stages, one after another.

#include "minitf/runtime/graph_pipeline.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "minitf/runtime/placer.h"

namespace minitf {
namespace {

PlacedGraph PlacedOn(const LocalDevice& device, const StepGraph& part) {
  return {part.graph.get(), &device.context(), device.kernels(), device.name()};
}

// `passes`, which know now whose kernels each device has.
PassOptions WithKernelsOf(const DeviceSet& devices, PassOptions passes) {
  for (const NamedDevice* device : devices.devices()) {
    passes.kernels[device->name()] = device->kernels();
  }
  return passes;
}

}  // namespace

std::vector<const Graph*> PreparedStep::graphs() const {
  if (parts.empty()) return {whole.graph.get()};
  std::vector<const Graph*> graphs;
  for (const Partition& part : parts) {
    const Graph* graph = part.step.graph.get();
    if (std::ranges::find(graphs, graph) == graphs.end()) graphs.push_back(graph);
  }
  return graphs;
}

PreparedStep PrepareStep(StepGraph step, const DeviceSet& devices,
                         const PrepareOptions& options) {
  PreparedStep prepared{std::move(step), {}};
  const bool is_all_on_host =
      PlaceNodes(&prepared.whole, devices, {options.allow_soft_placement});
  if (options.placement_log != nullptr) {
    *options.placement_log << PlacementText(prepared.whole) << std::flush;
  }
  const PassOptions passes = WithKernelsOf(devices, options.passes);
  if (passes.enabled) RunPasses(&prepared.whole, passes);
  if (!is_all_on_host) prepared.parts = PartitionGraph(prepared.whole, devices);
  return prepared;
}

std::unique_ptr<Executor> MakeExecutor(const PreparedStep& step,
                                       const ExecutorOptions& options) {
  const LocalDevices& devices = *options.devices;
  std::vector<PlacedGraph> graphs;
  bool has_host = step.parts.empty();
  if (step.parts.empty()) graphs.push_back(PlacedOn(devices.host(), step.whole));
  for (const Partition& part : step.parts) {
    const LocalDevice* device = devices.Find(part.device->name());
    if (device == nullptr) continue;  // of another process
    graphs.push_back(PlacedOn(*device, part.step));
    has_host |= &part == &step.parts.front();
  }
  Require(!graphs.empty(), "no part of the step is on ", devices.set().Names());
  const size_t num_feeds = has_host ? step.whole.args.size() : 0;
  const size_t num_fetches = has_host ? step.whole.retvals.size() : 0;
  auto executor = std::make_unique<Executor>(graphs, static_cast<int>(num_feeds),
                                             static_cast<int>(num_fetches),
                                             options.threads, options.kernels);
  const ExecutorPlan& plan = executor->plan();
  if (options.memory_plan != MemoryPlanMode::kOff && step.parts.empty() &&
      StepMemory::CanPlan(plan)) {
    const PlannedStep lives = LivesOf(step.whole, WithKernelsOf(devices.set(), {}));
    executor->UseMemoryPlan(
        StepMemory(lives, plan, options.memory_plan == MemoryPlanMode::kChecked));
  }
  return executor;
}

}  // namespace minitf
