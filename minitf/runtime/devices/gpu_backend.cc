// GpuBackend: finding the library that drives cards, and loading it.

#include "minitf/runtime/devices/gpu_backend.h"

#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <optional>
#include <string_view>

#include "minitf/base/library_folder.h"
#include "minitf/base/logging.h"
#include "minitf/base/status.h"

namespace minitf {
namespace {

constexpr auto kVariable = "MINITF_GPU";

std::string Wanted() {
  const char* const value = std::getenv(kVariable);
  std::string wanted = value == nullptr || *value == '\0' ? "auto" : value;
  for (const char* known : {"auto", "cuda", "emulate", "check", "cpu", "off"}) {
    if (wanted == known) return wanted;
  }
  throw Error(errors::InvalidArgument(
      kVariable, " is '", wanted, "'; expected auto, cuda, emulate, check, cpu or off"));
}

// Why the driver has no card for this process; empty if it has one. The library for cards
// is not asked, since its kernels are registered when it is loaded.
std::string WhyNoCards() {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return StrCat("there is no driver: ", dlerror());
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  const auto count_devices =
      reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDeviceGetCount"));
  if (init == nullptr || count_devices == nullptr) return "the driver is incomplete";
  int count = 0;
  if (const int error = init(0); error != 0) {
    return StrCat("the driver does not start, its error is ", error);
  }
  return count_devices(&count) == 0 && count > 0 ? "" : "the driver has no card";
}

// What came of loading libminitf_gpu_`name`.so.
struct Loaded {
  GpuBackend* backend = nullptr;
  std::string why_not;
};

Loaded Load(const std::string& name) {
  const std::string path = FolderOf(reinterpret_cast<void*>(&FindGpuBackend)) +
                           "/libminitf_gpu_" + name + ".so";
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {nullptr, dlerror()};
  using Open = GpuBackend* (*)(const char** why_not);
  const auto open = reinterpret_cast<Open>(dlsym(library, "minitf_open_gpus"));
  if (open == nullptr) return {nullptr, dlerror()};
  const char* why_not = "";
  GpuBackend* const backend = open(&why_not);
  return {backend, why_not};
}

GpuBackend* LoadWanted(const std::string& wanted) {
  if (wanted == "auto" || wanted == "cuda") {
    Loaded cuda = {nullptr, WhyNoCards()};
    if (cuda.why_not.empty()) cuda = Load("cuda");
    if (cuda.backend != nullptr) return cuda.backend;
    VLOG(1) << "No cards: " << cuda.why_not;
    if (wanted == "cuda") {
      throw Error(errors::FailedPrecondition(
          kVariable, " is 'cuda', but there are no cards: ", cuda.why_not));
    }
  }
  const Loaded emulated = Load(wanted == "check" ? "checked" : "emulated");
  if (emulated.backend != nullptr) return emulated.backend;
  if (wanted != "auto") {
    throw Error(errors::FailedPrecondition(kVariable, " is '", wanted, "', but ",
                                           emulated.why_not));
  }
  VLOG(1) << "No emulator: " << emulated.why_not;
  return nullptr;
}

}  // namespace

GpuBackend* FindGpuBackend() {
  static std::mutex mutex;
  static std::optional<GpuBackend*> found;
  const std::string wanted = Wanted();
  if (wanted == "off" || wanted == "cpu") return nullptr;
  const std::lock_guard lock(mutex);
  if (!found.has_value()) found = LoadWanted(wanted);
  return *found;
}

bool AreGpusOff() { return Wanted() == "off"; }

}  // namespace minitf
