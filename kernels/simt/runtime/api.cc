// The runtime API: devices, memory and copies.
//
// Read next  kernels/simt/cuda.h

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/simt/cuda_api.h"
#include "kernels/simt/runtime/device_memory.h"
#include "kernels/simt/runtime/errors.h"
#include "kernels/simt/runtime/limits.h"
#include "kernels/simt/runtime/observer.h"
#include "kernels/simt/runtime/settings.h"
#include "kernels/simt/runtime/stream.h"
#include "kernels/simt/runtime/text.h"

namespace simt {
namespace {

thread_local int current_device = 0;

// How many of the devices CUDA_VISIBLE_DEVICES names, up to the first that there is not.
int CountVisible() {
  const int all = Settings::Get().devices;
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) return all;
  std::vector<bool> is_named(all);
  std::istringstream names(visible);
  int count = 0;
  for (std::string name; std::getline(names, name, ',');) {
    char* end = nullptr;
    const long number = std::strtol(name.c_str(), &end, 10);
    if (end == name.c_str() || *end != '\0' || number < 0 || number >= all) break;
    if (is_named[number]) return 0;  // twice the same: CUDA shows none
    is_named[number] = true;
    ++count;
  }
  return count;
}

int NumDevices() {
  static const int count = CountVisible();
  return count;
}

bool IsDevice(int device) { return device >= 0 && device < NumDevices(); }

cudaError_t BadCopy(const char* kind, std::string why, Site site, cudaError_t error) {
  Report({kind, "global", {site}, std::move(why)});
  return Remember(error);
}

const char* DirectionOf(bool to_device, bool from_device) {
  if (to_device) return from_device ? "from device to device" : "from host to device";
  return from_device ? "from device to host" : "from host to host";
}

cudaError_t CheckCopy(const void* to, const void* from, size_t size, cudaMemcpyKind kind,
                      Site site) {
  if (LastingError() != cudaSuccess) return LastingError();
  if (size == 0) return cudaSuccess;
  if (to == nullptr || from == nullptr) {
    return BadCopy("bad-memcpy", "a copy of a null pointer", site, cudaErrorInvalidValue);
  }
  const DeviceMemory& memory = DeviceMemory::Get();
  const bool to_device = memory.Contains(to), from_device = memory.Contains(from);
  const bool says_to = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool says_from =
      kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return BadCopy("bad-memcpy", "a copy of an unknown kind", site,
                   cudaErrorInvalidMemcpyDirection);
  }
  if (kind != cudaMemcpyDefault && (to_device != says_to || from_device != says_from)) {
    return BadCopy("bad-memcpy",
                   Text("a copy ", DirectionOf(says_to, says_from),
                        ", but the pointers lead ", DirectionOf(to_device, from_device)),
                   site, cudaErrorInvalidValue);
  }
  for (const auto& [pointer, is_device] :
       {std::pair(to, to_device), std::pair(from, from_device)}) {
    if (!is_device || memory.Holds(pointer, size)) continue;
    const Allocation nearest = memory.Nearest(pointer);
    const auto offset = static_cast<const char*>(pointer) - nearest.begin;
    return BadCopy("bad-memcpy",
                   Text("a copy of ", size, " bytes at byte ", offset,
                        nearest.is_freed ? " of a freed" : " of an", " allocation of ",
                        nearest.size, " bytes"),
                   site, cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t CheckSet(const void* memory, size_t size, Site site) {
  if (LastingError() != cudaSuccess) return LastingError();
  if (size == 0 || DeviceMemory::Get().Holds(memory, size)) return cudaSuccess;
  return BadCopy("bad-memset",
                 Text("bytes of device memory are set, ", size, " at ",
                      Hex(reinterpret_cast<uintptr_t>(memory)),
                      ", which are not within one allocation"),
                 site, cudaErrorInvalidValue);
}

// Of a copy to or from a variable of a kernel's file.
cudaError_t CheckSymbol(const char* way, size_t symbol_size, const void* host,
                        size_t size, size_t offset, Site site) {
  if (LastingError() != cudaSuccess) return LastingError();
  if (host != nullptr && offset <= symbol_size && size <= symbol_size - offset) {
    return cudaSuccess;
  }
  return BadCopy("bad-memcpy",
                 Text("a copy of ", size, " bytes ", way, " byte ", offset,
                      " of a variable of ", symbol_size, " bytes"),
                 site, cudaErrorInvalidValue);
}

void Copy(void* to, const void* from, size_t size, Site site) {
  if (size == 0 || LastingError() != cudaSuccess) return;
  if (observer()) observer()->Copied(to, from, size, site);
  std::memmove(to, from, size);
}

}  // namespace

// ---- Memory ---------------------------------------------------------------------------

cudaError_t Malloc(void** memory, size_t size, Site site) {
  OnlyOnHost("calls cudaMalloc", site);
  if (memory == nullptr) return Remember(cudaErrorInvalidValue);
  *memory = nullptr;
  if (LastingError() != cudaSuccess) return LastingError();
  if (NumDevices() == 0) return Remember(cudaErrorNoDevice);
  if (size == 0) return cudaSuccess;
  *memory = DeviceMemory::Get().Allocate(size, current_device, site);
  if (*memory == nullptr) return Remember(cudaErrorMemoryAllocation);
  if (observer()) observer()->Allocated(*memory, size, site);
  return cudaSuccess;
}

cudaError_t MallocHost(void** memory, size_t size, Site site) {
  OnlyOnHost("calls cudaMallocHost", site);
  if (memory == nullptr) return Remember(cudaErrorInvalidValue);
  *memory = std::malloc(std::max<size_t>(size, 1));
  return *memory == nullptr ? Remember(cudaErrorMemoryAllocation) : cudaSuccess;
}

cudaError_t CopyToSymbol(void* symbol, size_t symbol_size, const void* from, size_t size,
                         size_t offset, Site site) {
  OnlyOnHost("calls cudaMemcpyToSymbol", site);
  const cudaError_t error = CheckSymbol("to", symbol_size, from, size, offset, site);
  if (error != cudaSuccess) return error;
  SynchronizeStreams(false);
  std::memcpy(static_cast<char*>(symbol) + offset, from, size);
  return cudaSuccess;
}

cudaError_t CopyFromSymbol(void* to, const void* symbol, size_t symbol_size, size_t size,
                           size_t offset, Site site) {
  OnlyOnHost("calls cudaMemcpyFromSymbol", site);
  const cudaError_t error = CheckSymbol("from", symbol_size, to, size, offset, site);
  if (error != cudaSuccess) return error;
  SynchronizeStreams(false);
  std::memcpy(to, static_cast<const char*>(symbol) + offset, size);
  return cudaSuccess;
}

}  // namespace simt

using simt::DeviceMemory;
using simt::LastingError;
using simt::NumDevices;
using simt::Remember;

cudaError_t cudaFree(void* memory, const char* site_file, int site_line) {
  simt::OnlyOnHost("calls cudaFree", SIMT_HERE);
  if (memory == nullptr) return cudaSuccess;
  simt::SynchronizeStreams(true);  // as on a GPU: nobody uses it any more
  if (DeviceMemory::Get().Free(memory)) {
    if (simt::observer()) simt::observer()->Freed(memory);
    return cudaSuccess;
  }
  const simt::Allocation nearest = DeviceMemory::Get().Nearest(memory);
  const bool is_again = nearest.begin == memory && nearest.is_freed;
  return simt::BadCopy("bad-free",
                       is_again ? "cudaFree of memory that is free already"
                                : "cudaFree of a pointer that cudaMalloc did not return",
                       SIMT_HERE, cudaErrorInvalidValue);
}

cudaError_t cudaFreeHost(void* memory) {
  SIMT_ONLY_ON_HOST(cudaFreeHost);
  simt::SynchronizeStreams(true);
  std::free(memory);
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  SIMT_ONLY_ON_HOST(cudaMemGetInfo);
  if (free == nullptr || total == nullptr) return Remember(cudaErrorInvalidValue);
  *total = DeviceMemory::Get().total();
  *free = *total - DeviceMemory::Get().used(simt::current_device);
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind kind,
                       const char* site_file, int site_line) {
  simt::OnlyOnHost("calls cudaMemcpy", SIMT_HERE);
  return cudaMemcpyAsync(to, from, size, kind, nullptr, site_file, site_line);
}

// NOLINTNEXTLINE(readability-function-size): CUDA's parameters, and the call's place
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind kind,
                            cudaStream_t stream, const char* site_file, int site_line) {
  const simt::Site site = SIMT_HERE;
  simt::OnlyOnHost("calls cudaMemcpyAsync", site);
  const cudaError_t error = simt::CheckCopy(to, from, size, kind, site);
  if (error != cudaSuccess) return error;
  const cudaError_t added =
      simt::AddToStream(stream, [=] { simt::Copy(to, from, size, site); });
  return added == cudaSuccess ? LastingError() : added;
}

