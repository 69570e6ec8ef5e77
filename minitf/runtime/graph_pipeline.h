// The graph pipeline: from what a step is to compute to what runs it.
//
//   MakeStepGraph    what the run needs, as a copy          graph/step_graph.h
//   PlaceNodes       each node gets a device                runtime/placer.h
//   RunPasses        the copy is made cheaper               passes/pass.h
//   PartitionGraph   one graph for each device              runtime/partition.h
//   ExecutorPlan     arrays that a step goes through        executor/executor_plan.h
//
// A session goes all the way at once. Where the devices of several processes work on one
// step, the way is cut in two: the process with the request prepares it for the devices
// of all (PrepareStep) and sends each process its parts; each process makes an executor
// for the parts that it got (MakeExecutor). Neither needs a session.
//
// Compare    tensorflow/core/common_runtime/graph_execution_state.h
// Read next  minitf/runtime/session.h

#pragma once

#include <iosfwd>
#include <memory>
#include <vector>

#include "minitf/base/thread_pool.h"
#include "minitf/graph/step_graph.h"
#include "minitf/passes/pass.h"
#include "minitf/runtime/devices/device_set.h"
#include "minitf/runtime/devices/local_devices.h"
#include "minitf/runtime/executor/executor.h"
#include "minitf/runtime/executor/kernel_cache.h"
#include "minitf/runtime/executor/step_memory.h"
#include "minitf/runtime/partition.h"

namespace minitf {

struct PrepareOptions {
  bool allow_soft_placement = false;
  PassOptions passes = {};  ///< passes.cpu: where constants are computed
  /// Gets a line for each node with its device; null: not written.
  std::ostream* placement_log = nullptr;
};

/// A step on its way from a graph to an executor.
struct PreparedStep {
  /// All of it, placed and optimised. Must stay as long as the parts.
  StepGraph whole;
  /// One for each device that has something to do, the host first. None if all is on the
  /// host: then `whole` is the host's part.
  std::vector<Partition> parts;

  /// The graphs that are to run.
  std::vector<const Graph*> graphs() const;
};

/// Places, optimises and cuts `step`. Throws what PlaceNodes, RunPasses and
/// PartitionGraph throw.
PreparedStep PrepareStep(StepGraph step, const DeviceSet& devices,
                         const PrepareOptions& options);

/// What this process contributes to run steps.
struct ExecutorOptions {
  const LocalDevices* devices = nullptr;
  ThreadPool* threads = nullptr;   ///< to run nodes
  KernelCache* kernels = nullptr;  ///< shared by all executors of a session
  MemoryPlanMode memory_plan = MemoryPlanMode::kOff;
};

/// An executor for the parts of `step` that are on options.devices; those of other
/// processes are theirs to run. `step` must outlive it. Feeds and fetches are those of
/// the host's part; a process that does not have it feeds and fetches nothing. Throws
/// what ExecutorPlan throws.
std::unique_ptr<Executor> MakeExecutor(const PreparedStep& step,
                                       const ExecutorOptions& options);

}  // namespace minitf
