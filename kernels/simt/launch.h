// Launch: a kernel, and the grid of threads that run it.
//
// Read next  kernels/simt/cuda_api.h

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>

#include "kernels/simt/cuda_api.h"
#include "kernels/simt/cuda_types.h"

namespace simt {

/// A launch that is asked for: how one thread calls the kernel, with copies of the
/// arguments.
struct LaunchRequest {
  dim3 grid, block;
  size_t dynamic_shared = 0;
  cudaStream_t stream = nullptr;
  const void* kernel = nullptr;
  const char* name = nullptr;  ///< of the kernel, if it cannot be had from its address
  void (*call)(void* arguments) = nullptr;
  std::shared_ptr<void> arguments;
  size_t arguments_size = 0;
};

/// Runs it, or puts it into its stream. A launch that no device could run is not run, and
/// the next cudaGetLastError says so.
void Start(const LaunchRequest& request, Site site);

/// What `kernel<<<grid, block, dynamic_shared, stream>>>` is short for.
template <typename... Parameters>
class Launch {
 public:
  using Kernel = void (*)(Parameters...);

  // NOLINTNEXTLINE(readability-function-size): CUDA's parameters, and the call's place
  Launch(Kernel kernel, dim3 grid, dim3 block, size_t dynamic_shared = 0,
         cudaStream_t stream = nullptr, SIMT_SITE)
      : kernel_(kernel), site_(SIMT_HERE) {
    request_.grid = grid;
    request_.block = block;
    request_.dynamic_shared = dynamic_shared;
    request_.stream = stream;
    request_.kernel = reinterpret_cast<const void*>(kernel);
  }

  template <typename... Arguments>
  void operator()(Arguments&&... arguments) {
    static_assert(sizeof...(Arguments) == sizeof...(Parameters),
                  "a launch passes all arguments of its kernel");
    using Call = std::tuple<Kernel, Parameters...>;
    request_.arguments = std::make_shared<Call>(
        kernel_, static_cast<Parameters>(std::forward<Arguments>(arguments))...);
    request_.arguments_size = sizeof(Call);
    request_.call = [](void* call) {
      std::apply([](Kernel kernel, auto&... all) { kernel(all...); },
                 *static_cast<Call*>(call));
    };
    Start(request_, site_);
  }

 private:
  const Kernel kernel_;
  const Site site_;
  LaunchRequest request_;
};

/// The same for a template whose arguments follow from those of the launch: `function`
/// calls it.
template <typename Function>
class LaunchDeduced {
 public:
  // NOLINTNEXTLINE(readability-function-size): CUDA's parameters, and the call's place
  LaunchDeduced(const char* name, Function, dim3 grid, dim3 block,
                size_t dynamic_shared = 0, cudaStream_t stream = nullptr, SIMT_SITE)
      : site_(SIMT_HERE) {
    request_.grid = grid;
    request_.block = block;
    request_.dynamic_shared = dynamic_shared;
    request_.stream = stream;
    request_.name = name;
  }

  template <typename... Arguments>
  void operator()(Arguments... arguments) {
    using Call = std::tuple<Arguments...>;
    request_.arguments = std::make_shared<Call>(arguments...);
    request_.arguments_size = sizeof(Call);
    request_.call = [](void* call) {
      std::apply([](auto&... all) { Function()(all...); }, *static_cast<Call*>(call));
    };
    request_.kernel = reinterpret_cast<const void*>(request_.call);
    Start(request_, site_);
  }

 private:
  const Site site_;
  LaunchRequest request_;
};

}  // namespace simt
