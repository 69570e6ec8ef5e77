// Segment reductions on the CPU: rows of data joined where their ids say.
//
// One pass over the rows, in order, so that the result does not depend on the number of
// threads. In the Segment ops a segment ends where the next id begins; one that gets no
// row is 0, or 1 for products. In the UnsortedSegment ops it is the identity of what
// joins: 0, 1, or the lowest or highest number there is.
//
// Op         minitf/ops/math/segment_ops.cc
// Compare    tensorflow/core/kernels/segment_reduction_ops.cc
// Read next  minitf/gradients/math/segment_grad.cc

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/common/scalars.h"
#include "kernels/cpu/cwise/cwise.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// ---- What is computed -----------------------------------------------------------------
// kEmpty is what a segment without rows becomes in the Segment ops.

struct SumJoiner {
  static constexpr int kEmpty = 0;
  template <typename T>
  static T Identity() {
    return T(0);
  }
  template <typename T>
  static T Join(T x, T y) {
    return WrapAdd(x, y);
  }
};

struct MeanJoiner : SumJoiner {};

struct ProdJoiner {
  static constexpr int kEmpty = 1;
  template <typename T>
  static T Identity() {
    return T(1);
  }
  template <typename T>
  static T Join(T x, T y) {
    return WrapMultiply(x, y);
  }
};

struct MaxJoiner {
  static constexpr int kEmpty = 0;
  template <typename T>
  static T Identity() {
    return std::numeric_limits<T>::lowest();
  }
  template <typename T>
  static T Join(T x, T y) {
    return x >= y || x != x ? x : y;
  }
};

struct MinJoiner {
  static constexpr int kEmpty = 0;
  template <typename T>
  static T Identity() {
    return std::numeric_limits<T>::max();
  }
  template <typename T>
  static T Join(T x, T y) {
    return x <= y || x != x ? x : y;
  }
};

// ---- The work -------------------------------------------------------------------------

/// The loops over elements: all that depends on the op and the element type. The kernels
/// see bytes and call these functions, so they are compiled once and not once for each of
/// 5 ops and 14 types.
struct SegmentLoops {
  void (*fill_empty)(void* to, int64_t count);     ///< for the Segment ops
  void (*fill_identity)(void* to, int64_t count);  ///< for the UnsortedSegment ops
  void (*join)(const void* row, int64_t size, void* segment);
  void (*finish)(int64_t rows, int64_t size, void* segment);  ///< null: nothing
};

template <typename Joiner, typename T>
void FillEmpty(void* to, int64_t count) {
  std::fill_n(static_cast<T*>(to), count, T(Joiner::kEmpty));
}

template <typename Joiner, typename T>
void FillIdentity(void* to, int64_t count) {
  const auto identity = Joiner::template Identity<T>();
  std::fill_n(static_cast<T*>(to), count, identity);
}

template <typename Joiner, typename T>
void JoinRow(const void* from, int64_t size, void* to) {
  JoinInto(static_cast<const T*>(from), size, static_cast<T*>(to),
           [](const auto& x, const auto& y) { return Joiner::Join(x, y); });
}

// Divides `size` elements by `count`.
template <typename T>
void DivideRow(int64_t count, int64_t size, void* segment) {
  T* row = static_cast<T*>(segment);
  for (int64_t i = 0; i < size; ++i) {
    if constexpr (kIsHalf<T>) {
      row[i] = static_cast<T>(static_cast<float>(row[i]) / static_cast<float>(count));
    } else if constexpr (kIsComplex<T>) {
      row[i] /= static_cast<typename T::value_type>(count);
    } else if constexpr (std::is_integral_v<T>) {
      // A small type may not hold the count.
      using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
      row[i] = static_cast<T>(static_cast<Wide>(row[i]) / static_cast<Wide>(count));
    } else {
      row[i] = static_cast<T>(row[i] / static_cast<ComputeType<T>>(count));
    }
  }
}

// Throws unless the ids ascend from 0 or more.
void RequireAscending(const std::vector<int64_t>& ids) {
  for (size_t i = 0; i < ids.size(); ++i) {
    Require(ids[i] >= 0, "segment ids must be >= 0, id ", i, " is ", ids[i]);
    Require(i == 0 || ids[i - 1] <= ids[i], "segment ids are not increasing: id ", i,
            " is ", ids[i], " after ", ids[i - 1]);
  }
}

class SegmentOp final : public OpKernel {
 public:
  SegmentOp(OpKernelConstruction* construction, const SegmentLoops& loops)
      : OpKernel(construction), loops_(loops) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& data = ctx->input(0);         // [n,...]
    const Tensor& segment_ids = ctx->input(1);  // [n]
    OP_REQUIRES(
        ctx, data.rank() >= 1 && segment_ids.rank() == 1,
        errors::InvalidArgument("data must have rows, and segment_ids be a "
                                "vector: data is ",
                                data.shape(), ", segment_ids is ", segment_ids.shape()));
    OP_REQUIRES(
        ctx, data.dim(0) == segment_ids.dim(0),
        errors::InvalidArgument("segment_ids should be the same size as dimension "
                                "0 of input: data is ",
                                data.shape(), ", segment_ids is ", segment_ids.shape()));
    const std::vector<int64_t> ids = IntegersOf(segment_ids);
    RequireAscending(ids);
    std::vector<int64_t> shape = data.shape().ToVector();
    shape[0] = ids.empty() ? 0 : ids.back() + 1;
    Tensor* output = nullptr;  // [segments,...]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, Shape(shape), &output));
    if (output->num_elements() == 0) return;

