// FakeLibrary: a VendorLibrary that computes by plain loops, and remembers its calls.
//
// The memory of an emulated card is the host's, so the loops are the host's as well. They
// share nothing with the kernels of kernels/gpu, and find images and filters in the order
// that VendorLibrary promises.

#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/gpu/vendor/vendor_library.h"

namespace minitf::gpu {

/// What a library is to do, and what it was asked to. Outlives the library.
struct FakeRecord {
  // To be set by a test.
  std::vector<ConvAlgorithm> algorithms = {{.id = 7}};
  std::vector<int> broken;  ///< algorithms that are listed, and do not work
  std::vector<ConvLayout> broken_in = {ConvLayout::kNhwc, ConvLayout::kNchw};
  Status failure = errors::Unimplemented("it does not work");  ///< of those
  int num_without_memory = 0;  ///< so many calls that compute find no memory
  std::function<bool(const ConvProblem&)> takes = [](const ConvProblem&) { return true; };
  Status status;                          ///< of everything
  std::chrono::microseconds duration{0};  ///< of everything

  // Left for a test.
  std::vector<ConvProblem> searches;
  std::vector<std::pair<ConvProblem, size_t>> measurements;  ///< and bytes of room
  std::vector<std::pair<ConvProblem, int>> convolutions;     ///< and algorithms
  std::vector<PoolProblem> pools;
  std::vector<SoftmaxProblem> softmaxes;
  std::vector<MatMulProblem> products;
  std::atomic<int> num_inside{0};
  std::atomic<int> most_inside{0};  ///< threads at once
};

class FakeLibrary final : public VendorLibrary {
 public:
  explicit FakeLibrary(FakeRecord* record) : record_(*record) {}

  Status FindAlgorithms(const ConvProblem& problem,
                        std::vector<ConvAlgorithm>* found) override {
    const Inside inside(&record_);
    record_.searches.push_back(problem);
    if (record_.takes(problem)) *found = record_.algorithms;
    return record_.status;
  }

  // The last one that fits is the fastest.
  Status MeasureAlgorithms(const ConvProblem& problem, const ConvOperands& operands,
                           const Workspace& room, cudaStream_t stream,
                           std::vector<ConvAlgorithm>* found) override {
    const Inside inside(&record_);
    record_.measurements.emplace_back(problem, room.bytes);
    *found = record_.algorithms;
    std::erase_if(*found, [&](const ConvAlgorithm& one) {
      return one.workspace > room.bytes || IsBroken(problem, one.id);
    });
    std::ranges::reverse(*found);
    return Compute(problem, operands, room, stream);
  }

  Status Convolve(const ConvProblem& problem, const ConvOperands& operands,
                  const ConvAlgorithm& algorithm, const Workspace& room,
                  cudaStream_t stream) override {
    const Inside inside(&record_);
    record_.convolutions.emplace_back(problem, algorithm.id);
    if (room.bytes < algorithm.workspace) return errors::Internal("too little room");
    if (IsBroken(problem, algorithm.id)) return record_.failure;
    if (HasNoMemory()) return errors::ResourceExhausted("no memory");
    return Compute(problem, operands, room, stream);
  }

  Status Pool(const PoolProblem& problem, const void* from, void* to,
              cudaStream_t stream) override {
    const Inside inside(&record_);
    record_.pools.push_back(problem);
    if (HasNoMemory()) return errors::ResourceExhausted("no memory");
    cudaStreamSynchronize(stream);
    const bool is_double = problem.type == ElementType::kFloat64;
    is_double ? Pool<double>(problem, from, to) : Pool<float>(problem, from, to);
    return record_.status;
  }

  Status Softmax(const SoftmaxProblem& problem, const void* x, void* y,
                 cudaStream_t stream) override {
    const Inside inside(&record_);
    record_.softmaxes.push_back(problem);
    if (HasNoMemory()) return errors::ResourceExhausted("no memory");
    cudaStreamSynchronize(stream);
    const bool is_double = problem.type == ElementType::kFloat64;
    is_double ? Softmax<double>(problem, x, y) : Softmax<float>(problem, x, y);
    return record_.status;
  }

  Status MatMul(const MatMulProblem& problem, const void* a, const void* b, void* c,
                cudaStream_t stream) override {
    const Inside inside(&record_);
    record_.products.push_back(problem);
    if (HasNoMemory()) return errors::ResourceExhausted("no memory");
    cudaStreamSynchronize(stream);
    const bool is_double = problem.type == ElementType::kFloat64;
    const auto multiply = is_double ? Multiply<double> : Multiply<float>;
    multiply(problem.sizes, a, b, c);
    return record_.status;
  }

 private:
  // Counts the threads that are in the library.
  class Inside {
   public:
    explicit Inside(FakeRecord* record) : record_(*record) {
      const int now = ++record_.num_inside;
      if (now > record_.most_inside) record_.most_inside = now;
      std::this_thread::sleep_for(record_.duration);
    }
    ~Inside() { --record_.num_inside; }

   private:
    FakeRecord& record_;
  };

  bool IsBroken(const ConvProblem& problem, int algorithm) const {
    return std::ranges::count(record_.broken_in, problem.layout) > 0 &&
           std::ranges::count(record_.broken, algorithm) > 0;
  }

  bool HasNoMemory() {
    return std::exchange(record_.num_without_memory,
                         std::max(record_.num_without_memory - 1, 0)) > 0;
  }

