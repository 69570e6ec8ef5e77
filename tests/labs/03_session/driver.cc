// What cases of lab 03 call in C++: graphs by scripts, their orders and copies; steps
// that are driven by hand, without kernels; steps that an executor runs, watched;
// sessions.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <thread>

#include "minitf/base/caught.h"
#include "minitf/framework/resource.h"
#include "minitf/graph/topological_order.h"
#include "minitf/runtime/executor/executor.h"
#include "minitf/runtime/executor/propagator.h"
#include "minitf/runtime/executor/step_observer.h"
#include "minitf/runtime/session.h"
#include "python/bindings/gil.h"
#include "tests/labs/03_session/asking.h"
#include "tests/labs/03_session/passing_on.h"
#include "tests/labs/03_session/small_stack.h"
#include "tests/labs/03_session/step_ops.h"
#include "tests/labs/03_session/watch.h"
#include "tests/labs/graph_script.h"

namespace minitf {
namespace {

using Clock = std::chrono::steady_clock;

Names Order(const py::list& nodes, const Numbers& chosen) {
  const auto graph = GraphOf(nodes);
  return NamesOf(OnSmallStack(
      [&, from = NodesAt(*graph, chosen)] { return TopologicalOrder(from); }));
}

Names AncestorsOf(const py::list& nodes, const Numbers& targets, const Edges& fed) {
  const auto graph = GraphOf(nodes);
  const auto from = NodesAt(*graph, targets);
  const auto outputs = OutputsAt(*graph, fed);
  return NamesOf(OnSmallStack([&] { return Ancestors(from, outputs); }));
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
    for (const double feed : feeds) fed.push_back(Noted(Tensor::Scalar(feed)));
    Propagator::Ready ready = {kWasThere};
    waiting_.clear();
    propagator_.Begin(fed, &ready);
    const auto num_gone = fed.size() - std::ranges::count_if(fed, &Tensor::has_value);
    Require(num_gone == 0, "Begin has taken ", num_gone, " of the caller's feeds");
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
  // What is in *ready before it is added to.
  static constexpr ReadyNode kWasThere = {-1, false, nullptr};

  py::tuple Move(const std::string& name, const std::vector<double>& outputs) {
    const auto found = waiting_.find(name);
    Require(found != waiting_.end(), name, " is not ready");
    const ReadyNode node = found->second;
    waiting_.erase(found);
    std::vector<double> inputs;
    int num_others = 0;
    for (Tensor& input : propagator_.InputsOf(node)) {
      inputs.push_back(NumberIn(input));
      if (input.has_value()) num_others += !elements_.contains(input.data());
      input.Reset();
    }
    std::vector<Tensor> tensors;
    for (const double output : outputs) tensors.push_back(Noted(Tensor::Scalar(output)));
    Propagator::Ready ready = {kWasThere};
    propagator_.PassOn(node, tensors, &ready);
    const auto num_left = std::ranges::count_if(tensors, &Tensor::has_value);
    return py::make_tuple(inputs, Note(ready), num_left, num_others);
  }

  Tensor Noted(Tensor tensor) {
    elements_.insert(tensor.data());
    return tensor;
  }

  Names Note(const Propagator::Ready& ready) {
    Require(!ready.empty() && ready[0].node == kWasThere.node,
            "what was in *ready before the call is gone");
    Names names;
    for (const ReadyNode& node : std::span(ready).subspan(1)) {
      names.push_back(plan_.graph_nodes[node.node]->name());
      Require(!node.is_dead, names.back(), " is ready, and is said to be dead");
      waiting_[names.back()] = node;
    }
    return names;
  }

  Compiled compiled_;
  const ExecutorPlan plan_;
  Propagator propagator_;
  std::map<std::string, ReadyNode> waiting_;
  std::set<const void*> elements_;  // where those of feeds and outputs lie, or lay
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

// Roots that are passed on by several threads: see passing_on.h.
template <typename Function>
auto PassedOn(const py::list& nodes, const py::dict& request, const Function& pass_on) {
  Compiled compiled(nodes, request);
  const ExecutorPlan plan(compiled.placed(), compiled.num_feeds(), compiled.num_fetches(),
                          &compiled.kernels);
  const GilReleased others_may_run;
  return pass_on(plan);
}

auto AtOnce(const py::list& nodes, const py::dict& request, int num_threads, int times) {
  return PassedOn(nodes, request, [=](const ExecutorPlan& plan) {
    return PassOnAtOnce(plan, num_threads, times);
  });
}

auto InTurns(const py::list& nodes, const py::dict& request, int first) {
  return PassedOn(nodes, request,
                  [=](const ExecutorPlan& plan) { return PassOnInTurns(plan, first); });
}

// ---- Running --------------------------------------------------------------------------

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
    std::atomic<int> num_asked_elsewhere = 0;
    const auto stop_after = MemberOf<std::optional<int>>(dict, "stop_after");
    if (stop_after) {
      options.should_stop = [&] {
        num_asked_elsewhere += is_canceller;
        return ++num_questions > *stop_after;
      };
    }
    // Steps of others are cancelled along with this one, and it must leave them alone.
    int num_others_called = 0;
    const bool has_others = cancellation->RegisterCallback(
        cancellation->NewToken(), [&num_others_called] { ++num_others_called; });
    if (MemberOf<bool>(dict, "cancelled")) cancellation->StartCancel();
    const auto rendezvous = RendezvousFor(dict);
    options.rendezvous = rendezvous.get();
    bell_cancels = MemberOf<bool>(dict, "rings") ? cancellation.get() : nullptr;
    ring_ms = MemberOf<int>(dict, "ring_ms");
    num_rings = num_twins = 0;

    // A step that fails leaves none of these.
    std::vector<Tensor> fetches(3, Tensor::Scalar(-1.0));
    py::dict result;
    const Status status = RunTimed(dict, options, cancellation.get(), &fetches, &result);
    bell_cancels = nullptr;
    // What outlives a step must not reach into a later one.
    cancellation->StartCancel();
    for (const auto& member : ResultOf(status, std::move(fetches))) {
      result[member.first] = member.second;
    }
    result["others_called"] = has_others && num_others_called == 1;
    result["questions"] = num_questions.load();
    result["asked_elsewhere"] = num_asked_elsewhere.load();
    if (rendezvous != nullptr) {
      result["sent"] =
          rendezvous->Send(Rendezvous::ParsedKey(), {}, Tensor::Scalar(1.0), false)
              .message();
    }
    watch.AddTo(&result);
    return result;
  }

