// Shapes in C: handles, and what a shape function does with them.
//
// Compare    tensorflow/c/ops.cc

#include "minitf/c/kernels/shape_context.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "minitf/base/caught.h"
#include "minitf/c/internal.h"

using minitf::DType;
using minitf::kUnknown;
using minitf::PartialShape;
using minitf::Require;
using minitf::StrCat;
using minitf::c::Guarded;
using minitf::c::NotNull;
using minitf::c::TextOf;

struct TF_ShapeHandle {
  PartialShape shape;
};

struct TF_DimensionHandle {
  int64_t size = kUnknown;
};

namespace {

constexpr int64_t kMaxRank = 1 << 16;

// Calls `body`. The context, if it is not null, stores the first error.
template <typename Body>
void GuardedIn(TF_ShapeInferenceContext* ctx, const Body& body) {
  try {
    body();
  } catch (...) {
    if (ctx != nullptr && ctx->error.ok()) ctx->error = minitf::CaughtStatus();
  }
}

const PartialShape& ShapeOf(const TF_ShapeHandle* handle, const char* argument) {
  return NotNull(handle, argument).shape;
}

void RequireOutput(const TF_ShapeInferenceContext& ctx, int64_t i) {
  Require(0 <= i && i < ctx.num_outputs, "output ", i,
          " does not exist; number of outputs: ", ctx.num_outputs);
}

// Which ranks a shape may have.
struct RankLimits {
  int64_t minimum;
  int64_t maximum;
  std::string text;
};

// Copies a shape whose rank, if it is known, is within the limits.
void CopyOfRank(TF_ShapeInferenceContext* ctx, const TF_ShapeHandle* handle,
                const RankLimits& limits, TF_ShapeHandle* result) {
  NotNull(ctx, "ctx");
  PartialShape shape = ShapeOf(handle, "handle");
  NotNull(result, "result");
  if (shape.has_rank()) {
    const bool fits = limits.minimum <= shape.rank() && shape.rank() <= limits.maximum;
    Require(fits, "the shape ", shape, " has rank ", shape.rank(), "; expected ",
            limits.text);
  } else if (limits.minimum == limits.maximum) {
    Require(0 <= limits.minimum && limits.minimum <= kMaxRank, "a shape cannot have ",
            limits.text, "; expected a number from 0 to ", kMaxRank);
    shape = PartialShape::OfRank(static_cast<int>(limits.minimum));
  }
  result->shape = std::move(shape);
}

// An axis of [0, rank]: a negative one counts from the end.
int64_t Bound(int64_t position, int64_t rank, const PartialShape& shape) {
  const int64_t bound = position < 0 ? position + rank : std::min(position, rank);
  Require(bound >= 0, "position ", position, " is below minus the rank of shape ", shape);
  return bound;
}

PartialShape Subshape(const PartialShape& shape, int64_t start, int64_t end) {
  if (!shape.has_rank()) return {};
  const int64_t first = Bound(start, shape.rank(), shape);
  const int64_t last = Bound(end, shape.rank(), shape);
  Require(first <= last, "axes [", start, ", ", end, ") of shape ", shape,
          ": the start comes after the end");
  return PartialShape(shape.sizes().subspan(first, last - first));
}

}  // namespace

int64_t TF_ShapeInferenceContextNumInputs(TF_ShapeInferenceContext* ctx) {
  return ctx == nullptr ? 0 : ctx->inference->num_inputs();
}

// ---- Handles --------------------------------------------------------------------------

TF_ShapeHandle* TF_NewShapeHandle(void) {
  return Guarded<TF_ShapeHandle*>(nullptr, nullptr, [] { return new TF_ShapeHandle; });
}

void TF_DeleteShapeHandle(TF_ShapeHandle* handle) { delete handle; }

TF_DimensionHandle* TF_NewDimensionHandle(void) {
  return Guarded<TF_DimensionHandle*>(nullptr, nullptr,
                                      [] { return new TF_DimensionHandle; });
}

void TF_DeleteDimensionHandle(TF_DimensionHandle* handle) { delete handle; }

int TF_DimensionHandleValueKnown(TF_DimensionHandle* dim_handle) {
  return TF_DimensionHandleValue(dim_handle) != kUnknown ? 1 : 0;
}

int64_t TF_DimensionHandleValue(TF_DimensionHandle* dim_handle) {
  return dim_handle == nullptr ? kUnknown : dim_handle->size;
}

TF_ShapeHandle* TF_ShapeInferenceContextVectorFromSize(TF_ShapeInferenceContext* ctx,
                                                       size_t size) {
  TF_ShapeHandle* vector = nullptr;
  GuardedIn(ctx, [&] {
    Require(size <= static_cast<size_t>(std::numeric_limits<int64_t>::max()),
            "a size of ", size, " is more than 2^63 - 1");
    vector = new TF_ShapeHandle{PartialShape{static_cast<int64_t>(size)}};
  });
  return vector;
}

// ---- Inputs, outputs and attributes ---------------------------------------------------

