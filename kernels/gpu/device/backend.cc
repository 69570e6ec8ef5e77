// The cards of this process: the way into this library, which minitf loads.

#include <cstdlib>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "kernels/gpu/device/cuda_memory.h"
#include "minitf/base/text.h"
#include "minitf/runtime/devices/gpu_backend.h"

namespace minitf::gpu {

void RegisterHalfKernels();  // kernels/gpu/ops/half.cc, which knows this folder

namespace {

#if defined(MINITF_CUDA)
constexpr bool kIsEmulated = false;
#else
constexpr bool kIsEmulated = true;
#endif
#if defined(MINITF_GPU_CHECKED)
constexpr bool kKeepsBlocks = false;
#else
constexpr bool kKeepsBlocks = true;
#endif

// A card, made when it is first asked for.
struct Card {
  std::shared_ptr<CudaStream> stream;
  std::unique_ptr<CudaMemory> memory;
};

class CudaBackend final : public GpuBackend {
 public:
  explicit CudaBackend(int num_cards) : num_cards_(num_cards) {}

  int num_cards() const override { return num_cards_; }
  bool is_emulated() const override { return kIsEmulated; }

  std::string Description(int card) const override {
    cudaDeviceProp properties = {};
    ThrowIfError(StatusOf(cudaGetDeviceProperties(&properties, DeviceOf(card)),
                          "asking for a card's name"));
    return StrCat("name: ", kIsEmulated ? "emulated by SIMT" : properties.name,
                  ", compute capability: ", properties.major, '.', properties.minor);
  }

  int64_t MemorySize(int card) const override {
    cudaDeviceProp properties = {};
    ThrowIfError(StatusOf(cudaGetDeviceProperties(&properties, DeviceOf(card)),
                          "asking for a card's memory"));
    return static_cast<int64_t>(properties.totalGlobalMem);
  }

  Allocator& allocator(int card) override { return *Find(card).memory; }
  std::shared_ptr<Stream> stream(int card) override { return Find(card).stream; }

 private:
  // All emulated cards are one of the emulator's.
  int DeviceOf(int card) const { return kIsEmulated ? 0 : card; }

  Card& Find(int card) {
    const std::lock_guard lock(mutex_);
    if (cards_.size() <= static_cast<size_t>(card)) cards_.resize(card + 1);
    Card& found = cards_[card];
    if (found.stream == nullptr) {
      found.stream = std::make_shared<CudaStream>(DeviceOf(card));
      found.memory = std::make_unique<CudaMemory>(found.stream, kKeepsBlocks);
    }
    return found;
  }

  const int num_cards_;
  std::mutex mutex_;
  std::deque<Card> cards_;  // which stay where they are
};

// The emulator has one device with a fixed size of memory, unless it is told otherwise;
// minitf counts devices and limits their memory itself.
[[maybe_unused]] void ConfigureEmulator() {
  setenv("SIMT_DEVICES", "16", /*overwrite=*/0);
  const int64_t pages = sysconf(_SC_PHYS_PAGES);
  const int64_t megabytes = pages * sysconf(_SC_PAGE_SIZE) >> 20;
  setenv("SIMT_MEMORY_MB", std::to_string(megabytes).c_str(), /*overwrite=*/0);
}

}  // namespace
}  // namespace minitf::gpu

/// The cards, or null; then *why_not says what is missing.
extern "C" __attribute__((visibility("default"))) minitf::GpuBackend* minitf_open_gpus(
    const char** why_not) {
  using minitf::gpu::CudaBackend;
  using minitf::gpu::kIsEmulated;
  if constexpr (kIsEmulated) minitf::gpu::ConfigureEmulator();
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (!kIsEmulated && (error != cudaSuccess || count == 0)) {
    *why_not = error == cudaSuccess ? "there is no card" : cudaGetErrorString(error);
    return nullptr;
  }
  // Never freed: tensors may live until the process ends.
  static auto* const backend = [count] {
    minitf::gpu::RegisterHalfKernels();
    return new CudaBackend(count);
  }();
  return backend;
}
