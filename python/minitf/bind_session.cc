// Sessions in Python: what is asked for is prepared once; a step passes arrays in and
// out.
//
// A step takes an array as it is when its dtype and shape fit, without copying it.
// Anything else goes to a Python function that makes a fitting array of it or says why
// that cannot be done (python/minitf/session.py). Other Python threads run while the step
// does.
//
// Compare    tensorflow/python/client/tf_session_helper.cc
// Read next  python/minitf/session.py

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "minitf/runtime/session.h"
#include "minitf/runtime/session_config.h"
#include "python/minitf/bind.h"
#include "python/minitf/eager_tensor.h"
#include "python/minitf/gil.h"
#include "python/minitf/graph_bridge.h"
#include "python/minitf/numpy_bridge.h"

namespace py = pybind11;

namespace minitf {

namespace {

struct FedTensor {
  DType dtype;
  PartialShape shape;
};

// What Session.make_callable and the cache of Session.run hold on to.
class PreparedRun {
 public:
  PreparedRun(std::shared_ptr<Session> session, const RunRequest& request)
      : session_(std::move(session)), callable_(session_->Prepare(request)) {
    for (const Output& feed : request.feeds)
      feeds_.push_back({feed.dtype(), feed.shape()});
  }

  // One step. convert(i, value) makes an array of a value that is none, or does not fit.
  py::list Run(const py::sequence& values, const py::function& convert) const {
    Require(values.size() == feeds_.size(), feeds_.size(), " values are to be fed, ",
            values.size(), " came");
    std::vector<Tensor> feeds;
    feeds.reserve(feeds_.size());
    for (size_t i = 0; i < feeds_.size(); ++i)
      feeds.push_back(FeedOf(i, values[i], convert));

    std::vector<Tensor> fetches;
    {
      const GilReleased others_may_run;
      fetches = session_->Run(*callable_, feeds);
      feeds.clear();
    }
    py::list results(fetches.size());
    for (size_t i = 0; i < fetches.size(); ++i)
      results[i] = ArrayFromTensor(std::move(fetches[i]), Sharing::kNever);
    return results;
  }

 private:
  Tensor FeedOf(size_t i, const py::object& value, const py::function& convert) const {
    if (py::isinstance<py::array>(value)) {
      const auto array = py::reinterpret_borrow<py::array>(value);
      if (Fits(feeds_[i], array)) return TensorFromArray(array);
    }
    return TensorFromArray(convert(i, value));
  }

  static bool Fits(const FedTensor& fed, const py::array& array) {
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
  std::vector<FedTensor> feeds_;
};

std::shared_ptr<PreparedRun> Prepare(const std::shared_ptr<Session>& session,
                                     const std::vector<int64_t>& feeds,
                                     const std::vector<int64_t>& fetches,
                                     const std::vector<int64_t>& targets) {
  const Graph& graph = session->graph();
  return std::make_shared<PreparedRun>(
      session, RunRequest{OutputsOf(graph, feeds), OutputsOf(graph, fetches),
                          NodesOf(graph, targets)});
}

}  // namespace

void BindSession(py::module_& module) {
  py::class_<PreparedRun, std::shared_ptr<PreparedRun>>(module, "PreparedRun")
      .def("run", &PreparedRun::Run);

  py::class_<Session, std::shared_ptr<Session>>(module, "SessionCore")
      .def(py::init([](std::shared_ptr<Graph> graph, std::string_view config) {
        return std::make_shared<Session>(std::move(graph),
                                         SessionOptionsFromConfig(config));
      }))
      .def("prepare", &Prepare)
      .def("device_names", &DeviceNames)
      .def("close", &Session::Close, py::call_guard<GilReleased>())
      .def_property_readonly("num_executors_made", &Session::num_executors_made);
}

}  // namespace minitf
