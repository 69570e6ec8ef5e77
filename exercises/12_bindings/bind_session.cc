// Sessions in Python: what is asked for is prepared once; a step passes arrays in and
// out.
//
// A step takes an array as it is when its dtype and shape fit, without copying it.
// Anything else goes to a Python function that makes a fitting array of it or says why
// that cannot be done (python/minitf/client/feeds.py). Other Python threads run while
// the step does.
//
// Exercise   exercises/12_bindings
// Compare    tensorflow/python/client/tf_session_helper.cc
// Read next  python/minitf/client/session.py

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "minitf/base/lab.h"
#include "minitf/base/logging.h"
#include "minitf/runtime/executor/step_trace.h"
#include "minitf/runtime/session.h"
#include "minitf/runtime/session_config.h"
#include "python/bindings/bind.h"
#include "python/bindings/eager_tensor.h"
#include "python/bindings/gil.h"
#include "python/bindings/graph_bridge.h"
#include "python/bindings/interrupts.h"
#include "python/bindings/numpy_bridge.h"

namespace py = pybind11;

namespace minitf {

namespace {

// All sessions there are, for the end of the program.
class LiveSessions {
 public:
  static LiveSessions& OfProcess() {
    static auto* const sessions = new LiveSessions;
    return *sessions;
  }

  void Add(const std::shared_ptr<Session>& session) {
    const std::lock_guard lock(mutex_);
    std::erase_if(sessions_, [](const auto& other) { return other.expired(); });
    sessions_.push_back(session);
  }

