// How fast the GPU kernels are, beside cuBLAS and cuDNN on the same shapes, in one run.
//
//   nvcc ... and run on a machine with a card; prints a table in Markdown
//
// Each figure is the median of several timings between two events. A library and a kernel
// take turns, so that both see the same clock of the card.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/gpu/conv2d.h"
#include "kernels/gpu/elementwise.h"
#include "kernels/gpu/loops.h"
#include "kernels/gpu/matmul.h"
#include "kernels/gpu/nn/softmax.h"
#include "kernels/gpu/reduction.h"
#include "kernels/gpu/strided_copy.h"
#include "kernels/gpu/vendor/convolver.h"
#include "kernels/gpu/vendor/cublas.h"
#include "kernels/gpu/vendor/matmul_tensor_cores.h"
#include "kernels/gpu/vendor/vendor_library.h"

namespace minitf::gpu {
namespace {

void Check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("CUDA: %s\n", cudaGetErrorString(error));
  std::exit(1);
}
void Check(const Status& status) {
  if (status.ok()) return;
  std::printf("%s\n", status.message().c_str());
  std::exit(1);
}

// Memory that is never freed, filled with small numbers.
__global__ void FillNumbers(int64_t count, float* x) {
  MINITF_GPU_LOOP(i, count) x[i] = static_cast<float>((i * 7919) % 1013) / 1013 - 0.5F;
}
float* NewNumbers(int64_t count) {
  float* memory = nullptr;
  Check(cudaMalloc(&memory, count * sizeof(float)));
  FillNumbers<<<BlocksFor(count), kBlockSize>>>(count, memory);
  Check(cudaGetLastError());
  return memory;
}

// Memory for calls that follow each other: each gets that of the one before.
class Rooms {
 public:
  void Rewind() { next_ = 0; }
  void* Take(size_t bytes) {
    if (next_ == rooms_.size()) rooms_.push_back({});
    auto& [size, memory] = rooms_[next_++];
    if (size < bytes) {
      cudaFree(memory);
      Check(cudaMalloc(&memory, bytes));
      size = bytes;
    }
    return memory;
  }

 private:
  std::vector<std::pair<size_t, void*>> rooms_;
  size_t next_ = 0;
};

using Work = std::function<void()>;

double MillisecondsOf(const Work& work) {
  static cudaEvent_t begin = nullptr, end = nullptr;
  if (begin == nullptr) {
    Check(cudaEventCreate(&begin));
    Check(cudaEventCreate(&end));
  }
  constexpr int kCalls = 3;
  Check(cudaEventRecord(begin));
  for (int i = 0; i < kCalls; ++i) work();
  Check(cudaEventRecord(end));
  Check(cudaEventSynchronize(end));
  float milliseconds = 0;
  Check(cudaEventElapsedTime(&milliseconds, begin, end));
  return milliseconds / kCalls;
}

// Medians of all, which take turns.
std::vector<double> Medians(const std::vector<Work>& all, int rounds = 9) {
  std::vector<std::vector<double>> times(all.size());
  for (const Work& work : all) work();
  Check(cudaDeviceSynchronize());
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < all.size(); ++i) times[i].push_back(MillisecondsOf(all[i]));
  }
  std::vector<double> medians;
  for (auto& list : times) {
    std::sort(list.begin(), list.end());
    medians.push_back(list[list.size() / 2]);
  }
  return medians;
}

void MatMuls() {
  Cublas cublas;
  Check(cublas.Open());
  std::printf("\n| float32 product | cuBLAS TFLOP/s | registers | shared | naive |\n");
  std::printf("| --- | --- | --- | --- | --- |\n");
  for (const auto& [m, n, k] : {std::array<int, 3>{512, 512, 512},
                                {1024, 1024, 1024},
                                {2048, 2048, 2048},
                                {4096, 4096, 4096},
                                {128, 1024, 1024},
                                {8192, 8192, 1024}}) {
    const MatMulSizes sizes{m, n, k};
    float* const a = NewNumbers(int64_t{m} * k);
    float* const b = NewNumbers(int64_t{k} * n);
    float* const c = NewNumbers(int64_t{m} * n);
    std::vector<Work> works = {
        [&] {
          Check(cublas.MatMul({ElementType::kFloat32, sizes}, a, b, c, nullptr));
        },
        [&] { Check(LaunchMatMul(MatMulTier::kRegisters, sizes, a, b, c, nullptr)); },
        [&] { Check(LaunchMatMul(MatMulTier::kShared, sizes, a, b, c, nullptr)); },
        [&] { Check(LaunchMatMul(MatMulTier::kNaive, sizes, a, b, c, nullptr)); }};
    const auto times = Medians(works);
    const double flops = 2.0 * m * n * k / 1e9;
    std::printf(
        "| %d x %d x %d | %.1f | %.1f (%.0f %%) | %.1f (%.0f %%) | %.1f (%.0f %%) |\n", m,
        k, n, flops / times[0], flops / times[1], 100 * times[0] / times[1],
        flops / times[2], 100 * times[0] / times[2], flops / times[3],
        100 * times[0] / times[3]);
    for (float* memory : {a, b, c}) cudaFree(memory);
  }
}

