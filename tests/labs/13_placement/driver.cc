// What cases of lab 13 call in C++: names of devices; where the nodes of a graph go, and
// what is cut; steps on several devices; a rendezvous, by scripts and by many threads.

#include <atomic>
#include <chrono>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "minitf/framework/cancellation.h"
#include "minitf/framework/device_name.h"
#include "minitf/runtime/intra_process_rendezvous.h"
#include "minitf/runtime/partition.h"
#include "minitf/runtime/placer.h"
#include "minitf/runtime/session.h"
#include "python/bindings/gil.h"
#include "tests/labs/13_placement/rendezvous_ends.h"
#include "tests/labs/13_placement/rendezvous_script.h"
#include "tests/labs/13_placement/rendezvous_turns.h"
#include "tests/labs/13_placement/test_ops.h"
#include "tests/labs/13_placement/transfer.h"
#include "tests/labs/graph_script.h"

namespace minitf {
namespace {

namespace py = pybind11;

// Threads of which each may throw; the first error comes out of Join.
class Threads {
 public:
  ~Threads() { JoinAll(); }

  template <typename Work>
  void Start(Work work) {
    threads_.emplace_back([this, work = std::move(work)] {
      try {
        work();
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (error_ == nullptr) error_ = std::current_exception();
      }
    });
  }
  void Join() {
    JoinAll();
    if (error_ != nullptr) std::rethrow_exception(error_);
  }

 private:
  void JoinAll() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::exception_ptr error_;
};

// ---- Names ----------------------------------------------------------------------------

using Parts =
    std::tuple<std::optional<std::string>, std::optional<int>, std::optional<int>,
               std::optional<std::string>, std::optional<int>>;

Parts PartsOf(const DeviceName& name) {
  return {name.job, name.replica, name.task, name.type, name.index};
}

// Job, replica, task, type and index.
Parts Parse(const std::string& text) { return PartsOf(DeviceName::Parse(text)); }

std::string Canonical(const std::string& text) {
  return DeviceName::Parse(text).ToString();
}

// Whether the first covers the second, and whether the two are compatible.
std::pair<bool, bool> Compare(const std::string& a, const std::string& b) {
  const DeviceName first = DeviceName::Parse(a);
  const DeviceName second = DeviceName::Parse(b);
  return {first.Covers(second), first.IsCompatibleWith(second)};
}

// The error, or "", and what the first is afterwards.
std::pair<std::string, Parts> Merge(const std::string& a, const std::string& b,
                                    bool allow_soft) {
  DeviceName first = DeviceName::Parse(a);
  const Status status = first.Merge(DeviceName::Parse(b), allow_soft);
  return {status.message(), PartsOf(first)};
}

// ---- Graphs on devices ----------------------------------------------------------------

// A device: its name in full, its type, and where it stands in the order of preference.
using Described = std::tuple<std::string, std::string, int>;

// Devices that there are in name only. What is no CPU has the kernels of the CPU.
class Devices {
 public:
  explicit Devices(const std::vector<Described>& all) {
    std::vector<const NamedDevice*> pointers;
    uint64_t incarnation = 100;
    for (const auto& [name, type, priority] : all) {
      owned_.push_back(std::make_unique<NamedDevice>(
          DeviceAttributes{name, type, 0, ++incarnation, ""}, Device::kCpu, priority));
      pointers.push_back(owned_.back().get());
    }
    set_.emplace(pointers);
  }
  const DeviceSet& set() const { return *set_; }