  template <typename T>
  static void Multiply(const MatMulSizes& s, const void* a, const void* b, void* c) {
    for (int batch = 0; batch < s.batch; ++batch) {
      const T* const left =
          static_cast<const T*>(a) + (s.a_moves ? int64_t{batch} * s.m * s.k : 0);
      const T* const right =
          static_cast<const T*>(b) + (s.b_moves ? int64_t{batch} * s.k * s.n : 0);
      T* const out = static_cast<T*>(c) + int64_t{batch} * s.m * s.n;
      for (int i = 0; i < s.m; ++i) {
        for (int j = 0; j < s.n; ++j) {
          T sum = 0;
          for (int k = 0; k < s.k; ++k) {
            sum += left[s.transpose_a ? k * s.m + i : i * s.k + k] *
                   right[s.transpose_b ? j * s.k + k : k * s.n + j];
          }
          out[i * s.n + j] = sum;
        }
      }
    }
  }

  template <typename T>
  static void Pool(const PoolProblem& problem, const void* from, void* to) {
    const Conv2dSizes& g = problem.sizes;
    const bool is_gradient = problem.kind == PoolKind::kAverageGradient;
    const T* const in = static_cast<const T*>(from);
    T* const out = static_cast<T*>(to);
    if (is_gradient) std::fill_n(out, g.x_size(), T{0});
    const auto index = IndexIn(problem.layout);
    for (int64_t i = 0; i < g.y_size(); ++i) {
      const int64_t n = i / g.k / g.q / g.p, p = i / g.k / g.q % g.p;
      const int64_t q = i / g.k % g.q, c = i % g.k;
      const int64_t place = index(n, p, q, c, g.p, g.q, g.k);
      std::vector<int64_t> seen;
      for (int64_t tap = 0; tap < int64_t{g.r} * g.s; ++tap) {
        const int64_t row = p * g.stride_h - g.pad_top + tap / g.s;
        const int64_t column = q * g.stride_w - g.pad_left + tap % g.s;
        const bool is_pixel = row >= 0 && row < g.h && column >= 0 && column < g.w;
        if (is_pixel) seen.push_back(index(n, row, column, c, g.h, g.w, g.c));
      }
      const auto count = static_cast<T>(seen.size());
      T largest = -INFINITY, sum = 0;
      for (const int64_t at : seen) {
        if (is_gradient) {
          out[at] += in[place] / count;
          continue;
        }
        sum += in[at];
        if (!(in[at] <= largest || std::isnan(largest))) largest = in[at];
      }
      if (problem.kind == PoolKind::kMax) out[place] = largest;
      if (problem.kind == PoolKind::kAverage) out[place] = sum / count;
    }
  }

  template <typename T>
  static void Softmax(const SoftmaxProblem& problem, const void* x, void* y) {
    for (int row = 0; row < problem.rows; ++row) {
      const T* const in = static_cast<const T*>(x) + int64_t{row} * problem.classes;
      T* const out = static_cast<T*>(y) + int64_t{row} * problem.classes;
      T sum = 0;
      for (int i = 0; i < problem.classes; ++i) sum += std::exp(in[i]);
      for (int i = 0; i < problem.classes; ++i) {
        out[i] = problem.is_log ? in[i] - std::log(sum) : std::exp(in[i]) / sum;
      }
    }
  }

  Status Compute(const ConvProblem& problem, const ConvOperands& operands,
                 const Workspace& room, cudaStream_t stream) {
    cudaStreamSynchronize(stream);
    if (room.bytes > 0) std::memset(room.memory, 255, room.bytes);
    problem.type == ElementType::kFloat64 ? Convolve<double>(problem, operands)
                                          : Convolve<float>(problem, operands);
    return record_.status;
  }

  // Where an element of images or filters of so many rows, columns and channels lies.
  static auto IndexIn(ConvLayout layout) {
    return [is_nhwc = layout == ConvLayout::kNhwc](int64_t n, int64_t row, int64_t column,
                                                   int64_t c, int rows, int columns,
                                                   int depth) {
      return is_nhwc ? ((n * rows + row) * columns + column) * depth + c
                     : ((n * depth + c) * rows + row) * columns + column;
    };
  }

  template <typename T>
  static void Convolve(const ConvProblem& problem, const ConvOperands& operands) {
    const Conv2dSizes& g = problem.sizes;
    const int channels = g.c;
    const auto index = IndexIn(problem.layout);
    T* const x = static_cast<T*>(operands.x);
    T* const w = static_cast<T*>(operands.w);
    T* const y = static_cast<T*>(operands.y);
    switch (problem.kind) {
      case ConvKind::kForward: std::fill_n(y, g.y_size(), T{0}); break;
      case ConvKind::kInput: std::fill_n(x, g.x_size(), T{0}); break;
      case ConvKind::kFilter: std::fill_n(w, g.w_size(), T{0}); break;
    }
    for (int64_t i = 0; i < g.y_size() * g.r * g.s * channels; ++i) {
      const int c = i % channels;
      const int s = i / channels % g.s;
      const int r = i / channels / g.s % g.r;
      const int64_t at = i / channels / g.s / g.r;
      const int k = at % g.k;
      const int q = at / g.k % g.q;
      const int p = at / g.k / g.q % g.p;
      const int n = at / g.k / g.q / g.p;
      const int row = p * g.stride_h + r * g.dilation_h - g.pad_top;
      const int column = q * g.stride_w + s * g.dilation_w - g.pad_left;
      if (!g.has_pixel(row, column)) continue;
      T& pixel = x[index(n, row, column, c, g.h, g.w, channels)];
      T& tap = w[index(k, r, s, c, g.r, g.s, channels)];
      T& out = y[index(n, p, q, k, g.p, g.q, g.k)];
      switch (problem.kind) {
        case ConvKind::kForward: out += pixel * tap; break;
        case ConvKind::kInput: pixel += out * tap; break;
        case ConvKind::kFilter: tap += pixel * out; break;
      }
    }
  }

  FakeRecord& record_;
};

}  // namespace minitf::gpu
