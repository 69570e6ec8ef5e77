// Rendezvous: keys, and waiting for a tensor.

#include "minitf/framework/rendezvous.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "minitf/framework/cancellation.h"
#include "minitf/framework/device_name.h"

namespace minitf {
namespace {

constexpr char kSeparator = ';';
constexpr size_t kNumParts = 5;
constexpr size_t kIncarnationDigits = 16;

std::string Hex(uint64_t number) {
  std::array<char, kIncarnationDigits> digits;
  const auto end = std::to_chars(digits.begin(), digits.end(), number, 16).ptr;
  const std::string text(digits.begin(), end);
  return std::string(kIncarnationDigits - text.size(), '0') + text;
}

bool ParseHex(std::string_view text, uint64_t* number) {
  if (text.size() != kIncarnationDigits) return false;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *number, 16);
  return error == std::errc() && stop == end;
}

bool IsFullDeviceName(std::string_view text) {
  DeviceName name;
  return DeviceName::Parse(text, &name).ok() && name.IsFull();
}

// "3:0", as CreateKey writes a FrameAndIter.
bool IsFrameAndIter(std::string_view text) {
  const auto take_number = [&text] {
    uint64_t number = 0;
    const char* begin = text.data();
    const auto [end, error] = std::from_chars(begin, begin + text.size(), number);
    text.remove_prefix(end - begin);
    return error == std::errc();
  };
  if (!take_number() || text.empty() || text[0] != ':') return false;
  text.remove_prefix(1);
  return take_number() && text.empty();
}

// `view`, which looks into `from`, at the same place of the equal string `to`.
std::string_view MoveView(std::string_view view, const std::string& from,
                          const std::string& to) {
  if (view.empty()) return {};
  return {to.data() + (view.data() - from.data()), view.size()};
}

}  // namespace

Rendezvous::ParsedKey::ParsedKey(const ParsedKey& other) { *this = other; }

Rendezvous::ParsedKey& Rendezvous::ParsedKey::operator=(const ParsedKey& other) {
  if (this == &other) return *this;
  full_key = other.full_key;
  src_device = MoveView(other.src_device, other.full_key, full_key);
  src_incarnation = other.src_incarnation;
  dst_device = MoveView(other.dst_device, other.full_key, full_key);
  edge_name = MoveView(other.edge_name, other.full_key, full_key);
  return *this;
}

std::string Rendezvous::CreateKey(std::string_view src_device, uint64_t src_incarnation,
                                  std::string_view dst_device, std::string_view edge_name,
                                  const FrameAndIter& frame_iter) {
  std::string key;
  key.reserve(src_device.size() + dst_device.size() + edge_name.size() + 40);
  key.append(src_device).push_back(kSeparator);
  key.append(Hex(src_incarnation)).push_back(kSeparator);
  key.append(dst_device).push_back(kSeparator);
  key.append(edge_name).push_back(kSeparator);
  key.append(std::to_string(frame_iter.frame_id)).push_back(':');
  key.append(std::to_string(frame_iter.iter_id));
  return key;
}

Status Rendezvous::ParseKey(std::string_view key, ParsedKey* parsed) {
  ParsedKey result;
  result.full_key = key;
  std::vector<std::string_view> parts;
  std::string_view rest = result.full_key;
  while (parts.size() <= kNumParts) {
    const size_t end = rest.find(kSeparator);
    parts.push_back(rest.substr(0, end));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  const bool is_key = parts.size() == kNumParts && IsFullDeviceName(parts[0]) &&
                      ParseHex(parts[1], &result.src_incarnation) &&
                      IsFullDeviceName(parts[2]) && !parts[3].empty() &&
                      IsFrameAndIter(parts[4]);
  if (!is_key) {
    return errors::InvalidArgument(
        "Invalid rendezvous key: ", key,
        "; expected send device;16 hex digits;receive device;edge;frame:iter");
  }
  result.src_device = parts[0];
  result.dst_device = parts[2];
  result.edge_name = parts[3];
  *parsed = result;
  return {};
}

namespace {

// Where a thread waits for the callback of a Recv.
class Mailbox {
 public:
  // Negative: for as long as it takes. False if nothing has come by then.
  bool Wait(int64_t timeout_ms) {
    std::unique_lock lock(mutex_);
    const auto is_here = [this] { return is_here_; };
    if (timeout_ms >= 0) {
      return arrived_.wait_for(lock, std::chrono::milliseconds(timeout_ms), is_here);
    }
    arrived_.wait(lock, is_here);
    return true;
  }

  void Put(const Status& status, Tensor value, bool is_dead) {
    const std::lock_guard lock(mutex_);
    status_ = status;
    value_ = std::move(value);
    is_dead_ = is_dead;
    is_here_ = true;
    arrived_.notify_all();
  }

  // Requires: Wait has returned true.
  Status Take(Tensor* value, bool* is_dead) {
    *value = std::move(value_);
    *is_dead = is_dead_;
    return status_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  bool is_here_ = false;
  Status status_;
  Tensor value_;
  bool is_dead_ = false;
};

// A cancellation that follows another one, and can come by itself.
class LinkedCancellation {
 public:
  explicit LinkedCancellation(CancellationManager* parent) : parent_(parent) {
    if (parent == nullptr) return;
    token_ = parent->NewToken();
    if (!parent->RegisterCallback(token_, [this] { own_.StartCancel(); })) {
      own_.StartCancel();
    }
  }
  ~LinkedCancellation() {
    if (parent_ != nullptr) parent_->DeregisterCallback(token_);
  }
  LinkedCancellation(const LinkedCancellation&) = delete;
  LinkedCancellation& operator=(const LinkedCancellation&) = delete;

  CancellationManager* get() { return &own_; }

 private:
  CancellationManager* const parent_;
  CancellationManager::Token token_ = 0;
  CancellationManager own_;
};

}  // namespace

Status Rendezvous::Recv(const ParsedKey& key, const Args& args, Tensor* value,
                        bool* is_dead, int64_t timeout_ms) {
  // The time is over: the Recv is cancelled, so that what is sent later goes to others.
  // Its callback still comes and is waited for, as it writes to variables of this frame.
  LinkedCancellation cancellation(args.cancellation);
  Mailbox mailbox;
  RecvAsync(key, {args.device, cancellation.get(), args.in_host_memory},
            [&mailbox](const Status& status, const Args&, const Args&, Tensor tensor,
                       bool dead) { mailbox.Put(status, std::move(tensor), dead); });
  const bool in_time = mailbox.Wait(timeout_ms);
  if (!in_time) {
    cancellation.get()->StartCancel();
    mailbox.Wait(-1);
  }
  Status status = mailbox.Take(value, is_dead);
  if (in_time || status.code() != Code::kCancelled) return status;
  return errors::DeadlineExceeded("nothing was sent within ", timeout_ms,
                                  " ms under the key ", key.full_key);
}

}  // namespace minitf