void TF_ShapeInferenceContextGetInput(TF_ShapeInferenceContext* ctx, int i,
                                      TF_ShapeHandle* handle, TF_Status* status) {
  Guarded(status, [&] {
    const PartialShape& shape = NotNull(ctx, "ctx").inference->input(i);
    NotNull(handle, "handle").shape = shape;
  });
}

void TF_ShapeInferenceContextSetOutput(TF_ShapeInferenceContext* ctx, int i,
                                       TF_ShapeHandle* handle, TF_Status* status) {
  Guarded(status, [&] {
    RequireOutput(NotNull(ctx, "ctx"), i);
    ctx->inference->set_output(i, ShapeOf(handle, "handle"));
  });
}

void TF_ShapeInferenceContextSetUnknownShape(TF_ShapeInferenceContext* ctx,
                                             TF_Status* status) {
  Guarded(status, [&] {
    const int64_t count = NotNull(ctx, "ctx").num_outputs;
    for (int i = 0; i < count; ++i) ctx->inference->set_output(i, {});
  });
}

void TF_ShapeInferenceContext_GetAttrType(TF_ShapeInferenceContext* ctx,
                                          const char* attr_name, TF_DataType* val,
                                          TF_Status* status) {
  Guarded(status, [&] {
    const auto& inference = *NotNull(ctx, "ctx").inference;
    const DType dtype = inference.attr<DType>(TextOf(attr_name, "attr_name"));
    NotNull(val, "val") = minitf::c::DTypeToC(dtype);
  });
}

// ---- Computing shapes -----------------------------------------------------------------

int64_t TF_ShapeInferenceContextRank(TF_ShapeInferenceContext* ctx,
                                     TF_ShapeHandle* handle) {
  int64_t rank = -1;
  GuardedIn(ctx, [&] {
    const PartialShape& shape = ShapeOf(handle, "handle");
    if (shape.has_rank()) rank = shape.rank();
  });
  return rank;
}

int TF_ShapeInferenceContextRankKnown(TF_ShapeInferenceContext* ctx,
                                      TF_ShapeHandle* handle) {
  return TF_ShapeInferenceContextRank(ctx, handle) >= 0 ? 1 : 0;
}

void TF_ShapeInferenceContextWithRank(TF_ShapeInferenceContext* ctx,
                                      TF_ShapeHandle* handle, int64_t rank,
                                      TF_ShapeHandle* result, TF_Status* status) {
  Guarded(status, [&] {
    CopyOfRank(ctx, handle, {rank, rank, StrCat("rank ", rank)}, result);
  });
}

void TF_ShapeInferenceContextWithRankAtLeast(TF_ShapeInferenceContext* ctx,
                                             TF_ShapeHandle* handle, int64_t rank,
                                             TF_ShapeHandle* result, TF_Status* status) {
  Guarded(status, [&] {
    CopyOfRank(
        ctx, handle,
        {rank, std::numeric_limits<int64_t>::max(), StrCat("a rank of at least ", rank)},
        result);
  });
}

void TF_ShapeInferenceContextWithRankAtMost(TF_ShapeInferenceContext* ctx,
                                            TF_ShapeHandle* handle, int64_t rank,
                                            TF_ShapeHandle* result, TF_Status* status) {
  Guarded(status, [&] {
    CopyOfRank(ctx, handle, {0, rank, StrCat("a rank of at most ", rank)}, result);
  });
}

void TF_ShapeInferenceContextDim(TF_ShapeInferenceContext* ctx,
                                 TF_ShapeHandle* shape_handle, int64_t i,
                                 TF_DimensionHandle* result) {
  GuardedIn(ctx, [&] {
    const PartialShape& shape = ShapeOf(shape_handle, "shape_handle");
    int64_t& size = NotNull(result, "result").size;
    size = kUnknown;
    if (!shape.has_rank()) return;
    const int64_t axis = i < 0 ? i + shape.rank() : i;
    Require(0 <= axis && axis < shape.rank(), "axis ", i, " does not exist in shape ",
            shape);
    size = shape.dim(static_cast<int>(axis));
  });
}

void TF_ShapeInferenceContextSubshape(TF_ShapeInferenceContext* ctx,
                                      TF_ShapeHandle* shape_handle, int64_t start,
                                      int64_t end, TF_ShapeHandle* result,
                                      TF_Status* status) {
  Guarded(status, [&] {
    NotNull(ctx, "ctx");
    NotNull(result, "result");
    result->shape = Subshape(ShapeOf(shape_handle, "shape_handle"), start, end);
  });
}

void TF_ShapeInferenceContextConcatenateShapes(TF_ShapeInferenceContext* ctx,
                                               TF_ShapeHandle* first,
                                               TF_ShapeHandle* second,
                                               TF_ShapeHandle* result,
                                               TF_Status* status) {
  Guarded(status, [&] {
    NotNull(ctx, "ctx");
    NotNull(result, "result");
    const PartialShape& head = ShapeOf(first, "first");
    const PartialShape& tail = ShapeOf(second, "second");
    if (!head.has_rank() || !tail.has_rank()) {
      result->shape = PartialShape();
      return;
    }
    std::vector<int64_t> sizes = head.ToVector();
    sizes.insert(sizes.end(), tail.sizes().begin(), tail.sizes().end());
    result->shape = PartialShape(sizes);
  });
}
