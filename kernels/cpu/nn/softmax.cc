// Softmax, LogSoftmax and the losses of classification on the CPU.
//
// All of them need exp(x) / sum(exp(x)) along a row. exp overflows a float from 89 on, so
// the largest x of the row is subtracted first; the quotient stays the same, and no
// exponent is above 0.
//
// The losses also give their gradient, softmax - labels, which costs nothing extra once
// the row is in the cache.
//
// Op         minitf/ops/nn/activation_ops.cc
// Compare    tensorflow/core/kernels/softmax_op.cc, xent_op.cc, sparse_xent_op.cc
// Read next  kernels/cpu/nn/top_k.cc

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/common/lanes.h"
#include "kernels/cpu/conv/nhwc.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// Nanoseconds for one number: mostly its exp.
constexpr int64_t kCostOfExp = 2;

// A row of logits less their maximum, the exponentials of that, and their sum.
template <typename T>
class RowExponentials {
 public:
  // Memory for whole registers, so that nothing is left over.
  explicit RowExponentials(int64_t classes)
      : classes_(classes),
        shifted_((classes + kLanes - 1) / kLanes * kLanes),
        exps_(shifted_.size()) {
    shifted_.setZero();
  }

  // Requires: there is at least one class.
  void Read(const T* logits) {
    const ConstArrayView<T> x(logits, classes_);
    shifted_.head(classes_) = x - x.maxCoeff();
    ForLanes(shifted_.data(), exps_.data(), shifted_.size(),
             [](const Lanes<T>& lanes) { return ExpOf(lanes); });
    sum = exps().sum();
  }

  auto shifted() const { return shifted_.head(classes_); }
  auto exps() const { return exps_.head(classes_); }
  T sum{};

 private:
  static constexpr int64_t kLanes = Lanes<T>::SizeAtCompileTime;
  const int64_t classes_;
  Eigen::Array<T, Eigen::Dynamic, 1> shifted_;
  Eigen::Array<T, Eigen::Dynamic, 1> exps_;
};

// Softmax of `rows` rows of `classes`, or its logarithm. That is x - log(sum(exp(x))),
// without a division: the logarithm of a quotient so small that it is 0 would be minus
// infinity.
template <typename T>
void Softmax(int64_t rows, int64_t classes, bool log, const T* x, T* y,
             ThreadPool& threads) {
  const auto work = [&](int64_t begin, int64_t end) {
    RowExponentials<T> row(classes);
    for (int64_t i = begin; i < end; ++i) {
      row.Read(x + i * classes);
      ArrayView<T> result(y + i * classes, classes);
      if (log) {
        result = row.shifted() - std::log(row.sum);
      } else {
        result = row.exps() / row.sum;
      }
    }
  };
  threads.ParallelFor(rows, kCostOfExp * classes, work);
}

// loss [rows] and its gradient [rows,classes] for labels that are probabilities. The loss
// is -sum(label * log(softmax)), with the logarithm as in Softmax.
template <typename T>
void CrossEntropy(const Shape& shape, const T* x, const T* labels, T* loss, T* gradient,
                  ThreadPool& threads) {
  const int64_t classes = shape.dim(1);
  const auto work = [&](int64_t begin, int64_t end) {
    RowExponentials<T> row(classes);
    for (int64_t i = begin; i < end; ++i) {
      row.Read(x + i * classes);
      const T log_sum = std::log(row.sum);
      const T* label = labels + i * classes;
      // As in TensorFlow a class whose logit is minus infinity makes this NaN, even if
      // its label is 0.
      loss[i] = T(0);
      for (int64_t c = 0; c < classes; ++c) {
        loss[i] += label[c] * (log_sum - row.shifted()[c]);
      }
      ArrayView<T>(gradient + i * classes, classes) =
          row.exps() / row.sum - ConstArrayView<T>(label, classes);
    }
  };
  threads.ParallelFor(shape.dim(0), kCostOfExp * classes, work);
}

