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
    if (Status status = cublas_.Open(); !status.ok()) return status;
    return cudnn_.Open();
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
minitf_open_vendor_library(std::string* why_not) {
  auto library = std::make_unique<minitf::gpu::NvidiaLibrary>();
  const minitf::Status status = library->Open();
  if (status.ok()) return library.release();
  *why_not = status.message();
  return nullptr;
}
