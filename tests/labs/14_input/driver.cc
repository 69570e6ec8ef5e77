// What cases of lab 14 call in C++: checksums, Examples, queues by scripts of events, and
// the pixels of which images are made.

#include <atomic>
#include <chrono>
#include <exception>
#include <fcntl.h>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <sys/ioctl.h>
#include <thread>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "minitf/base/status.h"
#include "minitf/contrib/image/image_scale.h"
#include "minitf/framework/cancellation.h"
#include "minitf/io/messages/example_wire.h"
#include "minitf/io/queues/queues.h"
#include "minitf/io/records/crc32c.h"
#include "minitf/io/records/record_file.h"

namespace minitf {
namespace {

namespace py = pybind11;

// ---- Checksums and Examples -----------------------------------------------------------

// Of the bytes from `begin` on, wherever in memory that is.
uint32_t Checksum(uint32_t start, const py::bytes& data, size_t begin) {
  return ExtendCrc32c(start, std::string_view(data).substr(begin));
}

// Writes `data` to the pipe at `path` in pieces of these sizes, over and over; each when
// the one before has been read. Ends early when `is_over`.
void FeedPipe(const std::string& path, std::string_view data,
              const std::vector<int64_t>& sizes, const std::atomic<bool>* is_over) {
  const int pipe = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  for (size_t i = 0; pipe >= 0 && !data.empty() && !*is_over; ++i) {
    const auto piece = data.substr(0, static_cast<size_t>(sizes[i % sizes.size()]));
    if (write(pipe, piece.data(), piece.size()) != std::ssize(piece)) break;
    data.remove_prefix(piece.size());
    int waiting = 1;
    while (waiting > 0 && !*is_over && ioctl(pipe, FIONREAD, &waiting) == 0)
      std::this_thread::yield();
  }
  if (pipe >= 0) close(pipe);
}

// Reads the records of a pipe at `path`, which gives `data` in pieces of these sizes.
// Returns them, and the error that ended it, or "".
std::pair<std::vector<py::bytes>, std::string> ReadPipe(
    const std::string& path, const std::string& compression, const std::string& data,
    const std::vector<int64_t>& sizes) {
  std::vector<std::string> found;
  std::string error;
  std::exception_ptr other;
  {
    const py::gil_scoped_release others_may_run;
    std::atomic<bool> is_over = false;
    std::thread source([&] { FeedPipe(path, data, sizes, &is_over); });
    try {
      RecordReader reader(path, CompressionFromName(compression));
      for (std::string record; reader.Read(&record);) found.push_back(record);
    } catch (const Error& raised) {
      error = raised.status().message();
    } catch (...) {
      other = std::current_exception();
    }
    is_over = true;
    source.join();
  }
  if (other) std::rethrow_exception(other);
  return {{found.begin(), found.end()}, error};
}

template <typename T>
py::object Values(const FeatureView& feature, int64_t count) {
  std::vector<T> values(static_cast<size_t>(count));
  if (!ReadValues(feature, std::span<T>(values))) return py::str("not read");
  py::list list;
  for (const T& value : values) {
    if constexpr (std::is_same_v<T, std::string>) {
      list.append(py::bytes(value));
    } else {
      list.append(value);
    }
  }
  return list;
}

// The kind of a feature, and its values; None in their place if they make no sense.
py::tuple Read(const FeatureView& feature) {
  int64_t count = 0;
  py::object values = py::none();
  if (CountValues(feature, &count)) {
    switch (feature.kind) {
      case FeatureKind::kBytes: values = Values<std::string>(feature, count); break;
      case FeatureKind::kFloats: values = Values<float>(feature, count); break;
      case FeatureKind::kInt64s: values = Values<int64_t>(feature, count); break;
      case FeatureKind::kNothing: values = py::list(); break;
    }
  }
  return py::make_tuple(static_cast<int>(feature.kind), values);
}

// The features of an Example, in order: (name, (kind, values)); None for other bytes.
py::object Example(const std::string& bytes) {
  std::vector<NamedFeature> features;
  if (!ReadExample(bytes, &features)) return py::none();
  py::list list;
  for (const auto& [name, feature] : features) {
    list.append(py::make_tuple(py::bytes(std::string(name)), Read(feature)));
  }
  return list;
}

using Named = std::tuple<std::string, int, py::list>;

py::bytes Written(const std::vector<Named>& features) {
  std::map<std::string, FeatureValues> values;
  for (const auto& [name, kind, list] : features) {
    switch (kind) {
      case 1: values[name] = list.cast<std::vector<std::string>>(); break;
      case 2: values[name] = list.cast<std::vector<float>>(); break;
      default: values[name] = list.cast<std::vector<int64_t>>(); break;
    }
  }
  return ExampleBytes(values);
}

// ---- Queues ---------------------------------------------------------------------------

// An element is a pair: a priority, which other queues keep as they do any number, and a
// number that tells it from others.
using Pair = std::pair<int64_t, int64_t>;

struct QueueOptions {
  std::string kind;
  int64_t capacity;
  int64_t min_after_dequeue;
  int64_t seed;
};

QueueSpec SpecOf(const QueueOptions& options) {
  QueueSpec spec;
  spec.kind = options.kind;
  spec.name = "q";
  spec.capacity = options.capacity;
  spec.element.dtypes = {DType::kInt64, DType::kInt64};
  spec.element.shapes = {PartialShape(Shape{}), PartialShape(Shape{})};
  spec.min_after_dequeue = options.min_after_dequeue;
  spec.seed = options.seed;
  return spec;
}

std::shared_ptr<Queue> MakeQueue(const QueueOptions& options) {
  const QueueSpec spec = SpecOf(options);
  if (options.kind == "FIFOQueue") return std::make_shared<FifoQueue>(spec);
  if (options.kind == "PriorityQueue") return std::make_shared<PriorityQueue>(spec);
  return std::make_shared<RandomShuffleQueue>(spec);
}

Element ElementOf(const Pair& pair) {
  return {Tensor::Scalar(pair.first), Tensor::Scalar(pair.second)};
}

Element BatchOf(const std::vector<Pair>& pairs) {
  const Shape shape({std::ssize(pairs)});
  Element batch{Tensor(DType::kInt64, shape), Tensor(DType::kInt64, shape)};
  for (size_t i = 0; i < pairs.size(); ++i) {
    batch[0].mutable_flat<int64_t>()[i] = pairs[i].first;
    batch[1].mutable_flat<int64_t>()[i] = pairs[i].second;
  }
  return batch;
}

std::vector<Pair> PairsOf(const Element& element) {
  std::vector<Pair> pairs;
  if (element.empty()) return pairs;
  for (int64_t i = 0; i < element[0].num_elements(); ++i) {
    pairs.emplace_back(element[0].flat<int64_t>()[i], element[1].flat<int64_t>()[i]);
  }
  return pairs;
}

// Whether an element, or a batch, is not of scalars: the shapes then, else nothing.
std::string WrongShapes(const Element& element, bool is_batch) {
  std::string shapes;
  for (const Tensor& tensor : element) {
    if (tensor.shape().rank() != (is_batch ? 1 : 0)) shapes += StrCat(tensor.shape());
  }
  return shapes;
}

// What a callback was told: whose it is, a code (0 is OK), a message, the elements; and
// what another thread sees meanwhile: the size of the queue, whether it is closed.
using Told =
    std::tuple<int64_t, int, std::string, std::vector<Pair>, std::pair<int64_t, bool>>;

// One thing that happens: its kind, the number of the attempt, a count, a flag, elements.
using Event = std::tuple<std::string, int64_t, int64_t, bool, std::vector<Pair>>;

// For each event how many elements the queue holds afterwards, whether it is closed, and
// what callbacks were told meanwhile, in order.
using Found = std::vector<std::tuple<int64_t, bool, std::vector<Told>>>;

// A queue, and what happens to it: first by a script, then by callbacks.
class Script {
 public:
  // `reactions` are what the callback of an attempt does; `is_watched` says whether
  // another thread looks at the queue in each callback.
  Script(const QueueOptions& options, std::map<int64_t, std::vector<Event>> reactions,
         bool is_watched)
      : queue_(MakeQueue(options)),
        reactions_(std::move(reactions)),
        is_watched_(is_watched) {}

