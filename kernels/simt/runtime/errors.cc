// Errors, their names and their texts.
//
// Compare    cudaGetErrorString of CUDA 13
// Read next  kernels/simt/runtime/faults.cc

#include "kernels/simt/runtime/errors.h"

#include <atomic>

namespace simt {
namespace {

std::atomic<cudaError_t> lasting = cudaSuccess;
thread_local cudaError_t last = cudaSuccess;

struct Words {
  cudaError_t error;
  const char* name;
  const char* text;
};

#define SIMT_ERROR(name, text) \
  Words { name, #name, text }

constexpr Words kWords[] = {
    SIMT_ERROR(cudaSuccess, "no error"),
    SIMT_ERROR(cudaErrorInvalidValue, "invalid argument"),
    SIMT_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    SIMT_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    SIMT_ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    SIMT_ERROR(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    SIMT_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    SIMT_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    SIMT_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    SIMT_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    SIMT_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    SIMT_ERROR(cudaErrorNotReady, "device not ready"),
    SIMT_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    SIMT_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    SIMT_ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    SIMT_ERROR(cudaErrorAssert, "device-side assert triggered"),
    SIMT_ERROR(cudaErrorHardwareStackError, "hardware stack error"),
    SIMT_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    SIMT_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
};

constexpr Words kUnknown = {cudaSuccess, "unrecognized error code",
                            "unrecognized error code"};

const Words& WordsOf(cudaError_t error) {
  for (const Words& words : kWords) {
    if (words.error == error) return words;
  }
  return kUnknown;
}

}  // namespace

cudaError_t Remember(cudaError_t error) {
  if (error == cudaSuccess) return error;
  last = error;
  if (error >= cudaErrorIllegalAddress && error != cudaErrorLaunchOutOfResources) {
    cudaError_t none = cudaSuccess;
    lasting.compare_exchange_strong(none, error);
  }
  return error;
}

cudaError_t LastingError() { return lasting; }

void ForgetErrors() {
  last = cudaSuccess;
  lasting = cudaSuccess;
}

}  // namespace simt

cudaError_t cudaPeekAtLastError() {
  const cudaError_t stays = simt::LastingError();
  return stays != cudaSuccess ? stays : simt::last;
}

cudaError_t cudaGetLastError() {
  const cudaError_t found = cudaPeekAtLastError();
  simt::last = cudaSuccess;
  return found;
}

const char* cudaGetErrorName(cudaError_t error) { return simt::WordsOf(error).name; }

const char* cudaGetErrorString(cudaError_t error) { return simt::WordsOf(error).text; }
