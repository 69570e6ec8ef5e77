// LocalDevices: making the devices that the options and the environment ask for.

#include "minitf/runtime/devices/local_devices.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <unistd.h>
#include <utility>

#include "minitf/base/text.h"
#include "minitf/framework/random.h"
#include "minitf/runtime/devices/emulated_stream.h"
#include "minitf/runtime/devices/gpu_backend.h"

namespace minitf {
namespace {

// The order of preference, as the placer sees it. TensorFlow knows no emulated devices;
// the other two numbers are its own.
constexpr int kCpuPriority = 60;
constexpr int kEmulatedGpuPriority = 50;
constexpr int kPreferredGpuPriority = 210;

constexpr auto kVisible = "CUDA_VISIBLE_DEVICES";

// The memory that TensorFlow reports for a CPU. It is shown, and limits nothing.
constexpr int64_t kCpuMemoryLimit = int64_t{256} << 20;

int64_t PhysicalMemory() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
}

std::vector<std::string_view> SplitAtCommas(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(',');
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<int> NumberIn(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// How many devices of `type` were asked for, or `otherwise`.
int CountOf(const DeviceOptions& options, const std::string& type, int otherwise) {
  const auto found = options.device_count.find(type);
  if (found == options.device_count.end()) return otherwise;
  const int count = found->second;
  Require(count >= 0 && count <= kMaxDevicesOfAType, "device_count has ", count,
          " devices of type ", type, "; expected 0 to ", kMaxDevicesOfAType);
  return count;
}

std::optional<std::string> Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

int GpuPriority(const DeviceOptions& options, const GpuBackend* backend) {
  const bool is_real = backend != nullptr && !backend->is_emulated();
  const bool is_preferred = is_real || options.prefer_emulated_gpus ||
                            !Environment(kVisible).value_or("").empty();
  return is_preferred ? kPreferredGpuPriority : kEmulatedGpuPriority;
}

// The cards that the process sees. Of real ones the driver has left out what
// CUDA_VISIBLE_DEVICES hides.
std::vector<int> CardsOf(const GpuBackend* backend, int num_wanted) {
  if (backend != nullptr && !backend->is_emulated()) {
    return VisibleCards(std::nullopt, backend->num_cards());
  }
  return VisibleCards(Environment(kVisible), std::max(num_wanted, kNumEmulatedCards));
}

// The cards behind the session's GPUs, in order.
std::vector<int> CardsFor(const DeviceOptions& options, const GpuBackend* backend) {
  const bool is_real = backend != nullptr && !backend->is_emulated();
  const int num_wanted =
      CountOf(options, "GPU", is_real ? backend->num_cards() : kNumEmulatedCards);
  const auto visible = CardsOf(backend, num_wanted);
  auto cards = SelectCards(visible, options.visible_device_list);
  if (AreGpusOff()) return {};
  if (cards.size() > static_cast<size_t>(num_wanted)) cards.resize(num_wanted);
  return cards;
}

std::string FullName(const DeviceOptions& options, const std::string& type, int index) {
  return StrCat("/job:", options.job, "/replica:0/task:", options.task, "/device:", type,
                ':', index);
}

std::unique_ptr<LocalDevice> MakeCpu(const DeviceOptions& options, int index,
                                     const DeviceContext& context) {
  const std::string name = FullName(options, "CPU", index);
  // The memory of the first is that of the process, which counts for itself.
  DeviceAllocator::Ptr allocator;
  if (index > 0) allocator = DeviceAllocator::Make(name, 0, CpuAllocator());
  return std::make_unique<LocalDevice>(
      DeviceAttributes{name, "CPU", kCpuMemoryLimit, SystemSeed(), ""}, Device::kCpu,
      kCpuPriority, std::move(allocator), /*stream=*/nullptr, context);
}

// `backend` may be null: then the GPU is one in name, with the CPU's kernels.
std::unique_ptr<LocalDevice> MakeGpu(const DeviceOptions& options, GpuBackend* backend,
                                     int index, int card, const DeviceContext& context) {
  const std::string name = FullName(options, "GPU", index);
  const double fraction = options.gpu_memory_fraction;
  Require(fraction >= 0 && fraction <= 1, "per_process_gpu_memory_fraction is ", fraction,
          "; expected a number from 0 to 1");
  const auto whole = static_cast<double>(backend == nullptr ? PhysicalMemory()
                                                            : backend->MemorySize(card));
  const auto limit = static_cast<int64_t>(fraction == 0 ? whole : fraction * whole);
  const std::string description = StrCat(
      "device: ", index, ", ",
      backend == nullptr ? "name: emulated on the CPU" : backend->Description(card),
      ", card: ", card);
  Allocator& memory = backend == nullptr ? CpuAllocator() : backend->allocator(card);
  std::shared_ptr<Stream> stream =
      backend == nullptr ? std::make_shared<EmulatedStream>() : backend->stream(card);
  return std::make_unique<LocalDevice>(
      DeviceAttributes{name, "GPU", limit, SystemSeed(), description},
      backend == nullptr ? Device::kCpu : Device::kGpu, GpuPriority(options, backend),
      DeviceAllocator::Make(name, std::max<int64_t>(limit, 1), memory), std::move(stream),
      context);
}

}  // namespace

std::vector<int> VisibleCards(const std::optional<std::string>& visible, int num_cards) {
  std::vector<int> cards;
  if (!visible) {
    for (int card = 0; card < num_cards; ++card) cards.push_back(card);
    return cards;
  }
  for (const std::string_view entry : SplitAtCommas(*visible)) {
    const auto card = NumberIn(entry);
    if (!card || *card < 0 || *card >= num_cards) break;
    // CUDA sees none at all when one comes twice.
    if (std::ranges::find(cards, *card) != cards.end()) return {};
    cards.push_back(*card);
  }
  return cards;
}

std::vector<int> SelectCards(const std::vector<int>& cards, const std::string& list) {
  if (list.empty()) return cards;
  std::vector<int> selected;
  for (const std::string_view entry : SplitAtCommas(list)) {
    const auto place = NumberIn(entry);
    Require(place.has_value(), "Could not parse entry in 'visible_device_list': '", entry,
            "'. visible_device_list = ", list);
    Require(*place >= 0 && *place < static_cast<int>(cards.size()),
            "'visible_device_list' listed an invalid GPU id '", *place,
            "' but visible device count is ", cards.size());
    Require(std::ranges::find(selected, cards[*place]) == selected.end(),
            "visible_device_list contained a duplicate entry: ", list);
    selected.push_back(cards[*place]);
  }
  return selected;
}

LocalDevices::LocalDevices(const DeviceOptions& options) {
  DeviceContext context;
  context.threads = options.threads == nullptr ? &ProcessThreads() : options.threads;
  context.resources = options.resources;
  // There is always a host.
  const int num_cpus = std::max(1, CountOf(options, "CPU", 1));
  for (int i = 0; i < num_cpus; ++i) devices_.push_back(MakeCpu(options, i, context));
  GpuBackend* const backend = FindGpuBackend();
  int index = 0;
  for (const int card : CardsFor(options, backend)) {
    devices_.push_back(MakeGpu(options, backend, index++, card, context));
  }
  std::vector<const NamedDevice*> named;
  for (const auto& device : devices_) named.push_back(device.get());
  set_.emplace(std::move(named));
}

LocalDevices::~LocalDevices() = default;

const LocalDevice* LocalDevices::Find(std::string_view name) const {
  // All that are in the set are of this process.
  return static_cast<const LocalDevice*>(set_->Find(name));
}

}  // namespace minitf