  std::vector<std::shared_ptr<Session>> All() {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Session>> all;
    for (const auto& session : sessions_) {
      if (auto alive = session.lock()) all.push_back(std::move(alive));
    }
    return all;
  }

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<Session>> sessions_;
};

// Called when Python ends, while all of it is still there. Daemon threads may be running
// steps: these are cancelled and waited for, since they must not go on while the process
// takes itself apart. The threads stay outside of Python then.
void EndSteps() {
  constexpr auto kPatience = std::chrono::seconds(2);
  thread_that_ends_python = std::this_thread::get_id();
  const auto sessions = LiveSessions::OfProcess().All();
  const GilReleased others_may_run;
  for (const auto& session : sessions) session->CancelRuns();
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (const auto& session : sessions) {
    while (!session->IsIdle() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

// Tells a Python object of every node that starts and ends. What it raises ends the step.
class PythonObserver final : public StepObserver {
 public:
  explicit PythonObserver(py::object observer) : observer_(std::move(observer)) {}

  void NodeStarts(const Node& node, std::span<const Tensor> inputs) override {
    const GilHeld held;
    observer_.attr("node_starts")(node.name(), node.type(), ArraysOf(inputs));
  }

  void NodeEnds(const NodeRun& run) override {
    const GilHeld held;
    observer_.attr("node_ends")(run.node.name(), run.node.type(), ArraysOf(run.outputs),
                                run.end_ns - run.start_ns, run.frame_iter.iter_id,
                                std::string(run.device));
  }

 private:
  // Copies: the step may write over what it owns. None for a tensor that is not there,
  // or that is no array, such as a handle.
  static py::list ArraysOf(std::span<const Tensor> tensors) {
    py::list arrays;
    for (const Tensor& tensor : tensors) {
      if (!tensor.has_value() || tensor.dtype() == DType::kResource) {
        arrays.append(py::none());
      } else {
        arrays.append(ArrayFromTensor(Tensor(tensor), Sharing::kNever));
      }
    }
    return arrays;
  }

  const py::object observer_;
};

// What Session.make_callable and the cache of Session.run hold on to.
class PreparedRun {
 public:
  PreparedRun(std::shared_ptr<Session> session, const RunRequest& request)
      : session_(std::move(session)), callable_(session_->Prepare(request)) {
    for (const Output& feed : request.feeds) feeds_.push_back(TypeOfFeed(feed));
  }

  // One step. convert(i, value) makes an array of a value that is none, or does not fit.
  py::list Run(const py::sequence& values, const py::function& convert) const {
    return RunWith(values, convert, {});
  }

  // As above, with a RunOptions message, and a RunMetadata message behind the results.
  py::tuple RunTraced(const py::sequence& values, const py::function& convert,
                      std::string_view message) const {
    const RunOptionsMessage parsed = ParseRunOptions(message);
    StepTrace trace;
    RunOptions options;
    options.timeout_ms = parsed.timeout_ms;
    if (parsed.traces) options.observer = &trace;
    const py::list results = RunWith(values, convert, std::move(options));
    std::vector<const Graph*> partitions;
    if (parsed.wants_partition_graphs) {
      partitions = session_->PartitionGraphs(*callable_);
    }
    return py::make_tuple(results, py::bytes(trace.Serialize(partitions)));
  }

  // One step that `observer`, a debugger, watches.
  py::list RunWatched(const py::sequence& values, const py::function& convert,
                      const py::object& observer) const {
    PythonObserver watcher(observer);
    RunOptions options;
    options.observer = &watcher;
    return RunWith(values, convert, std::move(options));
  }

 private:
  py::list RunWith(const py::sequence& values, const py::function& convert,
                   RunOptions options) const {
    VLOG(2) << "pybind11: run step with " << values.size() << " feeds";
    Require(values.size() == feeds_.size(), feeds_.size(), " values are to be fed, ",
            values.size(), " came");
    std::vector<Tensor> feeds;
    feeds.reserve(feeds_.size());
    for (size_t i = 0; i < feeds_.size(); ++i)
      feeds.push_back(FeedOf(i, values[i], convert));

    options.should_stop = InterruptCheck();
    std::vector<Tensor> fetches;
    // TODO(12.10) begin: run the step without Python's lock; prefer Python's exception
    MINITF_TODO("12.10");
    // TODO(12.10) end
    py::list results(fetches.size());
    for (size_t i = 0; i < fetches.size(); ++i)
      results[i] = ArrayFromTensor(std::move(fetches[i]), Sharing::kNever);
    return results;
  }

  Tensor FeedOf(size_t i, const py::object& value, const py::function& convert) const {
    if (py::isinstance<py::array>(value)) {
      const auto array = py::reinterpret_borrow<py::array>(value);
      if (Fits(feeds_[i], array)) return TensorFromArray(array);
    }
    return TensorFromArray(convert(i, value));
  }

  static bool Fits(const FeedType& fed, const py::array& array) {
    if (array.dtype().ptr() != NumpyDType(fed.dtype).ptr()) return false;
    if (!fed.shape.has_rank()) return true;
    if (fed.shape.rank() != array.ndim()) return false;
    for (int axis = 0; axis < fed.shape.rank(); ++axis) {
      const int64_t size = fed.shape.sizes()[axis];
      if (size != PartialShape::kUnknown && size != array.shape(axis)) return false;
    }
    return true;
  }

  std::shared_ptr<Session> session_;
  std::shared_ptr<Session::Callable> callable_;
  std::vector<FeedType> feeds_;
};

std::shared_ptr<PreparedRun> Prepare(const std::shared_ptr<Session>& session,
                                     const std::vector<int64_t>& feeds,
                                     const std::vector<int64_t>& fetches,
                                     const std::vector<int64_t>& targets, bool as_built) {
  const Graph& graph = session->graph();
  return std::make_shared<PreparedRun>(
      session, RunRequest{OutputsOf(graph, feeds), OutputsOf(graph, fetches),
                          NodesOf(graph, targets), as_built});
}

py::list DevicesOf(const Session& session) {
  py::list devices;
  for (const auto& device : session.devices().devices()) {
    const DeviceAttributes& attributes = device->attributes();
    devices.append(py::make_tuple(attributes.name, attributes.type,
                                  attributes.memory_limit, attributes.incarnation));
  }
  return devices;
}

}  // namespace

void BindSession(py::module_& module) {
  module.attr("SESSION_CLOSED") = kSessionClosed;
  py::class_<PreparedRun, std::shared_ptr<PreparedRun>>(module, "PreparedRun")
      .def("run", &PreparedRun::Run)
      .def("run_traced", &PreparedRun::RunTraced)
      .def("run_watched", &PreparedRun::RunWatched);

  py::class_<Session, std::shared_ptr<Session>>(module, "SessionCore")
      .def(py::init([](std::shared_ptr<Graph> graph, std::string_view config) {
        auto session =
            std::make_shared<Session>(std::move(graph), SessionOptionsFromConfig(config));
        LiveSessions::OfProcess().Add(session);
        return session;
      }))
      .def("prepare", &Prepare)
      .def("devices", &DevicesOf)
      .def("close", &Session::Close, py::call_guard<GilReleased>())
      .def_property_readonly("num_executors_made", &Session::num_executors_made);

  py::module_::import("atexit").attr("register")(py::cpp_function(&EndSteps));
}

}  // namespace minitf
