// IntraProcessRendezvous: a local rendezvous, and a copy.

#include "minitf/runtime/intra_process_rendezvous.h"

#include <string_view>
#include <utility>

namespace minitf {
namespace {

class IntraProcessRendezvous final : public Rendezvous {
 public:
  explicit IntraProcessRendezvous(const DeviceSet& devices) : devices_(devices) {}

  // Whoever still waits hears of it, whatever else holds the table.
  ~IntraProcessRendezvous() override {
    table_->StartAbort(errors::Cancelled("the rendezvous is gone: its step has ended"));
  }

  Status Send(const ParsedKey& key, const Args& args, const Tensor& value,
              bool is_dead) override {
    return table_->Send(key, args, value, is_dead);
  }

  void RecvAsync(const ParsedKey& key, const Args& args, DoneCallback done) override {
    LocalDevice* from = devices_.Find(key.src_device);
    LocalDevice* to = devices_.Find(key.dst_device);
    if (from == nullptr || to == nullptr) {
      const auto& missing = from == nullptr ? key.src_device : key.dst_device;
      done(errors::InvalidArgument("the key ", key.full_key, " names the device ",
                                   missing, "; there are ", devices_.Names()),
           {}, args, {}, false);
      return;
    }
    auto copy_and_call = [from, to, &transfers = devices_.transfers(),
                          done = std::move(done)](
                             const Status& status, const Args& send_args,
                             const Args& recv_args, const Tensor& value, bool is_dead) {
      if (!status.ok() || is_dead) {
        done(status, send_args, recv_args, value, is_dead);
        return;
      }
      Tensor received;
      const Status copied = Transfer(value, *from, *to, &transfers, &received);
      done(copied, send_args, recv_args, received, false);
    };
    table_->RecvAsync(key, args, std::move(copy_and_call));
  }

  void StartAbort(const Status& status) override { table_->StartAbort(status); }
  Activity activity() const override { return table_->activity(); }

 private:
  static Status Transfer(const Tensor& value, LocalDevice& from, LocalDevice& to,
                         TransferStats* transfers, Tensor* received) {
    try {
      *received = CopyToDevice(value, from, to);
    } catch (const Error& error) {
      return error.status();
    }
    const auto bytes = static_cast<int64_t>(value.num_bytes());
    transfers->num_transfers += 1;
    transfers->bytes += bytes;
    if (received->data() != value.data()) transfers->bytes_copied += bytes;
    return {};
  }

  const DeviceSet& devices_;
  const std::shared_ptr<Rendezvous> table_ = NewLocalRendezvous();
};

}  // namespace

std::shared_ptr<Rendezvous> NewIntraProcessRendezvous(const DeviceSet& devices) {
  return std::make_shared<IntraProcessRendezvous>(devices);
}

}  // namespace minitf