__global__ void ToBfloat16(int64_t count, const float* x, __nv_bfloat16* y) {
  MINITF_GPU_LOOP(i, count) y[i] = __float2bfloat16(x[i]);
}

__nv_bfloat16* NewBfloat16(int64_t count) {
  float* const numbers = NewNumbers(count);
  __nv_bfloat16* memory = nullptr;
  Check(cudaMalloc(&memory, count * 2));
  ToBfloat16<<<BlocksFor(count), kBlockSize>>>(count, numbers, memory);
  cudaFree(numbers);
  return memory;
}

// The largest difference of two results.
double Difference(int64_t count, const __nv_bfloat16* x, const __nv_bfloat16* y) {
  std::vector<__nv_bfloat16> a(count), b(count);
  Check(cudaMemcpy(a.data(), x, count * 2, cudaMemcpyDeviceToHost));
  Check(cudaMemcpy(b.data(), y, count * 2, cudaMemcpyDeviceToHost));
  double most = 0;
  for (int64_t i = 0; i < count; ++i) {
    most =
        std::max<double>(most, std::abs(__bfloat162float(a[i]) - __bfloat162float(b[i])));
  }
  return most;
}

void TensorCores() {
  Cublas cublas;
  Check(cublas.Open());
  std::printf(
      "\n| bfloat16 product | cuBLAS TFLOP/s | tensor cores | largest difference |\n");
  std::printf("| --- | --- | --- | --- |\n");
  for (const auto& [m, n, k] : {std::array<int, 3>{1000, 1008, 520},
                                {2048, 2048, 2048},
                                {4096, 4096, 4096},
                                {8192, 8192, 8192}}) {
    const MatMulSizes sizes{m, n, k};
    __nv_bfloat16* const a = NewBfloat16(int64_t{m} * k);
    __nv_bfloat16* const b = NewBfloat16(int64_t{k} * n);
    __nv_bfloat16* const c = NewBfloat16(int64_t{m} * n);
    __nv_bfloat16* const d = NewBfloat16(int64_t{m} * n);
    const auto times =
        Medians({[&] { Check(cublas.MatMulBfloat16(sizes, a, b, c, nullptr)); },
                 [&] { Check(LaunchMatMulTensorCores(m, n, k, a, b, d, nullptr)); }});
    const double flops = 2.0 * m * n * k / 1e9;
    std::printf("| %d x %d x %d | %.0f | %.0f (%.0f %%) | %.3g |\n", m, k, n,
                flops / times[0], flops / times[1], 100 * times[0] / times[1],
                Difference(int64_t{m} * n, c, d));
    for (__nv_bfloat16* memory : {a, b, c, d}) cudaFree(memory);
  }
}

void Convolutions() {
  Status why_not;
  const std::unique_ptr<VendorLibrary> library(minitf_open_vendor_library(&why_not));
  Check(why_not);
  ConvOptions options;  // cuDNN at its best: all its algorithms, each tried
  options.only_deterministic = false;
  const CudaStream card(0);
  Convolver cudnn(library.get(), card, options);
  Rooms rooms;
  std::printf(
      "\n| float32 convolution | cuDNN TFLOP/s, its algorithm | tiles | shared | direct "
      "|\n");
  std::printf("| --- | --- | --- | --- | --- |\n");
  struct Shape {
    int n, h, c, r, k;
  };
  for (const auto& [n, h, c, r, k] : {Shape{32, 56, 64, 3, 64},
                                      {32, 28, 128, 3, 128},
                                      {32, 14, 256, 3, 256},
                                      {128, 32, 64, 3, 64},
                                      {32, 28, 32, 5, 64},
                                      {32, 56, 64, 1, 256}}) {
    Conv2dSizes g{n, h, h, c, r, r, k, h, h};
    g.pad_top = g.pad_left = r / 2;
    float* const x = NewNumbers(g.x_size());
    float* const w = NewNumbers(g.w_size());
    float* const y = NewNumbers(g.y_size());
    float* const partial = NewNumbers(g.w_size() * Conv2dFilterSplits(g));
    const auto by_cudnn = [&](ConvKind kind) {
      ConvCall call;
      call.problem.kind = kind;
      call.problem.sizes = g;
      call.pad_bottom = call.pad_right = r / 2;
      rooms.Rewind();
      const auto take = [&](size_t bytes) { return rooms.Take(bytes); };
      const bool is_done = cudnn.Run(call, {x, w, y}, take, nullptr);
      Check(is_done ? Status() : errors::Internal("cuDNN has no algorithm"));
    };
    const double flops = 2.0 * g.y_size() * r * r * c / 1e9;
    const auto row = [&](const char* kind, const std::vector<Work>& works) {
      const auto times = Medians(works);
      std::printf("| %s [%d,%d,%d,%d] %dx%d to %d | %.1f, %d |", kind, n, h, h, c, r, r,
                  k, flops / times[0], cudnn.last_algorithm().id);
      for (size_t i = 1; i < times.size(); ++i) {
        std::printf(" %.1f (%.0f %%) |", flops / times[i], 100 * times[0] / times[i]);
      }
      std::printf("\n");
    };
    row("forward", {[&] { by_cudnn(ConvKind::kForward); },
                    [&] { Check(LaunchConv2dTiles(g, x, w, y, nullptr)); },
                    [&] { Check(LaunchConv2dShared(g, x, w, y, nullptr)); },
                    [&] { Check(LaunchConv2dDirect(g, x, w, y, nullptr)); }});
    row("input", {[&] { by_cudnn(ConvKind::kInput); },
                  [&] { Check(LaunchConv2dInputTiles(g, y, w, x, nullptr)); }});
    row("filter",
        {[&] { by_cudnn(ConvKind::kFilter); },
         [&] { Check(LaunchConv2dFilterTiles(g, x, y, partial, w, nullptr)); }});
    for (float* memory : {x, w, y, partial}) cudaFree(memory);
  }
}

