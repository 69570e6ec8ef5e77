// What cases of lab 03 call in C++: graphs by scripts, their orders and copies; steps
// that are driven by hand, without kernels; steps that an executor runs, watched;
// sessions.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "minitf/base/caught.h"
#include "minitf/framework/resource.h"
#include "minitf/graph/topological_order.h"
#include "minitf/runtime/executor/executor.h"
#include "minitf/runtime/executor/propagator.h"
#include "minitf/runtime/executor/step_observer.h"
#include "minitf/runtime/session.h"
#include "python/bindings/gil.h"
#include "tests/labs/graph_script.h"

namespace minitf {
namespace {

namespace py = pybind11;
using Clock = std::chrono::steady_clock;

Names Order(const py::list& nodes, const Numbers& chosen) {
  const auto graph = GraphOf(nodes);
  return NamesOf(TopologicalOrder(NodesAt(*graph, chosen)));
}

Names AncestorsOf(const py::list& nodes, const Numbers& targets, const Edges& fed) {
  const auto graph = GraphOf(nodes);
  return NamesOf(Ancestors(NodesAt(*graph, targets), OutputsAt(*graph, fed)));
}

// Each node of the copy with its op and what it takes and waits for; which of them give
// feeds, take fetches and are targets; and how many nodes the user's graph has then.
py::dict StepOf(const py::list& nodes, const py::dict& request) {
  const auto graph = GraphOf(nodes);
  const StepGraph step = MakeStepGraph(RequestOf(*graph, request));
  py::list copies;
  for (const Node* node : step.graph->nodes()) {
    Names inputs;
    for (const Output& input : node->inputs()) inputs.push_back(input.name());
    copies.append(py::make_tuple(node->name(), node->type(), inputs,
                                 NamesOf(node->control_inputs())));
  }
  py::dict result;
  result["nodes"] = copies;
  result["args"] = NamesOf(step.args);
  result["retvals"] = NamesOf(step.retvals);
  result["targets"] = NamesOf(step.targets);
  result["num_user_nodes"] = graph->nodes().size();
  return result;
}

// ---- Driving by hand ------------------------------------------------------------------

// What a step is compiled to, and what it computes with.
struct Compiled {
  Compiled(const py::list& nodes, const py::dict& request)
      : graph(GraphOf(nodes)),
        requested(RequestOf(*graph, request)),
        step(MakeStepGraph(requested)) {}

  std::vector<PlacedGraph> placed() const {
    return {{step.graph.get(), &device, Device::kCpu, "CPU"}};
  }
  int num_feeds() const { return static_cast<int>(requested.feeds.size()); }
  int num_fetches() const { return static_cast<int>(requested.fetches.size()); }

  const std::shared_ptr<Graph> graph;
  const RunRequest requested;
  const StepGraph step;
  ResourceManager resources;
  DeviceContext device{&CpuAllocator(), &ProcessThreads(), &resources, nullptr};
  KernelCache kernels;
};

double NumberIn(const Tensor& tensor) {
  return tensor.has_value() ? tensor.scalar<double>() : -1;
}

int64_t BytesInUse() { return CpuAllocator().stats().bytes_in_use; }

class Drive {
 public:
  Drive(const py::list& nodes, const py::dict& request, bool is_shared)
      : compiled_(nodes, request),
        plan_(compiled_.placed(), compiled_.num_feeds(), compiled_.num_fetches(),
              &compiled_.kernels),
        propagator_(plan_, is_shared) {}

  // One step. A move is a node that is ready, and what comes out of it. Returns what is
  // ready first, and for each move what the node's inputs were, what it made ready, and
  // how many of its outputs were left behind. Without `ends` the step is given up after
  // the moves, else the fetches come last.
  py::list Step(const std::vector<double>& feeds,
                const std::vector<std::pair<std::string, std::vector<double>>>& moves,
                bool ends) {
    std::vector<Tensor> fed;
    for (const double feed : feeds) fed.push_back(Tensor::Scalar(feed));
    Propagator::Ready ready;
    waiting_.clear();
    propagator_.Begin(fed, &ready);
    py::list result;
    result.append(Note(ready));
    for (const auto& [name, outputs] : moves) result.append(Move(name, outputs));
    if (!ends) {
      propagator_.Clear();
      return result;
    }
    std::vector<Tensor> fetches;
    const Status status = propagator_.TakeFetches(&fetches);
    result.append(ResultOf(status, std::move(fetches)));
    return result;
  }

