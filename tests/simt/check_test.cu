// Check mode of the emulator from a test's side: ScopedCheck, counts, orders of threads.

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kernels/simt/check/check.h"
#include "kernels/simt/cuda.h"
#include "tests/simt/cases/host.h"

namespace {

// ---- Counts ---------------------------------------------------------------------------

__global__ void CopyRows(int n, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

__global__ void CopyColumns(int n, const float* x, float* y) {
  const int i = threadIdx.x * n + blockIdx.x;
  y[i] = x[i];
}

TEST(SimtProfile, SectorsOfNeighboursAndOfColumns) {
  const simt::ScopedCheck check;
  const Device<float> x(Numbers(32 * 64)), y(32 * 64);
  CopyRows<<<8, 256>>>(32 * 64, x, y);
  CopyColumns<<<64, 32>>>(64, x, y);
  ASSERT_TRUE(check.clean()) << check.text();
  EXPECT_EQ(check.Per("global-load", "CopyRows"), 4);
  EXPECT_EQ(check.Per("global-store", "CopyRows"), 4);
  EXPECT_EQ(check.OverIdeal("global-load", "CopyRows"), 1);
  EXPECT_EQ(check.Per("global-load", "CopyColumns"), 32);
  EXPECT_EQ(check.OverIdeal("global-store", "CopyColumns"), 8);
  EXPECT_EQ(check.Per("shared-load"), 0);
}

template <int kPad>
__global__ void Transpose(const float* x, float* y) {
  __shared__ float tile[32][32 + kPad];
  tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  y[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

TEST(SimtProfile, WavefrontsWithAndWithoutPadding) {
  const simt::ScopedCheck check;
  const Device<float> x(Numbers(1024)), y(1024);
  Transpose<0><<<1, dim3(32, 32)>>>(x, y);
  Transpose<1><<<1, dim3(32, 32)>>>(x, y);
  ASSERT_TRUE(check.clean()) << check.text();
  EXPECT_EQ(check.Per("shared-load", "Transpose<0>"), 32);
  EXPECT_EQ(check.Per("shared-load", "Transpose<1>"), 1);
  EXPECT_EQ(check.Per("shared-store", "Transpose<0>"), 1);
  EXPECT_EQ(check.occupancy().static_shared, 32 * 33 * sizeof(float));
  EXPECT_EQ(check.occupancy().blocks, 2);
  EXPECT_EQ(check.occupancy().percent, 100);
  EXPECT_EQ(check.occupancy().limit, "threads");
}

__global__ void CopyVectors(const float4* x, float4* y) {
  y[threadIdx.x] = x[threadIdx.x];
}

TEST(SimtProfile, AVectorIsOneRequest) {
  const simt::ScopedCheck check;
  const Device<float> x(Numbers(128)), y(128);
  CopyVectors<<<1, 32>>>(reinterpret_cast<float4*>(static_cast<float*>(x)),
                         reinterpret_cast<float4*>(static_cast<float*>(y)));
  ASSERT_TRUE(check.clean()) << check.text();
  EXPECT_EQ(check.Per("global-load"), 16);
  EXPECT_EQ(check.OverIdeal("global-load"), 1);
  for (const simt::ProfileLine& line : check.profile()) {
    EXPECT_EQ(line.requests, 1);
    EXPECT_EQ(line.lanes, 32);
    EXPECT_EQ(line.bytes, 512);
  }
}

// ---- Findings as values ---------------------------------------------------------------

__global__ void CountPlainly(int* count) { *count += 1; }
__global__ void CountByAtomics(int* count) { atomicAdd(count, 1); }

TEST(SimtCheck, FindingsAreValuesAndEndWithTheScope) {
  {
    const simt::ScopedCheck check;
    const Device<int> count(std::vector<int>{0});
    CountPlainly<<<2, 32>>>(count);
    EXPECT_FALSE(check.clean());
    ASSERT_FALSE(check.findings().empty());
    const simt::Finding race = check.findings()[0];
    EXPECT_EQ(race.kind, "race");
    EXPECT_EQ(race.space, "global");
    ASSERT_EQ(race.places.size(), 2U);
    EXPECT_NE(std::string(race.places[0].file).find("check_test.cu"), std::string::npos);
    EXPECT_NE(check.text().find("*count += 1;"), std::string::npos);
    EXPECT_NE(check.text().find("hint: "), std::string::npos);
  }
  const simt::ScopedCheck check;
  const Device<int> count(std::vector<int>{0});
  CountByAtomics<<<2, 32>>>(count);
  EXPECT_TRUE(check.clean()) << check.text();
  EXPECT_EQ(count.Host()[0], 64);
}

__global__ void WriteBeyond(int* x) { x[threadIdx.x + 40] = 1; }

TEST(SimtCheck, AnErrorOfOneScopeIsForgottenInTheNext) {
  for (int i = 0; i < 3; ++i) {
    const simt::ScopedCheck check;
    const Device<int> x(std::vector<int>(64, 0));
    WriteBeyond<<<1, 64>>>(x);
    ASSERT_EQ(check.findings().size(), 1U);
    EXPECT_EQ(check.findings()[0].kind, "oob");
    EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  }
}

// ---- Orders of threads ----------------------------------------------------------------

TEST(SimtCheck, PreemptionLosesUpdatesOfPlainCountersAndNoneOfAtomics) {
  int lost = 0;
  for (int seed = 1; seed <= 5; ++seed) {
    const simt::ScopedCheck check({.seed = static_cast<uint64_t>(seed), .preempt = 20});
    const Device<int> plain(std::vector<int>{0}), atomic(std::vector<int>{0});
    CountPlainly<<<4, 64>>>(plain);
    CountByAtomics<<<4, 64>>>(atomic);
    lost += 256 - plain.Host()[0];
    EXPECT_EQ(atomic.Host()[0], 256);
  }
  EXPECT_GT(lost, 0);
}

__global__ void Order(int* place, int* y) { y[atomicAdd(place, 1)] = threadIdx.x; }

TEST(SimtCheck, ASeedIsAnOrderOfThreads) {
  const auto order = [](uint64_t seed) {
    const simt::ScopedCheck check({.seed = seed});
    const Device<int> place(std::vector<int>{0}), y(64);
    Order<<<1, 64>>>(place, y);
    return y.Host();
  };
  std::vector<int> numbered(64);
  for (int i = 0; i < 64; ++i) numbered[i] = i;
  EXPECT_EQ(order(0), numbered);
  EXPECT_NE(order(1), numbered);
  EXPECT_NE(order(1), order(2));
  EXPECT_EQ(order(2), order(2));
  std::vector<int> sorted = order(3);
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, numbered);
}

__global__ void Spin(volatile int* flag) {
  while (*flag == 0) {
  }
}

TEST(SimtCheck, ALimitOfAccessesEndsASpin) {
  const simt::ScopedCheck check({.access_limit = 10'000});
  const Device<int> flag(std::vector<int>{0});
  Spin<<<1, 32>>>(flag);
  ASSERT_EQ(check.findings().size(), 1U);
  EXPECT_EQ(check.findings()[0].kind, "limit");
}

}  // namespace