  Found Run(const std::vector<Event>& events) {
    Found found;
    for (const Event& event : events) {
      Do(event);
      found.emplace_back(queue_->size(), queue_->is_closed(), std::exchange(told_, {}));
    }
    // Whoever still waits has callbacks that point here.
    reactions_.clear();
    is_watched_ = false;
    for (auto& [id, manager] : managers_) manager.StartCancel();
    return found;
  }

 private:
  void Do(const Event& event) {
    const auto& [what, id, count, flag, pairs] = event;
    CancellationManager* manager = &managers_[id];
    const bool is_batch = what == "dequeue_many";
    const Queue::Done done = [this, number = id, is_batch](const Status& status,
                                                           const Element& element) {
      told_.emplace_back(number, static_cast<int>(status.code()),
                         status.message() + WrongShapes(element, is_batch),
                         PairsOf(element), Look());
      const std::vector<Event> next = std::exchange(reactions_[number], {});
      for (const Event& one : next) Do(one);
    };
    if (what == "enqueue") queue_->Enqueue(ElementOf(pairs.at(0)), manager, done);
    if (what == "enqueue_many") queue_->EnqueueMany(BatchOf(pairs), manager, done);
    if (what == "dequeue") queue_->Dequeue(manager, done);
    if (what == "dequeue_many") queue_->DequeueMany(count, flag, manager, done);
    if (what == "close") queue_->Close(flag, manager, done);
    if (what == "cancel") manager->StartCancel();
  }

