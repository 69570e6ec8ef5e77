// Session: checking requests, and finding their executors.
//
// Exercise   exercises/03_session

#include "minitf/runtime/session.h"

#include <algorithm>
#include <iostream>
#include <string_view>
#include <utility>

#include "minitf/runtime/graph_pipeline.h"
#include "minitf/runtime/intra_process_rendezvous.h"
#include "minitf/runtime/placer.h"

namespace minitf {
namespace {

ThreadPool& ProcessInterOpThreads() {
  // Never destroyed: a session in a static object may outlive it.
  static auto* threads = new ThreadPool(0);
  return *threads;
}

// More than the largest machines have cores; the system refuses many more.
constexpr int kMaxThreads = 1024;

// A pool of `num_threads`, or `shared` if that is 0.
std::shared_ptr<ThreadPool> OwnOrShared(int num_threads, ThreadPool& (*shared)()) {
  Require(num_threads <= kMaxThreads, "a session has at most ", kMaxThreads,
          " threads of a kind, got ", num_threads);
  if (num_threads != 0) return std::make_shared<ThreadPool>(std::max(num_threads, 1));
  return {std::shared_ptr<void>(), &shared()};
}

void AppendNumber(int number, std::string* key) {
  key->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

// Equal for equal requests and for no others.
std::string KeyOf(const RunRequest& request) {
  std::string key;
  // LAB(03.5) begin: append to `key` all that tells `request` from other ones
  // All numbers have one length, and how many outputs of each kind there are stands in
  // front.
  for (const auto* outputs : {&request.feeds, &request.fetches}) {
    AppendNumber(static_cast<int>(outputs->size()), &key);
    for (const Output& output : *outputs) {
      AppendNumber(output.node->id(), &key);
      AppendNumber(output.index, &key);
    }
  }
  for (const Node* target : request.targets) AppendNumber(target->id(), &key);
  if (request.as_built) key.push_back('=');
  // LAB(03.5) end
  return key;
}

// Each node in the order given, with how often it had been changed.
std::vector<int> EditsOf(const std::vector<const Node*>& nodes) {
  std::vector<int> edits;
  edits.reserve(nodes.size());
  for (const Node* node : nodes) edits.push_back(node->num_edits());
  return edits;
}

// The nodes of the user's graph that a step stands on: those copied, and those fed.
std::vector<const Node*> SourcesOf(const RunRequest& request, const Graph& copy) {
  std::vector<const Node*> sources;
  // LAB(03.6) begin: add the nodes of the user's graph on which the step stands
  for (const Node* node : copy.nodes()) {
    if (node->source() != nullptr) sources.push_back(node->source());
  }
  for (const Output& feed : request.feeds) sources.push_back(feed.node);
  // LAB(03.6) end
  return sources;
}

DeviceOptions WithSession(DeviceOptions options, ThreadPool* threads,
                          ResourceManager* resources) {
  options.threads = threads;
  options.resources = resources;
  return options;
}

// Asks for a kernel by its label for each node of `graph` that does not ask for one.
void AskForKernels(const std::map<std::string, std::string, std::less<>>& labels,
                   Graph* graph) {
  if (labels.empty()) return;
  for (Node* node : graph->nodes()) {
    const auto found = labels.find(node->type());
    if (found == labels.end() || node->attrs().Find("_kernel") != nullptr) continue;
    graph->SetAttr(node, "_kernel", found->second);
  }
}

}  // namespace

// What has been worked out for a request, and the state of the graph that it holds for.
struct Session::Compiled {
  struct Feed {
    std::string name;
    FeedType type;

    void Check(const Tensor& value) const {
      Require(value.dtype() == type.dtype, "Cannot feed value of type ", value.dtype(),
              " for Tensor '", name, "', which has type ", type.dtype);
      Require(type.shape.IsCompatibleWith(value.shape()), "Cannot feed value of shape ",
              value.shape(), " for Tensor '", name, "', which has shape '", type.shape,
              "'");
    }
  };

  Compiled(Session* session, const RunRequest& request)
      : num_graph_edits(session->graph_->num_edits()) {
    StepGraph copy = MakeStepGraph(request);
    sources = SourcesOf(request, *copy.graph);
    edits = EditsOf(sources);
    for (const Output& feed : request.feeds) {
      feeds.push_back({feed.name(), TypeOfFeed(feed)});
    }
    const SessionOptions& options = session->options_;
    AskForKernels(options.kernel_labels, copy.graph.get());
    const LocalDevices& devices = session->devices_;
    PrepareOptions prepare{options.allow_soft_placement, options.passes};
    prepare.passes.cpu = &devices.host().context();
    if (request.as_built) prepare.passes.enabled = false;
    if (options.log_device_placement) prepare.placement_log = &std::cerr;
    step = PrepareStep(std::move(copy), devices.set(), prepare);
    executor = MakeExecutor(step, {&devices, session->inter_op_threads_.get(),
                                   &session->kernels_, options.memory_plan});
  }