 private:
  static std::shared_ptr<Rendezvous> RendezvousFor(const py::dict& dict) {
    if (!MemberOf<bool>(dict, "transfers")) return nullptr;
    if (MemberOf<bool>(dict, "rings")) return std::make_shared<RingingRendezvous>();
    return NewLocalRendezvous();
  }

  // The step itself. Notes how long it took, and how much of that the caller was at work.
  Status RunTimed(const py::dict& dict, StepOptions options,
                  CancellationManager* cancellation, std::vector<Tensor>* fetches,
                  py::dict* result) {
    const auto feeds = TensorsOf(MemberOf<std::vector<py::array>>(dict, "feeds"));
    const auto cancel_ms = MemberOf<std::optional<int>>(dict, "cancel_ms");
    const auto deadline_ms = MemberOf<std::optional<int>>(dict, "deadline_ms");
    const bool is_occupied = MemberOf<bool>(dict, "occupied");
    Status status;
    int num_held = 0;
    const double cpu_start = CpuMs();
    const auto start = Clock::now();
    {
      const GilReleased others_may_run;
      std::optional<CancelLater> later;
      std::optional<Occupied> occupied;
      if (is_occupied) occupied.emplace(&pool_);
      if (cancel_ms) later.emplace(cancellation, *cancel_ms);
      if (deadline_ms) options.deadline = start + std::chrono::milliseconds(*deadline_ms);
      status = executor_.Run(feeds, options, fetches);
      num_held = num_slow;
    }
    const std::chrono::duration<double, std::milli> taken = Clock::now() - start;
    (*result)["ms"] = taken.count();
    (*result)["held"] = num_held;
    (*result)["cpu_ms"] = CpuMs() - cpu_start;
    return status;
  }

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

// Steps of one executor in several threads at once, each of which is fed numbers of its
// own. Returns what became of each. So it goes `times` times, with a new executor each.
py::list RunAtOnce(const py::list& nodes, const py::dict& request, int num_threads,
                   const std::vector<std::vector<double>>& fed, int times) {
  Compiled compiled(nodes, request);
  ThreadPool pool(num_threads);
  std::vector<std::pair<Status, std::vector<Tensor>>> results;
  {
    const GilReleased others_may_run;
    for (int i = 0; i < times; ++i) {
      Executor executor(compiled.placed(), compiled.num_feeds(), compiled.num_fetches(),
                        &pool, &compiled.kernels);
      const size_t begin = results.size();
      for (const auto& steps : fed) results.resize(results.size() + steps.size());
      std::vector<std::thread> callers;
      size_t at = begin;
      for (const std::vector<double>& steps : fed) {
        callers.emplace_back([&executor, &steps, result = &results[at]]() mutable {
          for (const double number : steps) {
            const Tensor feed = Tensor::Scalar(number);
            result->first = executor.Run({&feed, 1}, {}, &result->second);
            ++result;
          }
        });
        at += steps.size();
      }
      for (std::thread& caller : callers) caller.join();
    }
  }
  py::list list;
  for (auto& [status, fetches] : results) {
    list.append(ResultOf(status, std::move(fetches)));
  }
  return list;
}

// What the limits of a step say: as `Check` has it, or what it throws, and for how long a
// thread that waits may sleep.
py::dict LimitsOf(const py::dict& dict) {
  CancellationManager cancellation;
  StepOptions options;
  if (const auto ms = MemberOf<std::optional<int>>(dict, "deadline_ms")) {
    options.deadline = Clock::now() + std::chrono::milliseconds(*ms);
  }
  if (const auto stop = MemberOf<std::optional<bool>>(dict, "stop")) {
    options.should_stop = [stop] { return *stop; };
  }
  if (MemberOf<bool>(dict, "throws")) {
    options.should_stop = []() -> bool { throw Error(errors::DataLoss("no answer")); };
  }
  if (const auto is_cancelled = MemberOf<std::optional<bool>>(dict, "cancelled")) {
    options.cancellation = &cancellation;
    if (*is_cancelled) cancellation.StartCancel();
  }
  const StepLimits limits(options);
  Status status;
  try {
    status = limits.Check();
  } catch (const Error& error) {
    status = error.status();
  }
  py::dict result = ResultOf(status, {});
  const auto now = Clock::now();
  const auto until = limits.NextCheck();
  const std::chrono::duration<double, std::milli> left = until - now;
  const bool is_never = until == Clock::time_point::max();
  result["sleep_ms"] = is_never ? py::none() : py::object(py::float_(left.count()));
  return result;
}

// ---- Sessions -------------------------------------------------------------------------

// Runs and changes of the graph, one after the other. For each run: what became of it,
// how many executors there have been by then, and how many tensors it has freed with the
// graph locked.
py::list SessionOf(const py::list& nodes, const py::list& actions) {
  const auto graph = GraphOf(nodes);
  Session session(graph, {});
  Asking asking(graph.get());
  std::map<int, std::shared_ptr<Session::Callable>> kept;
  py::list results;
  for (const py::handle handle : actions) {
    const auto action = handle.cast<py::dict>();
    const auto what = MemberOf<std::string>(action, "do");
    const auto at = MemberOf<int>(action, "node");
    if (what == "set") {
      graph->SetAttr(graph->node(at), "value",
                     asking.Number(MemberOf<double>(action, "value")));
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
        const Asking::Run run(&asking);
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
                                    session.num_executors_made(), asking.num_locked()));
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
  module.def("pass_on_at_once", &minitf::AtOnce);
  module.def("pass_on_in_turns", &minitf::InTurns);
  module.def("run", &minitf::Run);
  module.def("run_at_once", &minitf::RunAtOnce);
  module.def("limits", &minitf::LimitsOf);
  module.def("session", &minitf::SessionOf);
}