  // The size of the queue, and whether it is closed; -1 if its lock is held.
  std::pair<int64_t, bool> Look() {
    if (!is_watched_) return {0, false};
    looks_.push_back(std::async(std::launch::async, [this] {
      return std::pair(queue_->size(), queue_->is_closed());
    }));
    if (looks_.back().wait_for(std::chrono::seconds(1)) == std::future_status::ready)
      return looks_.back().get();
    is_watched_ = false;  // once is enough
    reactions_.clear();
    return {-1, false};
  }

  const std::shared_ptr<Queue> queue_;
  std::map<int64_t, std::vector<Event>> reactions_;
  bool is_watched_;
  std::map<int64_t, CancellationManager> managers_;
  std::vector<Told> told_;
  std::vector<std::future<std::pair<int64_t, bool>>> looks_;
};

Found QueueEvents(const std::string& kind, int64_t capacity, int64_t min_after_dequeue,
                  int64_t seed, const std::vector<Event>& events,
                  std::map<int64_t, std::vector<Event>> reactions, bool is_watched) {
  const py::gil_scoped_release others_may_run;
  Script script({kind, capacity, min_after_dequeue, seed}, std::move(reactions),
                is_watched);
  return script.Run(events);
}

// A queue of which one can see what happens while its lock is held.
class WatchedQueue final : public FifoQueue {
 public:
  using FifoQueue::FifoQueue;
  std::function<void()> while_locked;  // is called once, by the next Put

 protected:
  void Put(Element element) override {
    if (const auto watch = std::exchange(while_locked, {})) watch();
    FifoQueue::Put(std::move(element));
  }
};

// While a queue for one element puts one in, another thread asks for its size, closes it
// at once, or gives up a call that waits. Returns whether that is done, and whether a
// callback is called, before the element is in.
std::pair<bool, bool> WhileLocked(const std::string& what) {
  const py::gil_scoped_release others_may_run;
  QueueSpec spec = SpecOf({"FIFOQueue", 1, 0, 7});
  const auto queue = std::make_shared<WatchedQueue>(spec);
  CancellationManager manager;
  std::atomic<bool> is_told = false;
  const Queue::Done done = [&](const Status&, const Element&) { is_told = true; };
  queue->Enqueue(ElementOf({0, 0}), nullptr, done);
  queue->Enqueue(ElementOf({0, 1}), nullptr, done);
  queue->Enqueue(ElementOf({0, 2}), &manager, done);
  is_told = false;
  std::future<void> other;
  std::pair<bool, bool> found;
  queue->while_locked = [&] {
    other = std::async(std::launch::async, [&] {
      if (what == "size") queue->size();
      if (what == "close") queue->Close(/*cancel_pending_enqueues=*/true, nullptr, done);
      if (what == "cancel") manager.StartCancel();
    });
    const auto wait = std::chrono::milliseconds(30);
    found.first = other.wait_for(wait) == std::future_status::ready;
    found.second = is_told;
  };
  queue->Dequeue(nullptr, done);
  if (other.valid()) other.get();
  manager.StartCancel();
  return found;
}

// ---- Images ---------------------------------------------------------------------------

// The taps of an axis: where those of each pixel begin, their places and weights.
py::tuple TapsOf(const std::string& method, int64_t in, int64_t out, bool align_corners,
                 bool half_pixel_centers) {
  const Taps taps = method == "area"
                        ? AreaTaps(in, out, align_corners)
                        : BilinearTaps(in, out, {align_corners, half_pixel_centers});
  return py::make_tuple(taps.first, taps.index, taps.weight);
}

}  // namespace
}  // namespace minitf

PYBIND11_MODULE(lab_14_driver, module) {
  module.def("checksum", &minitf::Checksum);
  module.def("read_pipe", &minitf::ReadPipe);
  module.def("example", &minitf::Example);
  module.def("written", &minitf::Written);
  module.def("queue_events", &minitf::QueueEvents);
  module.def("while_locked", &minitf::WhileLocked);
  module.def("taps", &minitf::TapsOf);
  module.def("nearest", [](int64_t in, int64_t out, bool corners, bool half) {
    return minitf::NearestPixels(in, out, {corners, half});
  });
}
