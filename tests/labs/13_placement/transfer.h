// A tensor that goes from one memory to another through a rendezvous of one process.

#pragma once

#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <string>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "minitf/runtime/intra_process_rendezvous.h"
#include "python/bindings/gil.h"
#include "python/bindings/numpy_bridge.h"
#include "tests/labs/13_placement/rendezvous_ends.h"

namespace minitf {

// Holds the stream of a device, if it has one, until it is let go.
class StoppedStream {
 public:
  explicit StoppedStream(const LocalDevice* device) {
    if (device == nullptr || device->stream() == nullptr) return;
    device->stream()->Enqueue([goes_on = goes_on_.get_future().share()]() -> Status {
      goes_on.wait();
      return {};
    });
    is_stopped_ = true;
  }
  ~StoppedStream() { Go(); }

  void Go() {
    if (is_stopped_) goes_on_.set_value();
    is_stopped_ = false;
  }

 private:
  std::promise<void> goes_on_;
  bool is_stopped_ = false;
};

// What a callback got.
struct Arrived {
  Status status;
  Rendezvous::Args send_args;
  Rendezvous::Args recv_args;
  Tensor value;
  bool is_dead = false;
};

// How a tensor is sent.
struct Manner {
  bool from_host = false;
  bool to_host = false;
  bool is_dead = false;
  bool recv_first = false;
};

inline Manner MannerOf(const pybind11::dict& how) {
  return {MemberOf<bool>(how, "from_host"), MemberOf<bool>(how, "to_host"),
          MemberOf<bool>(how, "is_dead"), MemberOf<bool>(how, "recv_first")};
}

inline bool AreSame(const Rendezvous::Args& a, const Rendezvous::Args& b) {
  return a.device == b.device && a.cancellation == b.cancellation &&
         a.in_host_memory == b.in_host_memory;
}

// Sends and receives, with arguments that are gone when the copy is made, and so is the
// rendezvous, since the streams stand still until then.
inline Arrived Meet(const LocalDevices& devices, const std::string& from,
                    const std::string& to, const Tensor& sent, const Manner& how,
                    const Rendezvous::Args& send_args,
                    const Rendezvous::Args& recv_args) {
  auto rendezvous = NewIntraProcessRendezvous(devices);
  const auto key = KeyOf("x", from, to);
  StoppedStream sender(devices.Find(kProcess + from));
  StoppedStream receiver(to == from ? nullptr : devices.Find(kProcess + to));
  auto arrived = std::make_shared<std::promise<Arrived>>();
  std::future<Arrived> result = arrived->get_future();
  Status failure;
  const auto send = [&] {
    auto args = std::make_unique<Rendezvous::Args>(send_args);
    failure = rendezvous->Send(key, *args, how.is_dead ? Tensor() : sent, how.is_dead);
    *args = {};
  };
  const auto receive = [&] {
    auto args = std::make_unique<Rendezvous::Args>(recv_args);
    rendezvous->RecvAsync(
        key, *args,
        [arrived](const Status& status, const Rendezvous::Args& sends,
                  const Rendezvous::Args& receives, Tensor value, bool is_dead) {
          arrived->set_value({status, sends, receives, std::move(value), is_dead});
        });
    *args = {};
  };
  how.recv_first ? receive() : send();
  how.recv_first ? send() : receive();
  rendezvous.reset();
  WriteOverFreedMemory();
  sender.Go();
  receiver.Go();
  ThrowIfError(failure);
  if (result.wait_for(std::chrono::seconds(3)) != std::future_status::ready) {
    return {errors::DeadlineExceeded("nothing came for 3 s"), {}, {}, {}, false};
  }
  return result.get();
}

// A tensor that goes from one device of a process to another: what comes, whether it is
// in the same memory, and what was counted. `room` is the part of the machine's memory
// that each GPU has; 0 is all.
inline pybind11::dict Transfer(const std::string& from, const std::string& to,
                               const pybind11::array& value, const pybind11::dict& how,
                               double room) {
  DeviceOptions options;
  options.device_count = {{"CPU", 2}, {"GPU", 2}};
  options.gpu_memory_fraction = room;
  const LocalDevices devices(options);
  const Manner manner = MannerOf(how);
  const Tensor sent = TensorFromArray(value).Clone();
  const DeviceContext contexts[2];
  CancellationManager managers[2];
  const Rendezvous::Args send_args = {&contexts[0], &managers[0], manner.from_host};
  const Rendezvous::Args recv_args = {&contexts[1], &managers[1], manner.to_host};
  Arrived arrived;
  {
    const GilReleased others_may_run;
    arrived = Meet(devices, from, to, sent, manner, send_args, recv_args);
  }
  RequireWritten(arrived.status);
  pybind11::dict result;
  result["code"] = static_cast<int>(arrived.status.code());
  result["message"] = arrived.status.message();
  result["is_dead"] = arrived.is_dead;
  const Tensor& received = arrived.value;
  result["is_same"] = received.has_value() && received.data() == sent.data();
  result["has_send_args"] = AreSame(arrived.send_args, send_args);
  result["has_no_send_args"] = AreSame(arrived.send_args, {});
  result["has_recv_args"] = AreSame(arrived.recv_args, recv_args);
  result["value"] = received.has_value()
                        ? ArrayFromTensor(received.Clone(), Sharing::kNever)
                        : pybind11::none();
  const TransferStats& stats = devices.transfers();
  result["num_transfers"] = stats.num_transfers.load();
  result["bytes"] = stats.bytes.load();
  result["bytes_copied"] = stats.bytes_copied.load();
  return result;
}

// A Recv that ends by `how` and gets no tensor: what its callback gets, how often it is
// called, and what was counted.
inline pybind11::dict EndedWithoutTensor(const std::string& from, const std::string& to,
                                         const std::string& how) {
  DeviceOptions options;
  options.device_count = {{"CPU", 2}, {"GPU", 2}};
  const LocalDevices devices(options);
  const DeviceContext context;
  CancellationManager manager;
  const Rendezvous::Args recv_args = {&context, &manager, true};
  auto rendezvous = NewIntraProcessRendezvous(devices);
  std::vector<Arrived> arrived;
  const auto abort = [&] { rendezvous->StartAbort(errors::OutOfRange("all is over")); };
  if (how == "aborted before") abort();
  rendezvous->RecvAsync(
      KeyOf("x", from, to), recv_args,
      [&arrived](const Status& status, const Rendezvous::Args& sends,
                 const Rendezvous::Args& receives, Tensor value, bool is_dead) {
        arrived.push_back({status, sends, receives, std::move(value), is_dead});
      });
  if (how == "aborted") abort();
  if (how == "gone") rendezvous.reset();
  manager.StartCancel();
  pybind11::dict result;
  pybind11::list codes;
  for (const Arrived& one : arrived) {
    RequireWritten(one.status);
    codes.append(static_cast<int>(one.status.code()));
    result["has_value"] = one.value.has_value();
    result["is_dead"] = one.is_dead;
    result["has_send_args"] = !AreSame(one.send_args, {});
    result["has_recv_args"] = AreSame(one.recv_args, recv_args);
  }
  result["codes"] = codes;
  result["num_transfers"] = devices.transfers().num_transfers.load();
  return result;
}

}  // namespace minitf