 private:
  py::tuple Move(const std::string& name, const std::vector<double>& outputs) {
    const auto found = waiting_.find(name);
    Require(found != waiting_.end(), name, " is not ready");
    const ReadyNode node = found->second;
    waiting_.erase(found);
    std::vector<double> inputs;
    for (Tensor& input : propagator_.InputsOf(node)) {
      inputs.push_back(NumberIn(input));
      input.Reset();
    }
    std::vector<Tensor> tensors;
    for (const double output : outputs) tensors.push_back(Tensor::Scalar(output));
    Propagator::Ready ready;
    propagator_.PassOn(node, tensors, &ready);
    const auto num_left = std::ranges::count_if(tensors, &Tensor::has_value);
    return py::make_tuple(inputs, Note(ready), num_left);
  }

  Names Note(const Propagator::Ready& ready) {
    Names names;
    for (const ReadyNode& node : ready) {
      names.push_back(plan_.graph_nodes[node.node]->name());
      waiting_[names.back()] = node;
    }
    return names;
  }

  Compiled compiled_;
  const ExecutorPlan plan_;
  Propagator propagator_;
  std::map<std::string, ReadyNode> waiting_;
};

// The steps of a script, and how many bytes more are in use after them than before.
py::tuple DriveSteps(const py::list& nodes, const py::dict& request, bool is_shared,
                     const py::list& steps) {
  Drive drive(nodes, request, is_shared);
  const int64_t before = BytesInUse();
  py::list results;
  for (const py::handle step : steps) {
    const auto dict = step.cast<py::dict>();
    results.append(drive.Step(
        MemberOf<std::vector<double>>(dict, "feeds"),
        MemberOf<std::vector<std::pair<std::string, std::vector<double>>>>(dict, "moves"),
        MemberOf<bool>(dict, "ends")));
  }
  return py::make_tuple(results, BytesInUse() - before);
}

// All roots are passed on at once, by so many threads. Returns how often something became
// ready in each of `times` steps.
std::vector<int> PassOnAtOnce(const py::list& nodes, const py::dict& request,
                              int num_threads, int times) {
  Compiled compiled(nodes, request);
  const ExecutorPlan plan(compiled.placed(), compiled.num_feeds(), compiled.num_fetches(),
                          &compiled.kernels);
  Propagator propagator(plan, /*is_shared=*/true);
  const GilReleased others_may_run;
  std::vector<int> counts;
  for (int step = 0; step < times; ++step) {
    Propagator::Ready roots;
    propagator.Begin({}, &roots);
    std::atomic<int> num_ready = 0;
    std::atomic<int> num_there = 0;
    const auto pass_on = [&](int first) {
      Propagator::Ready ready;
      std::vector<Tensor> outputs(1);
      ++num_there;
      while (num_there < num_threads) {
      }
      for (size_t i = first; i < roots.size(); i += num_threads) {
        outputs[0] = Tensor::Scalar(1.0);
        propagator.PassOn(roots[i], outputs, &ready);
      }
      num_ready += static_cast<int>(ready.size());
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < num_threads; ++t) threads.emplace_back(pass_on, t);
    for (std::thread& thread : threads) thread.join();
    counts.push_back(num_ready);
    propagator.Clear();
  }
  return counts;
}

// ---- Running --------------------------------------------------------------------------

std::set<std::string> AsSet(const Names& names) { return {names.begin(), names.end()}; }

// Sees which nodes run, and does at some of them what a case asks for.
class Watch final : public StepObserver {
 public:
  Watch(const py::dict& options, CancellationManager* cancellation)
      : meet_(AsSet(MemberOf<Names>(options, "meet"))),
        cancel_at_(MemberOf<std::string>(options, "cancel_at")),
        sleep_ms_(MemberOf<std::map<std::string, int>>(options, "sleep_ms")),
        cancellation_(cancellation) {}

