// What the hosts of all cases do: memory that frees itself, and comparisons.
//
// In check mode this file is compiled with the case, so what it does is looked at as
// well.

#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

/// Ends the program unless they are alike.
template <typename T>
void Expect(T found, T expected) {
  if (std::fabs(static_cast<double>(found) - static_cast<double>(expected)) <=
      1e-5 * std::fabs(static_cast<double>(expected))) {
    return;
  }
  std::printf("expected %g, found %g\n", static_cast<double>(expected),
              static_cast<double>(found));
  std::exit(1);
}

/// Device memory for numbers of type T, with the numbers of a vector or with none.
template <typename T>
class Device {
 public:
  explicit Device(size_t size) : size_(size) {
    Expect(cudaMalloc(&memory_, size * sizeof(T)), cudaSuccess);
  }
  explicit Device(const std::vector<T>& numbers) : Device(numbers.size()) {
    cudaMemcpy(memory_, numbers.data(), size_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Device() { cudaFree(memory_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  operator T*() const { return memory_; }

  /// The first `count` numbers, or all.
  std::vector<T> Host(size_t count = 0) const {
    std::vector<T> numbers(count == 0 ? size_ : count);
    cudaMemcpy(numbers.data(), memory_, numbers.size() * sizeof(T),
               cudaMemcpyDeviceToHost);
    return numbers;
  }

 private:
  const size_t size_;
  T* memory_ = nullptr;
};

/// 0, 1, 2, ...
inline std::vector<float> Numbers(int count) {
  std::vector<float> numbers(count);
  for (int i = 0; i < count; ++i) numbers[i] = static_cast<float>(i);
  return numbers;
}

inline std::vector<float> Ones(int count) { return std::vector<float>(count, 1.0F); }