// The same for labels that are the one class that is right.
template <typename T, typename Label>
void SparseCrossEntropy(const Shape& shape, const T* x, const Label* labels, T* loss,
                        T* gradient, ThreadPool& threads) {
  const int64_t classes = shape.dim(1);
  const auto work = [&](int64_t begin, int64_t end) {
    RowExponentials<T> row(classes);
    for (int64_t i = begin; i < end; ++i) {
      row.Read(x + i * classes);
      loss[i] = std::log(row.sum) - row.shifted()[labels[i]];
      ArrayView<T> result(gradient + i * classes, classes);
      result = row.exps() / row.sum;
      result[labels[i]] -= T(1);
    }
  };
  threads.ParallelFor(shape.dim(0), kCostOfExp * classes, work);
}

// `tensor`, of at most 2 axes, repeated along axes of size 1 until its shape is `shape`.
template <typename T>
Tensor Repeated(const Tensor& tensor, const Shape& shape) {
  if (tensor.shape() == shape) return tensor;
  const int64_t columns = tensor.rank() < 1 ? 1 : tensor.dim(tensor.rank() - 1);
  const int64_t rows = tensor.rank() < 2 ? 1 : tensor.dim(0);
  Tensor result(tensor.dtype(), shape);
  const auto from = tensor.flat<T>();
  const auto to = result.mutable_flat<T>();
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    const int64_t row = rows == 1 ? 0 : i / shape.dim(1);
    const int64_t column = columns == 1 ? 0 : i % shape.dim(1);
    to[i] = from[row * columns + column];
  }
  return result;
}

// ---- Kernels --------------------------------------------------------------------------

template <typename T, bool kLog>
class SoftmaxOp final : public OpKernel {
 public:
  explicit SoftmaxOp(OpKernelConstruction* construction) : OpKernel(construction) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [...,C]
    OP_REQUIRES(
        ctx, x.rank() >= 1,
        errors::InvalidArgument("logits must have >= 1 dimension, got ", x.shape()));
    Tensor* y = nullptr;  // [...,C]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, x.shape(), &y));
    if (y->num_elements() == 0) return;

    using Sum = SumType<T>;
    const int64_t classes = x.dim(x.rank() - 1);
    const Tensor logits = Widened(x);
    Tensor result = WideBuffer(*y);
    Softmax(x.num_elements() / classes, classes, kLog, logits.flat<Sum>().data(),
            result.mutable_flat<Sum>().data(), ctx->threads());
    StoreWide(result, y);
  }
};

template <typename T>
class SoftmaxCrossEntropyOp final : public OpKernel {
 public:
  explicit SoftmaxCrossEntropyOp(OpKernelConstruction* construction)
      : OpKernel(construction) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);       // [N,C]
    const Tensor& labels = ctx->input(1);  // [N,C]
    const Shape shape = BroadcastShapes(x.shape(), labels.shape());
    OP_REQUIRES(ctx, shape.rank() == 2,
                errors::InvalidArgument("logits and labels must be either 2-dimensional, "
                                        "or broadcasted to be 2-dimensional: logits are ",
                                        x.shape(), ", labels are ", labels.shape()));
    Tensor* loss = nullptr;      // [N]
    Tensor* gradient = nullptr;  // [N,C]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {shape.dim(0)}, &loss));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, shape, &gradient));
    if (shape.num_elements() == 0) {
      return std::fill_n(loss->mutable_flat<T>().begin(), shape.dim(0), T(0)), void();
    }

    using Sum = SumType<T>;
    const Tensor logits = Repeated<Sum>(Widened(x), shape);
    const Tensor wanted = Repeated<Sum>(Widened(labels), shape);
    Tensor losses = WideBuffer(*loss);
    Tensor gradients = WideBuffer(*gradient);
    CrossEntropy(shape, logits.flat<Sum>().data(), wanted.flat<Sum>().data(),
                 losses.mutable_flat<Sum>().data(), gradients.mutable_flat<Sum>().data(),
                 ctx->threads());
    StoreWide(losses, loss);
    StoreWide(gradients, gradient);
  }
};