  void NodeStarts(const Node& node, std::span<const Tensor>) override {
    {
      std::unique_lock lock(mutex_);
      started_.push_back(node.name());
      if (meet_.contains(node.name())) {
        met_.insert(node.name());
        all_there_.notify_all();
        // Those that never run at once are waited for so long, once.
        const auto limit = std::chrono::milliseconds(has_missed_ ? 0 : 1500);
        has_missed_ |=
            !all_there_.wait_for(lock, limit, [this] { return met_ == meet_; });
      }
    }
    if (const auto sleep = sleep_ms_.find(node.name()); sleep != sleep_ms_.end()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(sleep->second));
    }
    if (node.name() == cancel_at_) cancellation_->StartCancel();
  }

  void NodeEnds(const NodeRun& run) override {
    const std::lock_guard lock(mutex_);
    ended_.push_back(run.node.name());
    threads_.push_back(run.thread);
  }

  void AddTo(py::dict* result) const {
    (*result)["started"] = started_;
    (*result)["ended"] = ended_;
    (*result)["threads"] = threads_;
    (*result)["met"] = !has_missed_ && met_ == meet_;
  }

 private:
  const std::set<std::string> meet_;
  const std::string cancel_at_;
  const std::map<std::string, int> sleep_ms_;
  CancellationManager* const cancellation_;
  std::mutex mutex_;
  std::condition_variable all_there_;
  std::vector<std::string> started_;
  std::vector<std::string> ended_;
  std::vector<int> threads_;  // in which those that ended ran
  std::set<std::string> met_;
  bool has_missed_ = false;
};

// Cancels when its time has come, unless it goes before.
class CancelLater {
 public:
  CancelLater(CancellationManager* cancellation, int ms)
      : thread_([this, cancellation, ms] {
          std::unique_lock lock(mutex_);
          const auto limit = std::chrono::milliseconds(ms);
          if (!over_.wait_for(lock, limit, [this] { return is_over_; })) {
            lock.unlock();
            cancellation->StartCancel();
          }
        }) {}
  ~CancelLater() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    over_.notify_all();
    thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread thread_;
};

// Keeps all threads of a pool at work until it goes, so that no helper comes.
class Occupied {
 public:
  explicit Occupied(ThreadPool* pool) {
    for (int i = 0; i < pool->num_threads(); ++i) {
      pool->Schedule([state = state_] {
        std::unique_lock lock(state->mutex);
        ++state->num_there;
        state->changed.notify_all();
        state->changed.wait(lock, [&] { return state->is_over; });
      });
    }
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [&] { return state_->num_there == pool->num_threads(); });
  }
  ~Occupied() {
    const std::lock_guard lock(state_->mutex);
    state_->is_over = true;
    state_->changed.notify_all();
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    int num_there = 0;
    bool is_over = false;
  };

  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

// One executor, which runs the steps of a script one after the other.
class Runner {
 public:
  Runner(const py::list& nodes, const py::dict& request, int num_threads)
      : compiled_(nodes, request),
        pool_(num_threads),
        executor_(compiled_.placed(), compiled_.num_feeds(), compiled_.num_fetches(),
                  &pool_, &compiled_.kernels) {}

