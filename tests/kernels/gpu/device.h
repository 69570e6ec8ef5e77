// Device memory for tests, and numbers to fill it with.

#pragma once

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "kernels/gpu/launch.h"
#ifdef MINITF_GPU_CHECKED
#include "kernels/simt/check/check.h"
#endif

namespace minitf::gpu {

/// What check mode has found in a test fails it. The emulator in fast mode finds nothing,
/// and a card less.
class GpuTest : public ::testing::Test {
#ifdef MINITF_GPU_CHECKED
 protected:
  void TearDown() override { EXPECT_TRUE(check_.clean()) << check_.text(); }

 private:
  const simt::ScopedCheck check_{{.profiles = false}};
#endif
};

/// An array in device memory, beside one on the host.
template <typename T>
class OnDevice {
 public:
  explicit OnDevice(std::vector<T> values) : host_(std::move(values)) {
    Allocate();
    EXPECT_EQ(cudaMemcpy(memory_, host_.data(), bytes(), cudaMemcpyHostToDevice),
              cudaSuccess);
  }
  /// Nobody has written to it.
  explicit OnDevice(int64_t size) : host_(size) { Allocate(); }
  ~OnDevice() { cudaFree(memory_); }

  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  T* get() const { return memory_; }
  const std::vector<T>& host() const { return host_; }

  /// What a kernel has left.
  std::vector<T> Read() const {
    std::vector<T> values(host_.size());
    EXPECT_EQ(cudaMemcpy(values.data(), memory_, bytes(), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return values;
  }

 private:
  size_t bytes() const { return host_.size() * sizeof(T); }
  void Allocate() {
    if (bytes() > 0) {
      EXPECT_EQ(cudaMalloc(&memory_, bytes()), cudaSuccess);
    }
  }

  std::vector<T> host_;
  T* memory_ = nullptr;
};

/// Numbers from -2 to 2.
template <typename T>
std::vector<T> Numbers(int64_t count, std::mt19937* random) {
  std::uniform_real_distribution<double> distribution(-2, 2);
  std::vector<T> numbers(count);
  for (T& number : numbers) number = static_cast<T>(distribution(*random));
  return numbers;
}

/// One of `choices`.
template <typename T>
T OneOf(std::initializer_list<T> choices, std::mt19937* random) {
  return *(choices.begin() + (*random)() % choices.size());
}

/// Each number is near the expected one, measured by `scale`: what its summands add up to
/// without their signs.
template <typename T>
void ExpectNear(const std::vector<T>& got, const std::vector<double>& expected,
                double tolerance, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (size_t i = 0; i < got.size(); ++i) {
    const auto found = static_cast<double>(got[i]);
    if (std::isnan(expected[i]) && std::isnan(found)) continue;
    if (found == expected[i]) continue;  // infinities, too
    const double size = std::max(1.0, std::abs(expected[i]));
    ASSERT_LE(std::abs(found - expected[i]), tolerance * size)
        << what << ", element " << i << ": got " << found << ", expected " << expected[i];
  }
}

}  // namespace minitf::gpu