 private:
  std::vector<std::unique_ptr<NamedDevice>> owned_;
  std::optional<DeviceSet> set_;
};

// Where each node of a step goes, or what the error says.
py::dict Place(const py::list& nodes, const py::dict& request,
               const std::vector<Described>& all, bool soft) {
  const auto graph = GraphOf(nodes);
  const Devices devices(all);
  StepGraph step = MakeStepGraph(RequestOf(*graph, request));
  py::dict result;
  try {
    result["all_on_host"] = PlaceNodes(&step, devices.set(), {soft});
  } catch (const Error& error) {
    return ResultOf(error.status(), {});
  }
  std::map<std::string, std::string> found;
  for (const Node* node : step.graph->nodes()) found[node->name()] = node->device();
  result["devices"] = found;
  return result;
}

py::dict NodeOf(const Node& node) {
  py::dict dict;
  Names inputs;
  for (const Output& input : node.inputs()) inputs.push_back(input.name());
  dict["name"] = node.name();
  dict["op"] = node.type();
  dict["inputs"] = inputs;
  dict["control"] = NamesOf(node.control_inputs());
  dict["device"] = node.device();
  dict["origin"] = node.origin();
  for (const char* key : {"tensor_name", "send_device", "recv_device"}) {
    if (node.attrs().Find(key) != nullptr) dict[key] = node.attrs().Get<std::string>(key);
  }
  if (node.attrs().Find("send_device_incarnation") != nullptr) {
    dict["incarnation"] = node.attrs().Get<int64_t>("send_device_incarnation");
  }
  Names types;
  for (int i = 0; i < node.num_outputs(); ++i) {
    types.push_back(StrCat(node.output_type(i), ' ', node.output_shape(i)));
  }
  dict["types"] = types;
  return dict;
}

// The parts of a step: of each its device, its nodes, and which of them take part in
// feeds, fetches and targets. If `by_hand`, nodes are where they ask to be.
py::list Cut(const py::list& nodes, const py::dict& request,
             const std::vector<Described>& all, bool by_hand) {
  const auto graph = GraphOf(nodes);
  const Devices devices(all);
  StepGraph step = MakeStepGraph(RequestOf(*graph, request));
  if (!by_hand) PlaceNodes(&step, devices.set());
  py::list parts;
  for (const Partition& partition : PartitionGraph(step, devices.set())) {
    py::dict part;
    py::list members;
    for (const Node* node : partition.step.graph->nodes()) members.append(NodeOf(*node));
    part["device"] = partition.device->name();
    part["nodes"] = members;
    part["args"] = NamesOf(partition.step.args);
    part["retvals"] = NamesOf(partition.step.retvals);
    part["targets"] = NamesOf(partition.step.targets);
    parts.append(part);
  }
  return parts;
}

SessionOptions OptionsFor(const std::map<std::string, int>& device_count) {
  SessionOptions options;
  options.devices.device_count = device_count;
  options.passes.enabled = false;  // each node runs where it was put
  return options;
}

// Steps of one session: the values of each, and what has gone from device to device in
// it: tensors and their bytes.
py::list RunSteps(const py::list& nodes, const py::dict& request,
                  const std::map<std::string, int>& device_count,
                  const std::vector<std::vector<py::array>>& steps) {
  const auto graph = GraphOf(nodes);
  Session session(graph, OptionsFor(device_count));
  const auto callable = session.Prepare(RequestOf(*graph, request));
  const TransferStats& transfers = session.devices().transfers();
  py::list results;
  for (const auto& values : steps) {
    const std::vector<Tensor> feeds = TensorsOf(values);
    const int64_t count = transfers.num_transfers;
    const int64_t bytes = transfers.bytes;
    Status status;
    std::vector<Tensor> fetches;
    {
      const GilReleased others_may_run;
      try {
        fetches = session.Run(*callable, feeds, {5000, {}, nullptr});
      } catch (const Error& error) {
        status = error.status();
      }
    }
    py::dict result = ResultOf(status, std::move(fetches));
    result["num_transfers"] = transfers.num_transfers - count;
    result["bytes"] = transfers.bytes - bytes;
    results.append(result);
  }
  return results;
}

// Threads that run steps of one session at the same time, each with a number of its own
// for the only feed: what each of them fetched, the first element of the first fetch.
std::vector<std::vector<double>> RunAtOnce(const py::list& nodes, const py::dict& request,
                                           const std::map<std::string, int>& device_count,
                                           int num_threads, int times) {
  const auto graph = GraphOf(nodes);
  Session session(graph, OptionsFor(device_count));
  const auto callable = session.Prepare(RequestOf(*graph, request));
  std::vector<std::vector<double>> fetched(num_threads);
  std::mutex mutex;
  Status failure;
  const auto run = [&](int number) {
    for (int step = 0; step < times; ++step) {
      try {
        const std::vector<Tensor> feeds = {Tensor::Scalar(number + step / 1024.0)};
        fetched[number].push_back(
            session.Run(*callable, feeds, {5000, {}, nullptr}).at(0).flat<double>()[0]);
      } catch (const Error& error) {
        const std::lock_guard lock(mutex);
        failure = error.status();
        return;
      }
    }
  };
  {
    const GilReleased others_may_run;
    Threads threads;
    for (int t = 0; t < num_threads; ++t) threads.Start([&run, t] { run(t); });
    threads.Join();
  }
  return fetched;
}

// ---- A rendezvous ---------------------------------------------------------------------

py::list RendezvousScript(const py::list& actions) { return Script().Run(actions); }

// Under each of `num_keys` keys one thread sends 0, 1, 2, ... and another one receives:
// what each of them got, in order; -1 for an error.
std::vector<std::vector<double>> PingPong(int num_keys, int count, bool sends_first) {
  const auto rendezvous = NewRendezvous();
  std::vector<std::vector<double>> received(num_keys);
  std::atomic<int> num_sent = 0;
  const auto send = [&](int number) {
    for (int i = 0; i < count; ++i) {
      rendezvous->Send(KeyOf(StrCat('k', number)), {}, Tensor::Scalar(double{1} * i),
                       false);
    }
    ++num_sent;
  };
  const auto receive = [&](int number) {
    while (sends_first && num_sent < num_keys) std::this_thread::yield();
    for (int i = 0; i < count; ++i) {
      Tensor value;
      bool is_dead = false;
      const Status status =
          rendezvous->Recv(KeyOf(StrCat('k', number)), {}, &value, &is_dead, 3000);
      received[number].push_back(status.ok() ? value.scalar<double>() : -1);
      if (!status.ok()) return;
    }
  };
  const GilReleased others_may_run;
  Threads threads;
  for (int number = 0; number < num_keys; ++number) {
    threads.Start([&receive, number] { receive(number); });
    threads.Start([&send, number] { send(number); });
  }
  threads.Join();
  return received;
}

// So many threads wait to receive; then they are woken. The codes that they got, and how
// many milliseconds passed from then on.
std::pair<std::vector<int>, double> Wake(int num_threads, const std::string& how) {
  const auto rendezvous = NewRendezvous();
  CancellationManager manager;
  std::vector<int> codes(num_threads);
  const auto wait = [&](int number) {
    Tensor value;
    bool is_dead = false;
    const Status status =
        rendezvous->Recv(KeyOf(StrCat('k', number % 3)), {.cancellation = &manager},
                         &value, &is_dead, 3000);
    codes[number] = static_cast<int>(status.code());
  };
  const GilReleased others_may_run;
  Threads threads;
  for (int t = 0; t < num_threads; ++t) threads.Start([&wait, t] { wait(t); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto start = std::chrono::steady_clock::now();
  if (how == "abort") {
    rendezvous->StartAbort(errors::OutOfRange("all is over"));
  } else if (how == "cancel") {
    manager.StartCancel();
  } else {
    for (int t = 0; t < num_threads; ++t) {
      ThrowIfError(
          rendezvous->Send(KeyOf(StrCat('k', t % 3)), {}, Tensor::Scalar(1.0), false));
    }
  }
  threads.Join();
  const std::chrono::duration<double, std::milli> taken =
      std::chrono::steady_clock::now() - start;
  return {codes, taken.count()};
}

// While one thread sends under `count` keys another one cancels, or aborts. How often
// each of the callbacks of the Recvs that waited was called.
std::vector<int> Race(int count, bool aborts) {
  const auto rendezvous = NewRendezvous();
  CancellationManager manager;
  std::vector<std::atomic<int>> calls(count);
  const GilReleased others_may_run;
  for (int i = 0; i < count; ++i) {
    rendezvous->RecvAsync(
        KeyOf(StrCat('k', i)), {.cancellation = &manager},
        [&calls, i](const Status&, const Rendezvous::Args&, const Rendezvous::Args&,
                    const Tensor&, bool) { ++calls[i]; });
  }
  Threads threads;
  threads.Start([&] {
    for (int i = 0; i < count; ++i) {
      static_cast<void>(
          rendezvous->Send(KeyOf(StrCat('k', i)), {}, Tensor::Scalar(1.0), false));
    }
  });
  threads.Start([&] {
    if (aborts) rendezvous->StartAbort(errors::Aborted("all is over"));
    manager.StartCancel();
  });
  threads.Join();
  return {calls.begin(), calls.end()};
}

// Two threads that do something so many times, at the same moment each time; less often
// where that takes long, since they have no core each.
class SameMoment {
 public:
  explicit SameMoment(int count) : count_(count) {}

  // `after` is called when both have done it. Throws what one of them throws.
  template <typename First, typename Second, typename After>
  void Run(First first, Second second, After after) {
    const GilReleased others_may_run;
    Threads threads;
    threads.Start([&] { Repeat([&](int) { first(); }, after); });
    threads.Start([&] {
      const auto later = [&](int pause) {
        while (pause-- > 0) arrived_.load();
        second();
      };
      Repeat(later, [] {});
    });
    threads.Join();
  }

 private:
  template <typename Work, typename After>
  void Repeat(Work work, After after) {
    try {
      for (int i = 0; i < count_ && !is_over_; ++i) {
        Meet();
        work(i % 400);
        if (std::chrono::steady_clock::now() > end_) is_over_ = true;
        Meet();
        after();
      }
    } catch (...) {
      is_over_ = has_failed_ = true;
      throw;
    }
  }

  // Of every two that arrive the first one waits for the second.
  void Meet() {
    const int wanted = (arrived_.fetch_add(1) / 2 + 1) * 2;
    for (int i = 0; arrived_ < wanted && !has_failed_; ++i) {
      if (i > 500) std::this_thread::yield();
    }
  }

  const int count_;
  const std::chrono::steady_clock::time_point end_ =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(250);
  std::atomic<int> arrived_ = 0;
  std::atomic<bool> is_over_ = false;
  std::atomic<bool> has_failed_ = false;
};

// One thread receives, or, for "abort a send", sends; another one does what ends that, at
// the same moment. How often the Recv was not ended once, or the tensor not let go.
int NumMissed(const std::string& how, int count) {
  auto rendezvous = NewRendezvous();
  std::list<CancellationManager> managers(1);
  const Tensor value = Tensor::Scalar(1.0);
  const auto key = KeyOf("k");
  std::atomic<int> calls = 0;
  int missed = 0;
  const auto send = [&] { static_cast<void>(rendezvous->Send(key, {}, value, false)); };
  const auto receive = [&] {
    rendezvous->RecvAsync(key, {.cancellation = &managers.back()},
                          WithStatus([&calls](const Status& status) {
                            RequireWritten(status);
                            ++calls;
                          }));
  };
  const auto count_calls = [&] { missed += calls.exchange(0) == 1 ? 0 : 1; };
  const auto abort = [&] { rendezvous->StartAbort(errors::Aborted("all is over")); };
  SameMoment moment(count);
  if (how == "send") {
    moment.Run(receive, send, count_calls);
  } else if (how == "cancel") {
    const auto cancel = [&] { managers.back().StartCancel(); };
    moment.Run(receive, cancel, [&] {
      count_calls();
      managers.emplace_back();
    });
  } else if (how == "abort") {
    moment.Run(receive, abort, [&] {
      count_calls();
      rendezvous = NewRendezvous();
    });
  } else {
    moment.Run(send, abort, [&] {
      missed += value.OwnsBuffer() ? 0 : 1;
      rendezvous = NewRendezvous();
    });
  }
  rendezvous->StartAbort(errors::Aborted("that was all"));
  return missed;
}

}  // namespace
}  // namespace minitf

PYBIND11_MODULE(lab_13_driver, module) {
  module.def("parse", &minitf::Parse);
  module.def("canonical", &minitf::Canonical);
  module.def("compare", &minitf::Compare);
  module.def("merge", &minitf::Merge);
  module.def("place", &minitf::Place);
  module.def("cut", &minitf::Cut);
  module.def("run", &minitf::RunSteps);
  module.def("run_at_once", &minitf::RunAtOnce);
  module.def("rendezvous", &minitf::RendezvousScript);
  module.def("ping_pong", &minitf::PingPong);
  module.def("wake", &minitf::Wake);
  module.def("race", &minitf::Race);
  module.def("num_missed", &minitf::NumMissed);
  module.def("num_lost", &minitf::NumLost);
  module.def("last_reference", &minitf::LastReference);
  module.def("held_by_callbacks", &minitf::HeldByCallbacks);
  module.def("sent_while_cancelled", &minitf::SentWhileCancelled);
  module.def("ended_without_tensor", &minitf::EndedWithoutTensor);
  module.def("next_manager", &minitf::NextManager);
  module.def("is_free_while_it_forgets", &minitf::IsFreeWhileItForgets);
  module.def("waits_for_the_lock", &minitf::WaitsForTheLock);
  module.def("is_let_go", &minitf::IsLetGo);
  module.def("bytes_left", &minitf::BytesLeft);
  module.def("transfer", &minitf::Transfer);
}