  // One step; `dict` says what is fed, and how it is to be ended before its time.
  py::dict Step(const py::dict& dict) {
    auto cancellation = std::make_unique<CancellationManager>();
    Watch watch(dict, cancellation.get());
    StepOptions options;
    options.observer = MemberOf<bool>(dict, "watch") ? &watch : nullptr;
    if (!MemberOf<bool>(dict, "alone")) options.cancellation = cancellation.get();
    std::atomic<int> num_questions = 0;
    const auto stop_after = MemberOf<std::optional<int>>(dict, "stop_after");
    if (stop_after) {
      options.should_stop = [&] { return ++num_questions > *stop_after; };
    }
    if (MemberOf<bool>(dict, "cancelled")) cancellation->StartCancel();
    std::shared_ptr<Rendezvous> rendezvous;
    if (MemberOf<bool>(dict, "transfers")) rendezvous = NewLocalRendezvous();
    options.rendezvous = rendezvous.get();
    const auto feeds = TensorsOf(MemberOf<std::vector<py::array>>(dict, "feeds"));
    const auto cancel_ms = MemberOf<std::optional<int>>(dict, "cancel_ms");
    const auto deadline_ms = MemberOf<std::optional<int>>(dict, "deadline_ms");

    const bool is_occupied = MemberOf<bool>(dict, "occupied");

    std::vector<Tensor> fetches;
    Status status;
    const auto start = Clock::now();
    {
      const GilReleased others_may_run;
      std::optional<CancelLater> later;
      std::optional<Occupied> occupied;
      if (is_occupied) occupied.emplace(&pool_);
      if (cancel_ms) later.emplace(cancellation.get(), *cancel_ms);
      if (deadline_ms) options.deadline = start + std::chrono::milliseconds(*deadline_ms);
      status = executor_.Run(feeds, options, &fetches);
    }
    const std::chrono::duration<double, std::milli> taken = Clock::now() - start;
    // What outlives a step must not reach into a later one.
    cancellation->StartCancel();
    py::dict result = ResultOf(status, std::move(fetches));
    result["ms"] = taken.count();
    if (rendezvous != nullptr) {
      result["sent"] =
          rendezvous->Send(Rendezvous::ParsedKey(), {}, Tensor::Scalar(1.0), false)
              .message();
    }
    watch.AddTo(&result);
    return result;
  }

 private:
  Compiled compiled_;
  ThreadPool pool_;
  Executor executor_;
};

// What became of each step, and how many bytes more are in use in the end than before.
py::tuple Run(const py::list& nodes, const py::dict& request, int num_threads,
              const py::list& steps) {
  Runner runner(nodes, request, num_threads);
  py::list results;
  const int64_t before = BytesInUse();
  for (const py::handle step : steps) results.append(runner.Step(step.cast<py::dict>()));
  return py::make_tuple(results, BytesInUse() - before);
}

// ---- Sessions -------------------------------------------------------------------------

// Runs and changes of the graph, one after the other. For each run: what became of it,
// and how many executors there have been by then.
py::list SessionOf(const py::list& nodes, const py::list& actions) {
  const auto graph = GraphOf(nodes);
  Session session(graph, {});
  std::map<int, std::shared_ptr<Session::Callable>> kept;
  py::list results;
  for (const py::handle handle : actions) {
    const auto action = handle.cast<py::dict>();
    const auto what = MemberOf<std::string>(action, "do");
    const auto at = MemberOf<int>(action, "node");
    if (what == "set") {
      graph->SetAttr(graph->node(at), "value",
                     TensorFromArray(action["value"].cast<py::array>()).Clone());
    } else if (what == "input") {
      graph->UpdateInput(graph->node(at), MemberOf<int>(action, "input"),
                         OutputAt(*graph, MemberOf<Edge>(action, "from")));
    } else if (what == "control") {
      graph->AddControlInput(graph->node(at), graph->node(MemberOf<int>(action, "from")));
    } else if (what == "shape") {
      graph->MergeOutputShape(
          graph->node(at)->output(0),
          PartialShape(MemberOf<std::vector<int64_t>>(action, "shape")));
    } else if (what == "add") {
      AddScriptNode(action["new"].cast<py::dict>(), graph.get());
    } else {
      std::vector<Tensor> fetches;
      Status status;
      try {
        // A callable that is kept is not looked up again.
        const auto key = MemberOf<int>(action, "keep");
        auto callable = key > 0 ? kept[key] : nullptr;
        if (callable == nullptr) callable = session.Prepare(RequestOf(*graph, action));
        if (key > 0) kept[key] = callable;
        fetches = session.Run(
            *callable, TensorsOf(MemberOf<std::vector<py::array>>(action, "values")));
      } catch (const Error& error) {
        status = error.status();
      }
      results.append(py::make_tuple(ResultOf(status, std::move(fetches)),
                                    session.num_executors_made()));
    }
  }
  return results;
}

}  // namespace
}  // namespace minitf

PYBIND11_MODULE(lab_03_driver, module) {
  module.def("order", &minitf::Order);
  module.def("ancestors", &minitf::AncestorsOf);
  module.def("step", &minitf::StepOf);
  module.def("drive", &minitf::DriveSteps);
  module.def("pass_on_at_once", &minitf::PassOnAtOnce);
  module.def("run", &minitf::Run);
  module.def("session", &minitf::SessionOf);
}
