// IntraProcessRendezvous: a local rendezvous, and a copy.
//
// Exercise   exercises/13_placement

#include "minitf/runtime/intra_process_rendezvous.h"

#include <utility>

namespace minitf {
namespace {

class IntraProcessRendezvous final : public Rendezvous {
 public:
  explicit IntraProcessRendezvous(const LocalDevices& devices) : devices_(devices) {}

  // Recvs that still wait are told that the step is over, even if the table lives on.
  ~IntraProcessRendezvous() override {
    table_->StartAbort(errors::Cancelled("the rendezvous is gone: its step has ended"));
  }

  Status Send(const ParsedKey& key, const Args& args, const Tensor& value,
              bool is_dead) override {
    return table_->Send(key, args, value, is_dead);
  }

  void RecvAsync(const ParsedKey& key, const Args& args, DoneCallback done) override {
    const LocalDevice* from = devices_.Find(key.src_device);
    const LocalDevice* to = devices_.Find(key.dst_device);
    // LAB(13.11) begin: of a device that there is not, `done` gets an error
    if (from == nullptr || to == nullptr) {
      const auto& missing = from == nullptr ? key.src_device : key.dst_device;
      done(errors::InvalidArgument("the key ", key.full_key, " names the device ",
                                   missing, "; there are ", devices_.set().Names()),
           {}, args, {}, false);
      return;
    }
    // LAB(13.11) end
    auto copy_and_call = [from, to, host = &devices_.host(),
                          transfers = &devices_.transfers(), done = std::move(done)](
                             const Status& status, const Args& send_args,
                             const Args& recv_args, Tensor value, bool is_dead) {
      // LAB(13.11) begin: Transfer the value, and call `done` with what comes of it
      if (!status.ok() || is_dead) {
        return done(status, send_args, recv_args, std::move(value), is_dead);
      }
      auto call = [done, send_args, recv_args](const Status& copied, Tensor received) {
        done(copied, send_args, recv_args, std::move(received), false);
      };
      // What is in host memory is where the host has its tensors.
      Transfer(std::move(value), send_args.in_host_memory ? *host : *from,
               recv_args.in_host_memory ? *host : *to, transfers, std::move(call));
      // LAB(13.11) end
    };
    table_->RecvAsync(key, args, std::move(copy_and_call));
  }

  void StartAbort(const Status& status) override { table_->StartAbort(status); }
  Activity activity() const override { return table_->activity(); }

 private:
  // As CopyToDevice, and counts what goes over.
  static void Transfer(Tensor value, const LocalDevice& from, const LocalDevice& to,
                       TransferStats* transfers, CopyCallback done) {
    const auto bytes = static_cast<int64_t>(value.num_bytes());
    const void* source = value.data();
    auto count_and_call = [bytes, source, transfers, done = std::move(done)](
                              const Status& status, Tensor received) {
      if (status.ok()) {
        transfers->num_transfers += 1;
        transfers->bytes += bytes;
        if (received.data() != source) transfers->bytes_copied += bytes;
      }
      done(status, std::move(received));
    };
    CopyToDevice(std::move(value), from, to, std::move(count_and_call));
  }

  const LocalDevices& devices_;
  const std::shared_ptr<Rendezvous> table_ = NewLocalRendezvous();
};

}  // namespace

std::shared_ptr<Rendezvous> NewIntraProcessRendezvous(const LocalDevices& devices) {
  return std::make_shared<IntraProcessRendezvous>(devices);
}

}  // namespace minitf
