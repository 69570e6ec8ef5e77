// The runtime API: memory, copies, streams, events, devices, errors.
//
// The numbers and texts of errors are those of CUDA 13. Errors of 700 and more stay, as
// on a GPU: all later calls return them, until cudaDeviceReset.
//
// Compare    CUDA Runtime API, modules 6.1 to 6.13
// Read next  kernels/simt/cuda_half.h

#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/simt/cuda_types.h"

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidSymbol = 13,
  cudaErrorInvalidDevicePointer = 17,
  cudaErrorInvalidMemcpyDirection = 21,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchOutOfResources = 701,
  cudaErrorLaunchTimeout = 702,
  cudaErrorAssert = 710,
  cudaErrorHardwareStackError = 714,
  cudaErrorMisalignedAddress = 716,
  cudaErrorLaunchFailure = 719,
};

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4,
};

namespace simt {
class Stream;
class Event;
}  // namespace simt
using cudaStream_t = simt::Stream*;
using cudaEvent_t = simt::Event*;

inline constexpr unsigned cudaStreamDefault = 0;
inline constexpr unsigned cudaStreamNonBlocking = 1;
inline constexpr unsigned cudaEventDefault = 0;
inline constexpr unsigned cudaEventBlockingSync = 1;
inline constexpr unsigned cudaEventDisableTiming = 2;

enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };

enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
};

struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem;
  size_t sharedMemPerBlock;
  size_t sharedMemPerBlockOptin;
  size_t sharedMemPerMultiprocessor;
  int regsPerBlock;
  int warpSize;
  int maxThreadsPerBlock;
  int maxThreadsPerMultiProcessor;
  int maxThreadsDim[3];
  int maxGridSize[3];
  size_t totalConstMem;
  int major, minor;
  int multiProcessorCount;
  int canMapHostMemory;
  int concurrentKernels;
  int unifiedAddressing;
};

// ---- Errors ---------------------------------------------------------------------------

/// The last error of this thread, which is forgotten then, unless it stays.
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);

// ---- Devices --------------------------------------------------------------------------

/// SIMT_DEVICES of them, of which CUDA_VISIBLE_DEVICES may hide some.
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaRuntimeGetVersion(int* version);

// ---- Memory ---------------------------------------------------------------------------

cudaError_t cudaFree(void* memory, SIMT_SITE);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaMemGetInfo(size_t* free, size_t* total);
cudaError_t cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind kind,
                       SIMT_SITE);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr, SIMT_SITE);
cudaError_t cudaMemset(void* memory, int byte, size_t size, SIMT_SITE);
cudaError_t cudaMemsetAsync(void* memory, int byte, size_t size,
                            cudaStream_t stream = nullptr, SIMT_SITE);

namespace simt {
cudaError_t Malloc(void** memory, size_t size, Site site);
cudaError_t MallocHost(void** memory, size_t size, Site site);
cudaError_t CopyToSymbol(void* symbol, size_t symbol_size, const void* from, size_t size,
                         size_t offset, Site site);
cudaError_t CopyFromSymbol(void* to, const void* symbol, size_t symbol_size, size_t size,
                           size_t offset, Site site);
cudaError_t SetMaxDynamicShared(const void* kernel, int size);
}  // namespace simt

template <typename T>
cudaError_t cudaMalloc(T** memory, size_t size, SIMT_SITE) {
  return simt::Malloc(reinterpret_cast<void**>(memory), size, SIMT_HERE);
}
template <typename T>
cudaError_t cudaMallocHost(T** memory, size_t size, SIMT_SITE) {
  return simt::MallocHost(reinterpret_cast<void**>(memory), size, SIMT_HERE);
}
template <typename T>
// NOLINTNEXTLINE(readability-function-size): CUDA's parameters, and the call's place
cudaError_t cudaMemcpyToSymbol(T& symbol, const void* from, size_t size,
                               size_t offset = 0, cudaMemcpyKind = cudaMemcpyHostToDevice,
                               SIMT_SITE) {
  return simt::CopyToSymbol(&symbol, sizeof(T), from, size, offset, SIMT_HERE);
}
template <typename T>
// NOLINTNEXTLINE(readability-function-size): CUDA's parameters, and the call's place
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t size,
                                 size_t offset = 0,
                                 cudaMemcpyKind = cudaMemcpyDeviceToHost, SIMT_SITE) {
  return simt::CopyFromSymbol(to, &symbol, sizeof(T), size, offset, SIMT_HERE);
}
template <typename... Parameters>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Parameters...), cudaFuncAttribute,
                                 int value) {
  return simt::SetMaxDynamicShared(reinterpret_cast<const void*>(kernel), value);
}

// ---- Streams and events ---------------------------------------------------------------

cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned flags = 0);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void*), void* data);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
/// Milliseconds between two events.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end);
