// Launch: a kernel, and the grid of threads that run it.
//
// Read next  kernels/simt/cuda_api.h

#pragma once

#include <cstddef>
#include <memory>
#include <tuple>
#include <utility>

#include "kernels/simt/cuda_api.h"
#include "kernels/simt/cuda_types.h"

namespace simt {

/// A launch, as it was asked for.
struct LaunchInfo {
  dim3 grid, block;
  size_t dynamic_shared = 0;  ///< bytes
  const void* kernel = nullptr;
  const char* name = nullptr;  ///< of the kernel, if it cannot be had from its address
  void* arguments = nullptr;
  size_t arguments_size = 0;                ///< bytes
  void (*call)(void* arguments) = nullptr;  ///< of the kernel, by one thread

  size_t blocks() const { return size_t{grid.x} * grid.y * grid.z; }
  size_t threads() const { return size_t{block.x} * block.y * block.z; }  ///< of a block
};

/// The same, with its stream, and with what keeps its copies of the arguments.
struct LaunchRequest {
  LaunchInfo info;
  cudaStream_t stream = nullptr;
  std::shared_ptr<void> arguments;

  /// `call` is a tuple of what `info.call` needs.
  template <typename Call>
  void Keep(std::shared_ptr<Call> call) {
    info.arguments = call.get();
    info.arguments_size = sizeof(Call);
    arguments = std::move(call);
  }
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
      : kernel_(kernel),
        site_(SIMT_HERE),
        request_{{grid, block, dynamic_shared}, stream, nullptr} {
    OnlyOnHost("launches a kernel", site_);
    request_.info.kernel = reinterpret_cast<const void*>(kernel);
  }

  template <typename... Arguments>
  void operator()(Arguments&&... arguments) {
    static_assert(sizeof...(Arguments) == sizeof...(Parameters),
                  "a launch passes all arguments of its kernel");
    using Call = std::tuple<Kernel, Parameters...>;
    request_.Keep(std::make_shared<Call>(
        kernel_, static_cast<Parameters>(std::forward<Arguments>(arguments))...));
    request_.info.call = [](void* call) {
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
      : site_(SIMT_HERE), request_{{grid, block, dynamic_shared}, stream, nullptr} {
    OnlyOnHost("launches a kernel", site_);
    request_.info.name = name;
  }

  template <typename... Arguments>
  void operator()(Arguments... arguments) {
    using Call = std::tuple<Arguments...>;
    request_.Keep(std::make_shared<Call>(arguments...));
    request_.info.call = [](void* call) {
      std::apply([](auto&... all) { Function()(all...); }, *static_cast<Call*>(call));
    };
    request_.info.kernel = reinterpret_cast<const void*>(request_.info.call);
    Start(request_, site_);
  }

 private:
  const Site site_;
  LaunchRequest request_;
};

}  // namespace simt
