// BiasAdd and BiasAddGrad on the CPU.
//
// Both see the values as a matrix [outer * inner, C] of places by channels when the
// channels come last, and as [outer, C, inner] when they do not.
//
// Op         minitf/ops/nn/nn_ops.cc
// Compare    tensorflow/core/kernels/bias_op.cc
// Read next  kernels/cpu/nn/activation.cc

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/conv/nhwc.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {
namespace {

// How values of some shape fall into [outer, channels, inner].
struct BiasShape {
  int64_t outer, channels, inner;

  static BiasShape Of(const Shape& shape, DataFormat format) {
    Require(shape.rank() >= 2, "Input tensor must be at least 2D: ", shape);
    const int axis = format == DataFormat::kNchw ? 1 : shape.rank() - 1;
    const auto product = [&](int from, int to) {
      const auto sizes = shape.sizes();
      return std::accumulate(sizes.begin() + from, sizes.begin() + to, int64_t{1},
                             std::multiplies<>());
    };
    return {product(0, axis), shape.dim(axis), product(axis + 1, shape.rank())};
  }
};

// y = x + bias. x and y may be the same memory. A loop is started for long rows, since a
// short one takes less time than the start: that of a channel if there is one; otherwise
// several places, which follow one another, with the bias as often behind itself.
template <typename T>
void AddBias(const BiasShape& shape, const T* x, const T* bias, T* y,
             ThreadPool& threads) {
  using Sum = SumType<T>;
  const int64_t channels = shape.channels;
  const int64_t inner = shape.inner;
  if (shape.outer * channels * inner == 0) return;
  if (inner > 1) {
    const auto add_to_channels = [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const T* from = x + row * inner;
        StoreEach(inner, y + row * inner,
                  [from, b = Sum(bias[row % channels])](int64_t i) {
                    return WrapAdd(Sum(from[i]), b);
                  });
      }
    };
    return threads.ParallelFor(shape.outer * channels, inner / 4 + 1, add_to_channels);
  }
  const int64_t together = std::clamp<int64_t>(kPiece / channels, 1, shape.outer);
  std::vector<Sum> biases;
  biases.reserve(together * channels);
  for (int64_t i = 0; i < together; ++i) {
    biases.insert(biases.end(), bias, bias + channels);
  }
  threads.ParallelFor(shape.outer, channels / 4, [&](int64_t begin, int64_t end) {
    for (int64_t place = begin; place < end; place += together) {
      const T* from = x + place * channels;
      StoreEach(
          std::min(together, end - place) * channels, y + place * channels,
          [from, b = biases.data()](int64_t i) { return WrapAdd(Sum(from[i]), b[i]); });
    }
  });
}

// ---- The gradient: sums ---------------------------------------------------------------

// A sum of many floats loses digits when it is large beside what is added. So sums of
// this many are made first, and then added up.
constexpr int64_t kRowsAtATime = 256;

// sums [C] += rows [count,C].
template <typename Sum, typename T>
void AddRows(const T* rows, int64_t count, int64_t channels, Sum* __restrict sums) {
  // LAB(10.11) begin: add the rows to `sums`
  // Four at a time, so that a sum is read and written once for four.
  int64_t row = 0;
  for (; row + 4 <= count; row += 4) {
    const T* __restrict x = rows + row * channels;
    for (int64_t c = 0; c < channels; ++c) {
      sums[c] += (Sum(x[c]) + Sum(x[c + channels])) +
                 (Sum(x[c + 2 * channels]) + Sum(x[c + 3 * channels]));
    }
  }
  for (; row < count; ++row) {
    for (int64_t c = 0; c < channels; ++c) sums[c] += Sum(rows[row * channels + c]);
  }
  // LAB(10.11) end
}

// Channels last: sums of columns. `sums` is [C].
template <typename Sum, typename T>
void SumColumns(const T* rows, int64_t count, int64_t channels, Sum* sums) {
  // LAB(10.11) begin: write the sums; kRowsAtATime rows first, which AddRows adds up
  std::fill_n(sums, channels, Sum(0));
  std::vector<Sum> part(channels);
  for (int64_t row = 0; row < count; row += kRowsAtATime) {
    std::fill(part.begin(), part.end(), Sum(0));
    AddRows(rows + row * channels, std::min(kRowsAtATime, count - row), channels,
            part.data());
    for (int64_t c = 0; c < channels; ++c) sums[c] += part[c];
  }
  // LAB(10.11) end
}

// The sum of x [count].
template <typename Sum, typename T>
Sum SumOf(const T* x, int64_t count) {
  // LAB(10.11) begin: return it; parts first here, too
  // Sixteen sums side by side, so that the processor need not wait for one.
  constexpr int64_t kLanes = 16;
  Sum total(0);
  for (int64_t first = 0; first < count; first += kRowsAtATime * kLanes) {
    const int64_t last = std::min(count, first + kRowsAtATime * kLanes);
    Sum lanes[kLanes] = {};
    int64_t i = first;
    for (; i + kLanes <= last; i += kLanes) {
      for (int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += Sum(x[i + lane]);
    }
    for (; i < last; ++i) lanes[0] += Sum(x[i]);
    total += std::accumulate(lanes, lanes + kLanes, Sum(0));
  }
  return total;
  // LAB(10.11) end
}

// db [C] from dy.
template <typename T>
void SumToBias(const BiasShape& shape, const T* dy, T* db, ThreadPool& threads) {
  using Sum = SumType<T>;
  const int64_t channels = shape.channels;
  // Each piece of the places has sums of its own; they are added in a fixed order.
  const int64_t pieces = std::clamp<int64_t>(
      shape.outer * shape.inner * channels / 100'000, 1, threads.num_threads());
  std::vector<Sum> sums(pieces * channels);
  const auto sum_piece = [&](int64_t piece) {
    const int64_t first = shape.outer * piece / pieces;
    const int64_t last = shape.outer * (piece + 1) / pieces;
    Sum* result = sums.data() + piece * channels;
    if (shape.inner == 1) {
      return SumColumns(dy + first * channels, last - first, channels, result);
    }
    for (int64_t i = first * channels; i < last * channels; ++i) {
      result[i % channels] += SumOf<Sum>(dy + i * shape.inner, shape.inner);
    }
  };
  threads.ParallelFor(pieces, 100'000, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece) sum_piece(piece);
  });

  for (int64_t c = 0; c < channels; ++c) {
    Sum total(0);
    for (int64_t piece = 0; piece < pieces; ++piece) total += sums[piece * channels + c];
    db[c] = T(total);
  }
}

// ---- Kernels --------------------------------------------------------------------------

template <typename T>
class BiasAddOp final : public OpKernel {
 public:
  explicit BiasAddOp(OpKernelConstruction* construction) : OpKernel(construction) {
    std::string format;
    OP_REQUIRES_OK(construction, construction->GetAttr("data_format", &format));
    format_ = DataFormatFrom(format);
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);     // [N,...,C], or [N,C,...]
    const Tensor& bias = ctx->input(1);  // [C]
    const auto shape = BiasShape::Of(x.shape(), format_);
    OP_REQUIRES(ctx, bias.rank() == 1,
                errors::InvalidArgument("Biases must be 1D: ", bias.shape()));
    OP_REQUIRES(ctx, bias.dim(0) == shape.channels,
                errors::InvalidArgument("Must provide as many biases as there are "
                                        "channels: ",
                                        bias.shape(), " vs. ", x.shape()));
    const T* values = x.flat<T>().data();
    Tensor* y = nullptr;  // as x
    OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0}, 0, x.shape(), &y));
    AddBias(shape, values, ctx->input(1).flat<T>().data(), y->mutable_flat<T>().data(),
            ctx->threads());
  }

 private:
  DataFormat format_{};
};

template <typename T>
class BiasAddGradOp final : public OpKernel {
 public:
  explicit BiasAddGradOp(OpKernelConstruction* construction) : OpKernel(construction) {
    std::string format;
    OP_REQUIRES_OK(construction, construction->GetAttr("data_format", &format));
    format_ = DataFormatFrom(format);
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& dy = ctx->input(0);  // [N,...,C], or [N,C,...]
    const auto shape = BiasShape::Of(dy.shape(), format_);
    Tensor* db = nullptr;  // [C]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {shape.channels}, &db));
    SumToBias(shape, dy.flat<T>().data(), db->mutable_flat<T>().data(), ctx->threads());
  }

 private:
  DataFormat format_{};
};

const bool kBiasRegistered =
    ForTypes(RealTypes{} + Types<int32_t, int64_t>{}, []<typename T>() {
      RegisterKernel<BiasAddOp<T>>(Kernel("BiasAdd").Type<T>("T"));
      RegisterKernel<BiasAddGradOp<T>>(Kernel("BiasAddGrad").Type<T>("T"));
    });

}  // namespace
}  // namespace minitf