    loops_.fill_empty(output->mutable_data(), output->num_elements());
    JoinSegments(data, ids, output);
  }

 private:
  // The rows of a segment stand together, as the ids ascend. Its first row is copied over
  // what the segment was filled with, and only the others are joined: so an id that no
  // row has keeps the value for empty segments, and no identity enters a Max.
  void JoinSegments(const Tensor& data, const std::vector<int64_t>& ids,
                    Tensor* output) const {
    const auto count = static_cast<int64_t>(ids.size());
    const int64_t row_size = data.num_elements() / count;
    const size_t row_bytes = row_size * SizeOf(data.dtype());
    const char* rows = static_cast<const char*>(data.data());
    for (int64_t row = 0; row < count;) {
      char* segment = static_cast<char*>(output->mutable_data()) + ids[row] * row_bytes;
      std::memcpy(segment, rows + row * row_bytes, row_bytes);
      int64_t end = row + 1;
      for (; end < count && ids[end] == ids[row]; ++end) {
        loops_.join(rows + end * row_bytes, row_size, segment);
      }
      if (loops_.finish != nullptr) loops_.finish(end - row, row_size, segment);
      row = end;
    }
  }

  const SegmentLoops loops_;
};

class UnsortedSegmentOp final : public OpKernel {
 public:
  UnsortedSegmentOp(OpKernelConstruction* construction, const SegmentLoops& loops)
      : OpKernel(construction), loops_(loops) {}

  void Compute(OpKernelContext* ctx) override {
    const Tensor& data = ctx->input(0);         // [ids...,row...]
    const Tensor& segment_ids = ctx->input(1);  // [ids...]
    const Tensor& num_segments = ctx->host_input(2);
    const int ids_rank = segment_ids.rank();
    const bool fits = ids_rank <= data.rank() &&
                      Shape(data.shape().sizes().first(ids_rank)) == segment_ids.shape();
    OP_REQUIRES(ctx, fits,
                errors::InvalidArgument(
                    "data.shape = ", data.shape(),
                    " does not start with segment_ids.shape = ", segment_ids.shape()));
    const int64_t segments = IntegerOf(num_segments, "num_segments");
    OP_REQUIRES(
        ctx, segments >= 0,
        errors::InvalidArgument("num_segments must not be negative, it is ", segments));
    std::vector<int64_t> shape = {segments};
    const auto row_shape = data.shape().sizes().subspan(ids_rank);
    shape.insert(shape.end(), row_shape.begin(), row_shape.end());
    Tensor* output = nullptr;  // [segments,row...]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, Shape(shape), &output));

    loops_.fill_identity(output->mutable_data(), output->num_elements());
    JoinRows(ctx, data, IntegersOf(segment_ids), segments, output);
  }

 private:
  // Rows of one segment may be anywhere, so every segment starts as the identity and each
  // row is joined to its own. All ids are checked first: a row is written where its id
  // says, and a wrong one must not write outside of the output.
  void JoinRows(OpKernelContext* ctx, const Tensor& data, const std::vector<int64_t>& ids,
                int64_t segments, Tensor* output) const {
    for (size_t i = 0; i < ids.size(); ++i) {
      OP_REQUIRES(ctx, ids[i] < segments,
                  errors::InvalidArgument("segment_ids[", i, "] = ", ids[i],
                                          " is out of range [0, ", segments, ")"));
    }
    if (data.num_elements() == 0) return;
    const int64_t row_size = data.num_elements() / static_cast<int64_t>(ids.size());
    const size_t row_bytes = row_size * SizeOf(data.dtype());
    const char* rows = static_cast<const char*>(data.data());
    char* to = static_cast<char*>(output->mutable_data());
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] < 0) continue;  // left out
      loops_.join(rows + i * row_bytes, row_size, to + ids[i] * row_bytes);
    }
  }

  const SegmentLoops loops_;
};

// ---- Registration ---------------------------------------------------------------------

template <typename Joiner, typename T>
constexpr SegmentLoops LoopsOf() {
  SegmentLoops loops = {FillEmpty<Joiner, T>, FillIdentity<Joiner, T>, JoinRow<Joiner, T>,
                        nullptr};
  if constexpr (std::is_same_v<Joiner, MeanJoiner>) loops.finish = DivideRow<T>;
  return loops;
}

template <typename Op>
void RegisterLoops(const Kernel& kernel, const SegmentLoops& loops) {
  KernelRegistrar(kernel, [loops](OpKernelConstruction* construction) {
    return std::make_unique<Op>(construction, loops);
  });
}

/// Registers "SegmentX" and, unless it is the mean, "UnsortedSegmentX" for X = `name`.
template <typename Joiner, typename Joined>
void RegisterSegment(const std::string& name, Joined types) {
  ForTypes(types, [&]<typename T>() {
    const auto loops = LoopsOf<Joiner, T>();
    RegisterLoops<SegmentOp>(Kernel("Segment" + name).Type<T>("T"), loops);
    if (std::is_same_v<Joiner, MeanJoiner>) return;
    RegisterLoops<UnsortedSegmentOp>(
        Kernel("UnsortedSegment" + name).HostMemory("num_segments").Type<T>("T"), loops);
  });
}

[[maybe_unused]] const bool kSegmentRegistered = [] {
  RegisterSegment<SumJoiner>("Sum", NumberTypes{});
  RegisterSegment<MeanJoiner>("Mean", NumberTypes{});
  RegisterSegment<ProdJoiner>("Prod", NumberTypes{});
  RegisterSegment<MaxJoiner>("Max", OrderedTypes{});
  RegisterSegment<MinJoiner>("Min", OrderedTypes{});
  return true;
}();

}  // namespace
}  // namespace minitf