void Memory() {
  std::printf("\n| what moves memory | GB/s | of a copy |\n| --- | --- | --- |\n");
  const int64_t count = int64_t{1} << 26;
  float* const x = NewNumbers(count);
  float* const y = NewNumbers(count);
  float* const z = NewNumbers(count);
  const BinaryKernel* add = nullptr;
  for (const BinaryKernel& kernel : BinaryKernels()) {
    const bool is_add = std::string(kernel.op) == "Add";
    if (is_add && kernel.in == ElementType::kFloat32) add = &kernel;
  }
  const UnaryKernel* exp = nullptr;
  for (const UnaryKernel& kernel : UnaryKernels()) {
    const bool is_exp = std::string(kernel.op) == "Exp";
    if (is_exp && kernel.in == ElementType::kFloat32) exp = &kernel;
  }
  const Broadcast bias{2, {count / 64, 64}, {{64, 1}, {0, 1}}};
  const double bytes = 4.0 * count / 1e6;
  const auto times = Medians({
      [&] { Check(cudaMemcpyAsync(y, x, count * 4, cudaMemcpyDeviceToDevice)); },
      [&] { Check(exp->launch(count, x, y, nullptr)); },
      [&] { Check(add->launch(count, count, count, {}, x, y, z, nullptr)); },
      [&] { Check(add->launch(count, count, 64, bias, x, y, z, nullptr)); },
      [&] {
        Check(
            LaunchReduce(ReduceFunction::kSum, {1 << 16, 1 << 10, 1}, x, y, z, nullptr));
      },
      [&] {
        Check(
            LaunchReduce(ReduceFunction::kSum, {1, 1 << 16, 1 << 10}, x, y, z, nullptr));
      },
      [&] {
        Check(
            LaunchReduce(ReduceFunction::kSum, {64, 1 << 10, 1 << 10}, x, y, z, nullptr));
      },
      [&] {
        Check(LaunchReduce(ReduceFunction::kSum, {1, 1 << 26, 1}, x, y, z, nullptr));
      },
      [&] { Check(LaunchSoftmax(false, 1 << 16, 1 << 10, x, y, nullptr)); },
      [&] { Check(LaunchTranspose(4, 1, 1 << 13, 1 << 13, x, y, nullptr)); },
      [&] {
        Check(LaunchStridedCopy(
            4, {3, {64, 1 << 10, 1 << 10}, {1 << 10, 1 << 16, 1}, {1 << 20, 1 << 10, 1}},
            x, y, nullptr));
      },
  });
  const char* const names[] = {"copy (cudaMemcpy)",
                               "Exp",
                               "Add",
                               "Add of 64 numbers",
                               "sums of rows",
                               "sums of columns",
                               "sums of columns, 64 matrices",
                               "sum of all",
                               "softmax of rows",
                               "transpose",
                               "two axes changed, rows kept"};
  const double moved[] = {2, 2, 3, 2, 1, 1, 1, 1, 2, 2, 2};
  for (size_t i = 0; i < times.size(); ++i) {
    std::printf("| %s | %.0f | %.0f %% |\n", names[i], moved[i] * bytes / times[i],
                50 * moved[i] * times[0] / times[i]);
  }
}

}  // namespace
}  // namespace minitf::gpu

int main() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    std::printf("no card; nothing was measured\n");
    return 0;
  }
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  std::printf("%s, %d multiprocessors\n", properties.name,
              properties.multiProcessorCount);
  minitf::gpu::MatMuls();
  minitf::gpu::TensorCores();
  minitf::gpu::Convolutions();
  minitf::gpu::Memory();
  return 0;
}
