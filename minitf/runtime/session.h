// Session: runs parts of a graph, and keeps the state that lives between runs.
//
// A run names what it feeds, what it fetches and which nodes must have run. For each such
// triple the session makes an Executor the first time (graph_pipeline.h), and finds it
// again afterwards; it makes a new one only when a node that it runs has been changed.
//
// The variables belong to the session: two sessions on one graph do not share them.
//
// Compare    tensorflow/core/common_runtime/direct_session.h
// Read next  minitf/runtime/session_config.h

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "minitf/base/thread_pool.h"
#include "minitf/framework/cancellation.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/resource.h"
#include "minitf/graph/graph.h"
#include "minitf/graph/step_graph.h"
#include "minitf/passes/pass.h"
#include "minitf/runtime/devices/local_devices.h"
#include "minitf/runtime/executor/executor.h"
#include "minitf/runtime/executor/kernel_cache.h"

namespace minitf {

/// What the error of a session says that was closed.
inline constexpr std::string_view kSessionClosed = "Attempted to use a closed Session.";

/// A number of threads other than 0 makes a pool for the session alone; sessions that
/// leave it at 0 share the pools of the process, which have one thread for each core.
struct SessionOptions {
  // 0: those of the process; negative: 1, all in the thread that runs; 1024 at most.
  int intra_op_threads = 0;  ///< for one op on many cores
  int inter_op_threads = 0;  ///< for many ops at once
  bool allow_soft_placement = false;
  bool log_device_placement = false;  ///< to the error stream, once for each executor
  int64_t operation_timeout_ms = 0;   ///< of every run that says nothing; 0: no limit
  DeviceOptions devices = {};
  PassOptions passes = {};
  MemoryPlanMode memory_plan = MemoryPlanMode::kOff;
  /// By ops: the label of the kernel that computes a node that asks for none.
  std::map<std::string, std::string, std::less<>> kernel_labels = {};
};

/// What one run may be told besides its feeds.
struct RunOptions {
  int64_t timeout_ms = 0;             ///< 0: as the session says
  std::function<bool()> should_stop;  ///< asked now and then; true cancels the step
  StepObserver* observer = nullptr;
};

class Session {
 public:
  Session(std::shared_ptr<Graph> graph, const SessionOptions& options);
  ~Session();

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// A request that has been compiled; running it looks nothing up. Good while the
  /// session lives, also when the graph grows.
  class Callable;

  /// Finds or makes the executor of `request`. Throws InvalidArgument for a node of
  /// another graph, an output that does not exist or a tensor fed twice,
  /// FailedPrecondition when the session is closed, and what making a kernel throws.
  std::shared_ptr<Callable> Prepare(const RunRequest& request);

  /// One step. feeds[i] is for request.feeds[i]; its dtype and shape must fit. Returns
  /// the fetched tensors. Throws Error, with the name of the node that failed in its
  /// status. Any number of threads may run at the same time.
  std::vector<Tensor> Run(const Callable& callable, std::span<const Tensor> feeds,
                          const RunOptions& options = {});

  std::vector<Tensor> Run(const RunRequest& request, std::span<const Tensor> feeds) {
    return Run(*Prepare(request), feeds);
  }

  /// Frees variables and executors. Runs that are under way end first, and what waits in
  /// them is cancelled; later ones throw.
  void Close();

  /// Lets all runs fail: those that come, and those under way when they ask next.
  void CancelRuns() { cancellation_.StartCancel(); }
  /// Whether no run is under way.
  bool IsIdle();

  Graph& graph() const { return *graph_; }
  ResourceManager& resources() { return resources_; }
  const LocalDevices& devices() const { return devices_; }
  /// The graphs that a step of `callable` runs, one for each device, as they are after
  /// all passes.
  std::vector<const Graph*> PartitionGraphs(const Callable& callable);
  /// How many executors have been made so far.
  int64_t num_executors_made() const { return num_executors_made_; }

 private:
  struct Compiled;

  void RequireOpen() const;
  void RequireInGraph(const RunRequest& request) const;
  std::shared_ptr<const Compiled> CompiledFor(const Callable& callable);

  const SessionOptions options_;
  const std::shared_ptr<Graph> graph_;
  const std::shared_ptr<ThreadPool> intra_op_threads_;
  const std::shared_ptr<ThreadPool> inter_op_threads_;
  ResourceManager resources_;
  const LocalDevices devices_;
  KernelCache kernels_;
  CancellationManager cancellation_;
  std::atomic<int64_t> num_executors_made_ = 0;

  std::atomic<bool> is_closed_ = false;
  std::shared_mutex running_;  // held shared by every run, alone by Close
  std::mutex mutex_;           // guards callables_
  std::unordered_map<std::string, std::shared_ptr<Callable>> callables_;
};

class Session::Callable {
 public:
  const RunRequest& request() const { return request_; }

 private:
  friend class Session;

  Callable(Session* session, RunRequest request)
      : session_(session), request_(std::move(request)) {}

  Session* const session_;
  const RunRequest request_;
  mutable std::mutex mutex_;  // guards compiled_
  mutable std::shared_ptr<const Compiled> compiled_;
};

}  // namespace minitf
