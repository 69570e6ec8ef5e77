// VendorLibrary by cuBLAS and cuDNN: the way into libminitf_gpu_vendor.so.

#include "kernels/gpu/vendor/vendor_library.h"

#include <memory>

#include "kernels/gpu/vendor/cublas.h"
#include "kernels/gpu/vendor/cudnn.h"

namespace minitf::gpu {
namespace {

class NvidiaLibrary final : public VendorLibrary {
 public:
  Status Open() {
    int count = 0;
    if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) {
      return errors::FailedPrecondition("there is no card: ", cudaGetErrorString(error));
    }
    Status status = cublas_.Open();
    if (status.ok()) status = cudnn_.Open();
    // Where memory is short, a handle may say only that it is not initialized.
    size_t free = 0;
    size_t total = 0;
    if (status.ok() || cudaMemGetInfo(&free, &total) != cudaSuccess) return status;
    return free < size_t{1} << 30 ? errors::ResourceExhausted(status.message()) : status;
  }

  Status FindAlgorithms(const ConvProblem& problem,
                        std::vector<ConvAlgorithm>* found) override {
    return cudnn_.FindAlgorithms(problem, found);
  }
  Status MeasureAlgorithms(const ConvProblem& problem, const ConvOperands& operands,
                           const Workspace& room, cudaStream_t stream,
                           std::vector<ConvAlgorithm>* found) override {
    return cudnn_.MeasureAlgorithms(problem, operands, room, stream, found);
  }
  Status Convolve(const ConvProblem& problem, const ConvOperands& operands,
                  const ConvAlgorithm& algorithm, const Workspace& room,
                  cudaStream_t stream) override {
    return cudnn_.Convolve(problem, operands, algorithm, room, stream);
  }
  Status Pool(const PoolProblem& problem, const void* from, void* to,
              cudaStream_t stream) override {
    return cudnn_.Pool(problem, from, to, stream);
  }
  Status Softmax(const SoftmaxProblem& problem, const void* x, void* y,
                 cudaStream_t stream) override {
    return cudnn_.Softmax(problem, x, y, stream);
  }
  Status MatMul(const MatMulProblem& problem, const void* a, const void* b, void* c,
                cudaStream_t stream) override {
    return cublas_.MatMul(problem, a, b, c, stream);
  }

 private:
  Cublas cublas_;
  Cudnn cudnn_;
};

}  // namespace
}  // namespace minitf::gpu

extern "C" __attribute__((visibility("default"))) minitf::gpu::VendorLibrary*
minitf_open_vendor_library(minitf::Status* why_not) {
  auto library = std::make_unique<minitf::gpu::NvidiaLibrary>();
  *why_not = library->Open();
  return why_not->ok() ? library.release() : nullptr;
}