// Unless every label is one of `classes`, an error that shows them.
template <typename Label>
Status CheckLabels(const Tensor& labels, int64_t classes) {
  const auto values = labels.flat<Label>();
  const auto wrong = std::find_if(values.begin(), values.end(), [&](Label label) {
    return label < 0 || label >= classes;
  });
  if (wrong == values.end()) return {};
  return errors::InvalidArgument("Received a label value of ", *wrong,
                                 " which is outside the valid range of [0, ", classes,
                                 "). Label values: ", labels.DebugString());
}

template <typename T, typename Label>
class SparseSoftmaxCrossEntropyOp final : public OpKernel {
 public:
  explicit SparseSoftmaxCrossEntropyOp(OpKernelConstruction* construction)
      : OpKernel(construction) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);       // [N,C]
    const Tensor& labels = ctx->input(1);  // [N]
    OP_REQUIRES_OK(ctx, CheckShapes(x.shape(), labels.shape()));
    OP_REQUIRES_OK(ctx, CheckLabels<Label>(labels, x.dim(1)));
    Tensor* loss = nullptr;      // [N]
    Tensor* gradient = nullptr;  // [N,C]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, labels.shape(), &loss));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, x.shape(), &gradient));

    using Sum = SumType<T>;
    const Tensor logits = Widened(x);
    Tensor losses = WideBuffer(*loss);
    Tensor gradients = WideBuffer(*gradient);
    SparseCrossEntropy(x.shape(), logits.flat<Sum>().data(), labels.flat<Label>().data(),
                       losses.mutable_flat<Sum>().data(),
                       gradients.mutable_flat<Sum>().data(), ctx->threads());
    StoreWide(losses, loss);
    StoreWide(gradients, gradient);
  }

 private:
  static Status CheckShapes(const Shape& x, const Shape& labels) {
    if (x.rank() != 2) {
      return errors::InvalidArgument("logits must be 2-D, but got shape ", x);
    }
    if (labels.rank() != 1) {
      return errors::InvalidArgument("labels must be 1-D, but got shape ", labels);
    }
    if (x.dim(0) != labels.dim(0)) {
      return errors::InvalidArgument(
          "logits and labels must have the same first dimension, got logits shape ", x,
          " and labels shape ", labels);
    }
    if (x.dim(1) == 0) {
      return errors::InvalidArgument(
          "Must have at least one class, but got logits shape ", x);
    }
    return {};
  }
};

template <typename T>
class L2LossOp final : public OpKernel {
 public:
  explicit L2LossOp(OpKernelConstruction* construction) : OpKernel(construction) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& t = ctx->input(0);  // any shape
    Tensor* y = nullptr;              // []
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, Shape{}, &y));

    using Sum = SumType<T>;
    // Squares are added in stretches, whose sums are small beside one sum of all of them.
    constexpr int64_t kStretch = 4096;
    const Tensor wide = Widened(t);
    const Sum* x = wide.flat<Sum>().data();
    Sum total(0);
    for (int64_t i = 0; i < t.num_elements(); i += kStretch) {
      const int64_t count = std::min(kStretch, t.num_elements() - i);
      total += ConstArrayView<Sum>(x + i, count).square().sum();
    }
    y->mutable_flat<T>()[0] = T(total / Sum(2));
  }
};

const bool kSoftmaxRegistered = ForTypes(RealTypes{}, []<typename T>() {
  RegisterKernel<SoftmaxOp<T, false>>(Kernel("Softmax").Type<T>("T"));
  RegisterKernel<SoftmaxOp<T, true>>(Kernel("LogSoftmax").Type<T>("T"));
  RegisterKernel<SoftmaxCrossEntropyOp<T>>(
      Kernel("SoftmaxCrossEntropyWithLogits").Type<T>("T"));
  const Kernel sparse = Kernel("SparseSoftmaxCrossEntropyWithLogits").Type<T>("T");
  RegisterKernel<SparseSoftmaxCrossEntropyOp<T, int32_t>>(
      Kernel(sparse).Type<int32_t>("Tlabels"));
  RegisterKernel<SparseSoftmaxCrossEntropyOp<T, int64_t>>(
      Kernel(sparse).Type<int64_t>("Tlabels"));
  RegisterKernel<L2LossOp<T>>(Kernel("L2Loss").Type<T>("T"));
});

}  // namespace
}  // namespace minitf
