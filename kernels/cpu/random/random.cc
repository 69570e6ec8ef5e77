// Random tensors on the CPU: groups of numbers, filled by any thread.
//
// Op         minitf/ops/random/random_ops.cc
// Compare    tensorflow/core/kernels/random_op.cc, random_shuffle_op.cc,
//            multinomial_op.cc
// Read next  kernels/cpu/random/random_distributions.h

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/common/scalars.h"
#include "kernels/cpu/common/strided_copy.h"
#include "kernels/cpu/random/random_distributions.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/array_shapes.h"

namespace minitf {
namespace {

constexpr int64_t kNanosecondsPerNumber = 8;

// Group i is made of the blocks from i * kBlocks on, whichever thread makes it: a thread
// skips to the first of its groups, which with Philox is an addition to the counter. So
// the numbers do not depend on the number of threads.
template <typename T, typename Distribution>
void FillRandom(const Philox& generator, const Distribution& distribution,
                std::span<T> numbers, ThreadPool& threads) {
  constexpr int64_t kGroup = Distribution::kGroup;
  const auto count = static_cast<int64_t>(numbers.size());
  threads.ParallelFor((count + kGroup - 1) / kGroup, kGroup * kNanosecondsPerNumber,
                      [&](int64_t begin, int64_t end) {
                        Philox at_group = generator;
                        at_group.Skip(begin * Distribution::kBlocks);
                        for (int64_t group = begin; group < end; ++group) {
                          const auto values = distribution(at_group);
                          const int64_t first = group * kGroup;
                          std::copy_n(values.begin(), std::min(kGroup, count - first),
                                      numbers.begin() + first);
                          at_group.Skip(Distribution::kBlocks);
                        }
                      });
}

Shape RequestedShape(const Tensor& shape) {
  Require(shape.rank() == 1, "shape must be a vector of {int32,int64}, got shape ",
          shape.shape());
  return Shape(IntegersOf(shape));
}

template <typename T, typename Distribution>
class RandomOp final : public OpKernel {
 public:
  explicit RandomOp(OpKernelConstruction* construction)
      : OpKernel(construction), random_(construction) {}

  void Compute(OpKernelContext* ctx) override {
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, RequestedShape(ctx->host_input(0)), &y));
    FillRandom(random_.ReserveOutputs(y->num_elements()), Distribution(),
               y->mutable_flat<T>(), ctx->threads());
  }

 private:
  KernelRandom random_;
};

const bool kRandomRegistered = ForTypes(RealTypes{}, []<typename T>() {
  RegisterKernel<RandomOp<T, UniformDistribution<T>>>(
      Kernel("RandomUniform").HostMemory("shape").Type<T>("dtype"));
  RegisterKernel<RandomOp<T, NormalDistribution<T>>>(
      Kernel("RandomStandardNormal").HostMemory("shape").Type<T>("dtype"));
  RegisterKernel<RandomOp<T, TruncatedNormalDistribution<T>>>(
      Kernel("TruncatedNormal").HostMemory("shape").Type<T>("dtype"));
});

template <typename T>
class RandomUniformIntOp final : public OpKernel {
 public:
  explicit RandomUniformIntOp(OpKernelConstruction* construction)
      : OpKernel(construction), random_(construction) {}

  void Compute(OpKernelContext* ctx) override {
    Require(ctx->input(1).rank() == 0 && ctx->input(2).rank() == 0,
            "minval and maxval must be 0-D, got shapes ", ctx->input(1).shape(), " and ",
            ctx->input(2).shape());
    const T low = ctx->host_input(1).scalar<T>();
    const T high = ctx->host_input(2).scalar<T>();
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, RequestedShape(ctx->host_input(0)), &y));
    if (y->num_elements() == 0) return;
    Require(low < high, "Need minval < maxval, got ", low, " >= ", high);
    FillRandom(random_.ReserveOutputs(y->num_elements()),
               UniformIntDistribution<T>(low, high), y->mutable_flat<T>(),
               ctx->threads());
  }

 private:
  KernelRandom random_;
};
const bool kRandomIntRegistered = ForTypes(Types<int32_t, int64_t>{}, []<typename T>() {
  RegisterKernel<RandomUniformIntOp<T>>(
      Kernel("RandomUniformInt").HostMemory("shape", "minval", "maxval").Type<T>("Tout"));
});

// ---- Order and choice -----------------------------------------------------------------

