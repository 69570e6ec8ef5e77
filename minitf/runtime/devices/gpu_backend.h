// GpuBackend: the cards of this process, real or emulated.
//
// What drives cards is in libraries of its own, so that minitf is built and runs where
// there is no CUDA. Both are made of the same sources, kernels/gpu, and registering their
// kernels is part of being loaded:
//
//   libminitf_gpu_cuda.so       by nvcc: the cards of NVIDIA's driver
//   libminitf_gpu_emulated.so   by a C++ compiler, with the emulator of kernels/simt
//
// The environment variable MINITF_GPU says which:
//
//   auto      a card if there is one, else the emulator; so it is if nothing is said
//   cuda      cards; an error where there is none
//   emulate   the emulator
//   cpu       devices in name: memory and stream of their own, and the CPU's kernels. It
//             is what there is, too, where the libraries above are not
//   check     the emulator in check mode, where that was built: for tests of kernels
//   off       no GPU at all
//
// Compare    tensorflow/core/common_runtime/gpu/gpu_device.h,
//            tensorflow/core/common_runtime/gpu/gpu_init.h
// Read next  minitf/runtime/devices/local_devices.h

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "minitf/framework/stream.h"
#include "minitf/tensor/allocator.h"

namespace minitf {

class GpuBackend {
 public:
  virtual ~GpuBackend() = default;

  /// Cards that CUDA_VISIBLE_DEVICES lets the process see. An emulator has as many as are
  /// asked for, and leaves it to the caller to read that variable.
  virtual int num_cards() const = 0;
  virtual bool is_emulated() const = 0;

  /// "name: NVIDIA H200, compute capability: 9.0"; "emulated" is part of it if it is.
  virtual std::string Description(int card) const = 0;
  /// Bytes that the process may use of a card's memory.
  virtual int64_t MemorySize(int card) const = 0;
  /// The memory of a card; lives as long as the process.
  virtual Allocator& allocator(int card) = 0;
  /// The stream of a card, which all who use it share: so memory that was given back can
  /// be given out again without waiting. Lives as long as the process.
  virtual std::shared_ptr<Stream> stream(int card) = 0;
};

/// The one of this process, which is loaded on the first call. Null if MINITF_GPU is off
/// or cpu, or if it is auto and neither library is there. Throws InvalidArgument for a
/// value of MINITF_GPU that there is not, and FailedPrecondition if cards are asked for
/// and there is none.
GpuBackend* FindGpuBackend();

/// Whether MINITF_GPU is "off".
bool AreGpusOff();

}  // namespace minitf