cudaError_t cudaMemset(void* memory, int byte, size_t size, const char* site_file,
                       int site_line) {
  simt::OnlyOnHost("calls cudaMemset", SIMT_HERE);
  return cudaMemsetAsync(memory, byte, size, nullptr, site_file, site_line);
}

cudaError_t cudaMemsetAsync(void* memory, int byte, size_t size, cudaStream_t stream,
                            const char* site_file, int site_line) {
  simt::OnlyOnHost("calls cudaMemsetAsync", SIMT_HERE);
  const cudaError_t error = simt::CheckSet(memory, size, SIMT_HERE);
  if (error != cudaSuccess) return error;
  const cudaError_t added = simt::AddToStream(stream, [=] {
    if (size == 0 || LastingError() != cudaSuccess) return;
    if (simt::observer()) simt::observer()->Set(memory, size);
    std::memset(memory, byte, size);
  });
  return added == cudaSuccess ? LastingError() : added;
}

// ---- Devices --------------------------------------------------------------------------

cudaError_t cudaGetDeviceCount(int* count) {
  if (count == nullptr) return Remember(cudaErrorInvalidValue);
  *count = NumDevices();
  return NumDevices() == 0 ? Remember(cudaErrorNoDevice) : cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  if (device == nullptr) return Remember(cudaErrorInvalidValue);
  *device = simt::current_device;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  SIMT_ONLY_ON_HOST(cudaSetDevice);
  if (!simt::IsDevice(device)) return Remember(cudaErrorInvalidDevice);
  simt::current_device = device;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  SIMT_ONLY_ON_HOST(cudaGetDeviceProperties);
  if (properties == nullptr) return Remember(cudaErrorInvalidValue);
  if (!simt::IsDevice(device)) return Remember(cudaErrorInvalidDevice);
  namespace limits = simt::limits;
  cudaDeviceProp p = {};
  std::snprintf(p.name, sizeof(p.name), "SIMT emulator on the CPU");
  p.totalGlobalMem = DeviceMemory::Get().total();
  p.sharedMemPerBlock = limits::kSharedUsual;
  p.sharedMemPerBlockOptin = limits::kSharedMost;
  p.sharedMemPerMultiprocessor = limits::kSharedOfProcessor;
  p.regsPerBlock = limits::kRegisters;
  p.warpSize = limits::kWarpSize;
  p.maxThreadsPerBlock = limits::kThreads;
  p.maxThreadsPerMultiProcessor = limits::kThreadsOfProcessor;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = limits::kThreads;
  p.maxThreadsDim[2] = limits::kBlockZ;
  p.maxGridSize[0] = limits::kGridX;
  p.maxGridSize[1] = p.maxGridSize[2] = limits::kGridYZ;
  p.totalConstMem = limits::kConstant;
  p.major = limits::kMajor;
  p.minor = limits::kMinor;
  p.multiProcessorCount = limits::kProcessors;
  p.concurrentKernels = 0;
  p.unifiedAddressing = 1;
  *properties = p;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (value == nullptr) return Remember(cudaErrorInvalidValue);
  if (!simt::IsDevice(device)) return Remember(cudaErrorInvalidDevice);
  namespace limits = simt::limits;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = limits::kThreads; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = limits::kSharedUsual; break;
    case cudaDevAttrWarpSize: *value = limits::kWarpSize; break;
    case cudaDevAttrMultiProcessorCount: *value = limits::kProcessors; break;
    case cudaDevAttrComputeCapabilityMajor: *value = limits::kMajor; break;
    case cudaDevAttrComputeCapabilityMinor: *value = limits::kMinor; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = limits::kSharedMost; break;
    default: return Remember(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  SIMT_ONLY_ON_HOST(cudaDeviceSynchronize);
  simt::SynchronizeStreams(true);
  return Remember(LastingError());
}

cudaError_t cudaDeviceReset() {
  SIMT_ONLY_ON_HOST(cudaDeviceReset);
  simt::SynchronizeStreams(true);
  for (const simt::Allocation& allocation : DeviceMemory::Get().Live()) {
    cudaFree(allocation.begin);
  }
  simt::ForgetErrors();
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return Remember(cudaErrorInvalidValue);
  *version = 13000;
  return cudaSuccess;
}