class RandomShuffleOp final : public OpKernel {
 public:
  explicit RandomShuffleOp(OpKernelConstruction* construction)
      : OpKernel(construction), random_(construction) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [rows, ...]
    if (x.rank() == 0 || x.num_elements() <= 1 || x.dim(0) <= 1) {
      ctx->set_output(0, x);
      return;
    }
    const int64_t rows = x.dim(0);
    const int64_t row = x.num_elements() / rows;
    const std::vector<int64_t> order = RandomOrder(rows);
    Tensor* y = nullptr;  // [rows, ...]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    VisitMovable(x.dtype(), [&]<typename T>() {
      const T* from = MovableData<T>(x);
      T* to = MovableData<T>(y);
      for (int64_t i = 0; i < rows; ++i) {
        std::copy_n(from + order[i] * row, row, to + i * row);
      }
    });
  }

 private:
  // Fisher and Yates (1938), as Durstenfeld (1964) does it in place: element i changes
  // places with one of those from i on.
  std::vector<int64_t> RandomOrder(int64_t count) {
    PhiloxNumbers numbers(random_.Reserve((count - 1 + 3) / 4));
    std::vector<int64_t> order(count);
    std::iota(order.begin(), order.end(), int64_t{0});
    for (int64_t i = 0; i < count - 1; ++i) {
      const auto rest = static_cast<uint32_t>(count - i);
      std::swap(order[i], order[i + numbers() % rest]);
    }
    return order;
  }

  KernelRandom random_;
};
REGISTER_KERNEL(Kernel("RandomShuffle").On(Device::kCpu), RandomShuffleOp);

// Draws classes by inverting the sum of probabilities: a uniform number times the total
// falls into the interval of one class, which is found by bisection. The sums are of type
// double, since a class that is rare among many would be lost in a sum of floats.
template <typename T, typename Output>
class MultinomialOp final : public OpKernel {
 public:
  explicit MultinomialOp(OpKernelConstruction* construction)
      : OpKernel(construction), random_(construction) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& logits = ctx->input(0);  // [batch, classes]
    Require(logits.rank() == 2, "logits should be a matrix, got shape ", logits.shape());
    const int64_t samples = IntegerOf(ctx->host_input(1), "num_samples");
    Require(samples >= 0, "num_samples should be nonnegative, got ", samples);
    const int64_t batch = logits.dim(0);
    const int64_t classes = logits.dim(1);
    Require(classes > 0, "num_classes should be positive, got ", classes);
    Tensor* y = nullptr;  // [batch, samples]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {batch, samples}, &y));
    if (y->num_elements() == 0) return;

    // Each choice takes a double, which is made of two numbers.
    const int64_t choices = batch * ((samples + 3) / 4 * 4);
    PhiloxNumbers numbers(random_.ReserveOutputs(2 * choices));
    for (int64_t b = 0; b < batch; ++b) {
      const auto row = logits.flat<T>().subspan(b * classes, classes);
      const std::vector<double> sums = RunningSums(row);
      for (int64_t i = 0; i < samples; ++i) {
        const uint32_t high = numbers();
        const double target = UniformDouble(high, numbers()) * sums.back();
        const auto found = std::upper_bound(sums.begin(), sums.end(), target);
        const int64_t chosen = std::min<int64_t>(found - sums.begin(), classes - 1);
        y->mutable_flat<Output>()[b * samples + i] = static_cast<Output>(chosen);
      }
    }
  }

 private:
  // The sums of exp(logit) up to each class, scaled so that none overflows. A logit that
  // is infinite or NaN adds nothing.
  static std::vector<double> RunningSums(std::span<const T> logits) {
    double largest = -std::numeric_limits<double>::infinity();
    for (const T logit : logits) {
      const auto value = static_cast<double>(logit);
      if (std::isfinite(value)) largest = std::max(largest, value);
    }
    std::vector<double> sums;
    double total = 0;
    for (const T logit : logits) {
      const auto value = static_cast<double>(logit);
      if (std::isfinite(value)) total += std::exp(value - largest);
      sums.push_back(total);
    }
    return sums;
  }

  KernelRandom random_;
};

const bool kMultinomialRegistered = ForTypes(RealTypes{}, []<typename T>() {
  const Kernel kernel = Kernel("Multinomial").HostMemory("num_samples").Type<T>("T");
  RegisterKernel<MultinomialOp<T, int32_t>>(Kernel(kernel).Type<int32_t>("output_dtype"));
  RegisterKernel<MultinomialOp<T, int64_t>>(Kernel(kernel).Type<int64_t>("output_dtype"));
});

}  // namespace
}  // namespace minitf
