// Fast mode of the emulator: values, streams, errors, and kernels that mean no good.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include <cuda_fp16.h>

#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

namespace {

// Before the emulator reads it: how long a launch may take.
[[maybe_unused]] const bool kLimitIsSet = setenv("SIMT_TIMEOUT_S", "2", 1) == 0;

class SimtFast : public ::testing::Test {
 protected:
  void TearDown() override { cudaDeviceReset(); }
};

// ---- Indices --------------------------------------------------------------------------

__global__ void CountIndices(int* counts) {
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  atomicAdd(&counts[block * blockDim.x * blockDim.y * blockDim.z + thread], 1);
}

TEST_F(SimtFast, EachIndexComesOnceInGridsOfAllShapes) {
  std::mt19937 random(1);
  const auto up_to = [&](int most) { return 1 + static_cast<unsigned>(random() % most); };
  for (int i = 0; i < 60; ++i) {
    const dim3 grid(up_to(9), up_to(5), up_to(4)), block(up_to(40), up_to(6), up_to(4));
    const size_t size = size_t{grid.x} * grid.y * grid.z * block.x * block.y * block.z;
    const Device<int> counts(std::vector<int>(size, 0));
    CountIndices<<<grid, block>>>(counts);
    EXPECT_EQ(counts.Host(), std::vector<int>(size, 1)) << grid.x << " " << block.x;
  }
}

// ---- Barriers and warps ---------------------------------------------------------------

__global__ void ReverseByShared(int* x) {
  extern __shared__ int room[];
  for (int round = 0; round < 3; ++round) {
    room[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = room[blockDim.x - 1 - threadIdx.x];
    __syncthreads();
  }
}

TEST_F(SimtFast, ABarrierHoldsForBlocksOfAllSizes) {
  for (const int size : {1, 2, 31, 32, 33, 63, 64, 100, 255, 512, 777, 1024}) {
    std::vector<int> numbers(size);
    std::iota(numbers.begin(), numbers.end(), 0);
    const Device<int> x(numbers);
    ReverseByShared<<<1, size, size * sizeof(int)>>>(x);
    std::reverse(numbers.begin(), numbers.end());
    EXPECT_EQ(x.Host(), numbers) << size;
  }
}

__global__ void CountPredicates(int limit, int* y) {
  const int i = threadIdx.x;
  y[4 * i] = __syncthreads_count(i < limit);
  y[4 * i + 1] = __syncthreads_or(i < limit);
  y[4 * i + 2] = __syncthreads_and(i < limit);
  y[4 * i + 3] = i;
}

TEST_F(SimtFast, BarriersCountPredicates) {
  for (const int limit : {0, 1, 50, 70}) {
    const Device<int> y(std::vector<int>(70 * 4, -1));
    CountPredicates<<<1, 70>>>(limit, y);
    const std::vector<int> found = y.Host();
    for (int i = 0; i < 70; ++i) {
      EXPECT_EQ(found[4 * i], limit);
      EXPECT_EQ(found[4 * i + 1], limit > 0);
      EXPECT_EQ(found[4 * i + 2], limit == 70);
      EXPECT_EQ(found[4 * i + 3], i);
    }
  }
}

// What each of 4 shuffles gives, as CUDA's guide has it: a lane of the segment, or one's
// own.
__global__ void Shuffles(const int* x, int parameter, int width, int* y) {
  const int i = threadIdx.x;
  y[4 * i] = __shfl_sync(0xffffffff, x[i], parameter, width);
  y[4 * i + 1] = __shfl_up_sync(0xffffffff, x[i], parameter, width);
  y[4 * i + 2] = __shfl_down_sync(0xffffffff, x[i], parameter, width);
  y[4 * i + 3] = __shfl_xor_sync(0xffffffff, x[i], parameter, width);
}

TEST_F(SimtFast, ShufflesOfAllWidths) {
  std::vector<int> numbers(32);
  for (int i = 0; i < 32; ++i) numbers[i] = 1000 + i;
  const Device<int> x(numbers), y(std::vector<int>(128));
  for (const int width : {1, 2, 4, 8, 16, 32}) {
    for (int p = 0; p < 32; ++p) {
      Shuffles<<<1, 32>>>(x, p, width, y);
      const std::vector<int> found = y.Host();
      for (int i = 0; i < 32; ++i) {
        const int first = i / width * width, last = first + width;
        EXPECT_EQ(found[4 * i], numbers[first + p % width]);
        EXPECT_EQ(found[4 * i + 1], numbers[i - p >= first ? i - p : i]);
        EXPECT_EQ(found[4 * i + 2], numbers[i + p < last ? i + p : i]);
        EXPECT_EQ(found[4 * i + 3], numbers[(i ^ p) < last ? i ^ p : i]);
      }
    }
  }
}

__global__ void WarpFunctions(const int* x, unsigned* y) {
  const int i = threadIdx.x;
  const unsigned all = 0xffffffff;
  unsigned* const mine = y + 8 * i;
  mine[0] = __ballot_sync(all, x[i] > 0);
  mine[1] = __match_any_sync(all, x[i]);
  int same = -1;
  mine[2] = __match_all_sync(all, x[i], &same) + static_cast<unsigned>(same);
  mine[3] = __reduce_add_sync(all, x[i]);
  mine[4] = __reduce_min_sync(all, x[i]);
  mine[5] = __reduce_max_sync(all, x[i]);
  mine[6] = __reduce_xor_sync(all, static_cast<unsigned>(x[i]));
  mine[7] = __any_sync(all, x[i] > 3) * 2 + __all_sync(all, x[i] > 3);
}

TEST_F(SimtFast, WhatAWarpComputesTogether) {
  std::mt19937 random(2);
  for (int round = 0; round < 20; ++round) {
    std::vector<int> numbers(32);
    for (int& number : numbers) number = static_cast<int>(random() % 9) - 4;
    if (round == 0) numbers.assign(32, 5);
    const Device<int> x(numbers);
    const Device<unsigned> y(std::vector<unsigned>(256));
    WarpFunctions<<<1, 32>>>(x, y);
    const std::vector<unsigned> found = y.Host();
    unsigned ballot = 0, bits = 0;
    int sum = 0;
    for (int i = 0; i < 32; ++i) {
      ballot |= unsigned{numbers[i] > 0} << i;
      bits ^= static_cast<unsigned>(numbers[i]);
      sum += numbers[i];
    }
    const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
    for (int i = 0; i < 32; ++i) {
      unsigned alike = 0;
      for (int k = 0; k < 32; ++k) alike |= unsigned{numbers[k] == numbers[i]} << k;
      const unsigned* const mine = &found[8 * i];
      EXPECT_EQ(mine[0], ballot);
      EXPECT_EQ(mine[1], alike);
      EXPECT_EQ(mine[2], *least == *most ? 0xffffffffU + 1 : 0);
      EXPECT_EQ(static_cast<int>(mine[3]), sum);
      EXPECT_EQ(static_cast<int>(mine[4]), *least);
      EXPECT_EQ(static_cast<int>(mine[5]), *most);
      EXPECT_EQ(mine[6], bits);
      EXPECT_EQ(mine[7], (*most > 3) * 2U + (*least > 3));
    }
  }
}

__global__ void Segments(int* y) {
  // Two halves of a warp go their own ways, each with its mask.
  const int i = threadIdx.x;
  const unsigned mask = i < 16 ? 0xffff : 0xffff0000;
  int sum = i;
  for (int d = 8; d > 0; d /= 2) sum += __shfl_xor_sync(mask, sum, d);
  if (i < 16) {
    sum += __popc(__ballot_sync(0xffff, 1));
  } else {
    __syncwarp(0xffff0000);
    sum += 1000;
  }
  y[i] = sum;
}

TEST_F(SimtFast, PartsOfAWarpMeetByTheirMasks) {
  const Device<int> y(std::vector<int>(32));
  Segments<<<1, 32>>>(y);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(y.Host()[i], i < 16 ? 120 + 16 : 376 + 1000);
}

// ---- Atomics --------------------------------------------------------------------------

template <typename T>
__global__ void Atomics(T* y) {
  const auto i = static_cast<T>(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(&y[0], i);
  atomicMax(&y[1], i);
  atomicMin(&y[2], i);
  atomicXor(&y[3], i);
  atomicOr(&y[4], i);
  atomicAnd(&y[5], static_cast<T>(i | 64));
  atomicExch(&y[6], i);
  T old = y[7];
  for (T seen = old + 1; seen != old;) {
    seen = old;
    old = atomicCAS(&y[7], seen, static_cast<T>(seen + 2));
  }
}

TEST_F(SimtFast, AtomicsOfManyBlocks) {
  const int n = 64 * 128;
  const auto check = [&](auto zero) {
    using T = decltype(zero);
    const auto most = static_cast<T>(~T{0} & 0xffff);
    const Device<T> y(std::vector<T>{0, 0, most, 0, 0, most, most, 0});
    Atomics<T><<<64, 128>>>(y);
    const std::vector<T> found = y.Host();
    EXPECT_EQ(found[0], static_cast<T>(n / 2 * (n - 1)));
    EXPECT_EQ(found[1], static_cast<T>(n - 1));
    EXPECT_EQ(found[2], T{0});
    EXPECT_EQ(found[3], T{0});
    EXPECT_EQ(found[4], static_cast<T>(n - 1));
    EXPECT_EQ(found[5], T{64});
    EXPECT_LT(found[6], static_cast<T>(n));
    EXPECT_EQ(found[7], static_cast<T>(2 * n));
  };
  check(0);
  check(0U);
  check(0ULL);
}

__global__ void FloatAtomics(float* f, double* d, __half* h, unsigned* wrap) {
  atomicAdd(f, 0.5F);
  atomicAdd(d, 0.25);
  if (threadIdx.x == 0) atomicAdd(h, __half(1.0F));
  atomicInc(&wrap[0], 4);
  atomicDec(&wrap[1], 4);
}

TEST_F(SimtFast, AtomicsOfFloatsAndCounters) {
  const Device<float> f(std::vector<float>{0});
  const Device<double> d(std::vector<double>{0});
  const Device<__half> h(std::vector<__half>{__half(0.0F)});
  const Device<unsigned> wrap(std::vector<unsigned>{0, 2});
  FloatAtomics<<<10, 33>>>(f, d, h, wrap);
  EXPECT_EQ(f.Host()[0], 165.0F);
  EXPECT_EQ(d.Host()[0], 82.5);
  EXPECT_EQ(static_cast<float>(h.Host()[0]), 10.0F);
  EXPECT_EQ(wrap.Host()[0], 330 % 5);
  EXPECT_EQ(wrap.Host()[1], (2 + 5 * 330 - 330) % 5U);
}

// ---- 16 bits --------------------------------------------------------------------------

TEST_F(SimtFast, HalfsOfAllPatternsComeBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float x = simt::FromHalfBits(static_cast<uint16_t>(bits));
    const float y = simt::FromBfloat16Bits(static_cast<uint16_t>(bits));
    if (!std::isnan(x)) EXPECT_EQ(simt::HalfBits(x), bits);
    if (!std::isnan(y)) EXPECT_EQ(simt::Bfloat16Bits(y), bits);
#if defined(__FLT16_MAX__)
    _Float16 half;
    std::memcpy(&half, &bits, sizeof(half));
    if (!std::isnan(x)) EXPECT_EQ(x, static_cast<float>(half));
#endif
  }
}

#if defined(__FLT16_MAX__)
TEST_F(SimtFast, FloatsBecomeHalfsAsTheCompilerRoundsThem) {
  std::mt19937 random(3);
  for (int i = 0; i < 1'000'000; ++i) {
    const float x = simt::FloatOf(random());
    if (std::isnan(x)) continue;
    const auto half = static_cast<_Float16>(x);
    uint16_t bits;
    std::memcpy(&bits, &half, sizeof(bits));
    ASSERT_EQ(simt::HalfBits(x), bits) << x;
  }
}
#endif

// ---- Streams and events ---------------------------------------------------------------

__global__ void AddSlowly(int more, int* x) {
  for (int i = 0; i < 200; ++i) __syncthreads();
  x[blockIdx.x * blockDim.x + threadIdx.x] += more;
}

__global__ void Double(int* x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }

TEST_F(SimtFast, AStreamKeepsItsOrder) {
  const Device<int> x(std::vector<int>(256, 1));
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  for (int i = 0; i < 10; ++i) {
    AddSlowly<<<4, 64, 0, stream>>>(1, x);
    Double<<<4, 64, 0, stream>>>(x);
  }
  std::vector<int> found(256);
  cudaMemcpyAsync(found.data(), x, 1024, cudaMemcpyDeviceToHost, stream);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(found, std::vector<int>(256, 3 * 1024 - 2));
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(SimtFast, EventsOrderStreamsAndTakeTime) {
  const Device<int> x(std::vector<int>(64, 1));
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  for (int i = 0; i < 20; ++i) {
    cudaEventRecord(begin, first);
    AddSlowly<<<1, 64, 0, first>>>(1, x);
    cudaEventRecord(end, first);
    cudaStreamWaitEvent(second, end);
    Double<<<1, 64, 0, second>>>(x);
    cudaEventRecord(begin, second);
    cudaStreamWaitEvent(first, begin);
  }
  cudaStreamSynchronize(first);
  cudaStreamSynchronize(second);
  EXPECT_EQ(x.Host()[63], 3 * (1 << 20) - 2);
  cudaEventRecord(begin);
  AddSlowly<<<1, 64>>>(1, x);
  cudaEventRecord(end);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaSuccess);
  EXPECT_GT(milliseconds, 0);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  EXPECT_EQ(cudaStreamSynchronize(first), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}

// ---- Errors ---------------------------------------------------------------------------

__global__ void Nothing() {}

TEST_F(SimtFast, LaunchesThatNoDeviceTakesAreErrors) {
  const auto launched = [](dim3 grid, dim3 block, size_t shared = 0) {
    Nothing<<<grid, block, shared>>>();
    return cudaGetLastError();
  };
  EXPECT_EQ(launched(1, 1024), cudaSuccess);
  EXPECT_EQ(launched(1, 1025), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launched(1, dim3(1, 1, 65)), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launched(0, 32), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launched(1, 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launched(dim3(1, 65536), 1), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launched(1, 32, 48 << 10), cudaSuccess);
  EXPECT_EQ(launched(1, 32, 49 << 10), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaFuncSetAttribute(Nothing, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 100 << 10),
            cudaSuccess);
  EXPECT_EQ(launched(1, 32, 100 << 10), cudaSuccess);
  EXPECT_EQ(launched(1, 32, 101 << 10), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaFuncSetAttribute(Nothing, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 228 << 10),
            cudaErrorInvalidValue);
  EXPECT_STREQ(cudaGetErrorName(cudaErrorNoDevice), "cudaErrorNoDevice");
}

TEST_F(SimtFast, MemoryIsCounted) {
  size_t free = 0, total = 0, less = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  float* x = nullptr;
  ASSERT_EQ(cudaMalloc(&x, 1 << 20), cudaSuccess);
  cudaMemGetInfo(&less, &total);
  EXPECT_EQ(free - less, 1 << 20);
  float* y = nullptr;
  EXPECT_EQ(cudaMalloc(&y, total), cudaErrorMemoryAllocation);
  EXPECT_EQ(y, nullptr);
  EXPECT_EQ(cudaFree(x), cudaSuccess);
  EXPECT_EQ(cudaFree(x), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  cudaMemGetInfo(&less, &total);
  EXPECT_EQ(free, less);
}

// ---- Kernels that mean no good: each ends its launch, and the next one works ----------

int Endless(int depth) {
  volatile char room[1000];
  room[depth % 1000] = 1;
  return Endless(depth + 1) + room[depth % 1000];
}

__global__ void Hostile(int how, int* y) {
  if (threadIdx.x != 7) return;
  volatile int zero = how - how;
  switch (how) {
    case 0: *reinterpret_cast<volatile int*>(zero) = 1; break;
    case 1: *reinterpret_cast<volatile int*>(uintptr_t{0xdead0000}) = 1; break;
    case 2: y[0] = Endless(0); break;
    case 3: throw std::runtime_error("no");
    case 4: y[0] = (how + 7) / zero; break;
    case 5: Nothing<<<1, 1>>>(); break;
    case 6: __trap();
    case 7: y[(1 << 20) + zero] = 1; break;
    case 8:
      __shfl_sync(0xffffffff, 1, 0);  // the others have ended
      break;
    case 9: cudaDeviceSynchronize(); break;  // would wait for itself
    case 10: cudaFree(y); break;
    case 11: cudaMalloc(&y, 4); break;
    default: break;
  }
}

TEST_F(SimtFast, AFaultEndsTheLaunchAndNotTheProcess) {
  const std::vector<cudaError_t> errors = {
      cudaErrorIllegalAddress, cudaErrorIllegalAddress, cudaErrorHardwareStackError,
      cudaErrorLaunchFailure,  cudaErrorLaunchFailure,  cudaErrorLaunchFailure,
      cudaErrorAssert,         cudaErrorIllegalAddress, cudaErrorLaunchFailure,
      cudaErrorLaunchFailure,  cudaErrorLaunchFailure,  cudaErrorLaunchFailure};
  cudaStream_t other = nullptr;
  cudaStreamCreate(&other);
  for (int how = 0; how < static_cast<int>(errors.size()); ++how) {
    for (cudaStream_t stream : {cudaStream_t{}, other}) {
      int* y = nullptr;
      cudaMalloc(&y, 64);
      ::testing::internal::CaptureStderr();
      Hostile<<<4, 32, 0, stream>>>(how, y);
      EXPECT_EQ(cudaDeviceSynchronize(), errors[how]) << how;
      EXPECT_NE(::testing::internal::GetCapturedStderr().find("simt: ERROR"),
                std::string::npos)
          << how;
      cudaDeviceReset();
      const Device<int> x(std::vector<int>(64, 21));
      Double<<<1, 64>>>(x);
      EXPECT_EQ(x.Host(), std::vector<int>(64, 42)) << how;
    }
  }
  cudaStreamDestroy(other);
}

TEST_F(SimtFast, AnErrorOfADeviceStays) {
  ::testing::internal::CaptureStderr();
  Hostile<<<1, 32>>>(0, nullptr);
  ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  float* x = nullptr;
  EXPECT_EQ(cudaMalloc(&x, 4), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&x, 4), cudaSuccess);
}

__global__ void Forever(volatile int* y) {
  while (y[0] == 0) {
  }
}

TEST_F(SimtFast, AnEndlessLoopIsEnded) {
  const Device<int> y(std::vector<int>{0});
  ::testing::internal::CaptureStderr();
  const auto begin = std::chrono::steady_clock::now();
  Forever<<<3, 40>>>(y);
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(cudaGetLastError(), cudaErrorLaunchTimeout);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("SIMT_TIMEOUT_S"),
            std::string::npos);
  EXPECT_LT(took, std::chrono::seconds(30));
}

__global__ void Leave() {
  if (threadIdx.x == 7) std::exit(0);
}

TEST_F(SimtFast, ExitInAKernelEndsTheProcessWithAWord) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((Leave<<<3, 32>>>(), cudaDeviceSynchronize()),
              ::testing::ExitedWithCode(99), "a kernel calls exit\\(\\)");
}

}  // namespace