  mutable std::atomic<int64_t> num_graph_edits;
  std::vector<const Node*> sources;
  std::vector<int> edits;  // of `sources`
  std::vector<Feed> feeds;
  PreparedStep step;
  std::unique_ptr<Executor> executor;
};

Session::Session(std::shared_ptr<Graph> graph, const SessionOptions& options)
    : options_(options),
      graph_(std::move(graph)),
      intra_op_threads_(OwnOrShared(options.intra_op_threads, ProcessThreads)),
      inter_op_threads_(OwnOrShared(options.inter_op_threads, ProcessInterOpThreads)),
      devices_(WithSession(options.devices, intra_op_threads_.get(), &resources_)) {
  if (options.log_device_placement) {
    std::cerr << DeviceMappingText(devices_.set()) << std::flush;
  }
}

Session::~Session() { Close(); }

void Session::RequireOpen() const {
  if (is_closed_) throw Error(errors::FailedPrecondition(kSessionClosed));
  if (cancellation_.is_cancelled()) throw Error(errors::Cancelled("runs are cancelled"));
}

void Session::RequireInGraph(const RunRequest& request) const {
  const auto check = [this](const Node* node, std::string_view what) {
    Require(node != nullptr, "a ", what, " is missing");
    if (&node->graph() == graph_.get()) return;
    throw Error(errors::InvalidArgument("node ", node->Describe(), ", a ", what,
                                        ", is not an element of the session's graph"));
  };
  for (const Output& feed : request.feeds) check(feed.node, "feed");
  for (const Output& fetch : request.fetches) check(fetch.node, "fetch");
  for (const Node* target : request.targets) check(target, "target");

  std::vector<Output> feeds = request.feeds;
  std::ranges::sort(feeds, {}, [](const Output& feed) {
    return std::pair(feed.node->id(), feed.index);
  });
  const auto twice = std::ranges::adjacent_find(feeds);
  Require(twice == feeds.end(), "Tensor '", twice == feeds.end() ? "" : twice->name(),
          "' is fed twice");
}

std::shared_ptr<Session::Callable> Session::Prepare(const RunRequest& request) {
  RequireOpen();
  RequireInGraph(request);
  std::shared_ptr<Callable> callable;
  {
    const std::lock_guard lock(mutex_);
    auto& entry = callables_[KeyOf(request)];
    if (entry == nullptr) entry.reset(new Callable(this, request));
    callable = entry;
  }
  // Not under mutex_: other requests need not wait for this one.
  const std::shared_lock running(running_);
  RequireOpen();
  CompiledFor(*callable);
  return callable;
}

// Requires: running_ is held shared, the session is open.
std::shared_ptr<const Session::Compiled> Session::CompiledFor(const Callable& callable) {
  // What is replaced is freed when no lock is held: to free a tensor may take Python's
  // lock, and the thread that has it may be waiting for one of these.
  std::shared_ptr<const Compiled> replaced;
  const std::lock_guard lock(callable.mutex_);
  auto& compiled = callable.compiled_;
  const int64_t num_edits = graph_->num_edits();
  if (compiled != nullptr && compiled->num_graph_edits == num_edits) return compiled;

  // Some node has changed since; only those that this request runs matter.
  const std::shared_lock reading(graph_->mutex());
  // LAB(03.6) begin: return `compiled` if there is one that still holds
  if (compiled != nullptr && compiled->edits == EditsOf(compiled->sources)) {
    compiled->num_graph_edits = num_edits;
    return compiled;
  }
  // LAB(03.6) end
  replaced =
      std::exchange(compiled, std::make_shared<const Compiled>(this, callable.request_));
  ++num_executors_made_;
  return compiled;
}

std::vector<Tensor> Session::Run(const Callable& callable, std::span<const Tensor> feeds,
                                 const RunOptions& options) {
  RequireOpen();
  Require(callable.session_ == this, "the callable belongs to another session");
  const std::shared_lock running(running_);
  RequireOpen();
  const auto compiled = CompiledFor(callable);

  Require(feeds.size() == compiled->feeds.size(), "needs ", compiled->feeds.size(),
          " feeds, got ", feeds.size());
  for (size_t i = 0; i < feeds.size(); ++i) compiled->feeds[i].Check(feeds[i]);
  StepOptions step;
  const int64_t timeout_ms =
      options.timeout_ms > 0 ? options.timeout_ms : options_.operation_timeout_ms;
  if (timeout_ms > 0) {
    step.deadline = StepOptions::Clock::now() + std::chrono::milliseconds(timeout_ms);
  }
  step.should_stop = options.should_stop;
  step.observer = options.observer;
  step.cancellation = &cancellation_;
  std::shared_ptr<Rendezvous> rendezvous;
  if (compiled->executor->plan().has_transfers) {
    rendezvous = NewIntraProcessRendezvous(devices_);
    step.rendezvous = rendezvous.get();
  }
  std::vector<Tensor> fetches;
  ThrowIfError(compiled->executor->Run(feeds, step, &fetches));
  return fetches;
}

std::vector<const Graph*> Session::PartitionGraphs(const Callable& callable) {
  RequireOpen();
  const std::shared_lock running(running_);
  return CompiledFor(callable)->step.graphs();
}

bool Session::IsIdle() {
  const std::unique_lock alone(running_, std::try_to_lock);
  return alone.owns_lock();
}

void Session::Close() {
  is_closed_ = true;
  cancellation_.StartCancel();
  // As in CompiledFor, things go when no lock is held.
  std::vector<std::shared_ptr<const Compiled>> closed;
  {
    const std::unique_lock alone(running_);
    const std::lock_guard lock(mutex_);
    for (auto& [key, callable] : callables_) {
      // Others may still hold a callable; only what it holds goes now.
      const std::lock_guard callable_lock(callable->mutex_);
      closed.push_back(std::exchange(callable->compiled_, nullptr));
    }
    callables_.clear();
  }
  closed.clear();
  kernels_.Clear();
  resources_.ClearAll();
}

}  // namespace minitf
