// Element-wise kernels: making the output, broadcasting, threads.
//
// The loops over elements are functions of plain memory, one for each op and type. What
// is around them is here and compiled once, so that an op costs a few lines and little
// code. The output takes the memory of an input if no other node needs that: a chain of
// element-wise ops then works in one piece of memory.
//
// Compare    tensorflow/core/kernels/cwise_ops_common.cc
// Read next  kernels/cpu/cwise/cwise_unary.cc

#include "kernels/cpu/cwise/cwise.h"

#include <array>

#include "kernels/cpu/common/broadcast_plan.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

const char* At(const Tensor& tensor, int64_t element) {
  return static_cast<const char*>(tensor.data()) + element * SizeOf(tensor.dtype());
}

char* At(Tensor* tensor, int64_t element) {
  return static_cast<char*>(tensor->mutable_data()) + element * SizeOf(tensor->dtype());
}

// Whether `scalar` is one element that broadcasting adds no axis for: [1,1] + [3] is
// [1,3], so there the shape of the result is not that of the other input.
bool IsScalarBeside(const Tensor& scalar, const Tensor& other) {
  return scalar.num_elements() == 1 && scalar.rank() <= other.rank();
}

Shape OutputShape(const Tensor& x, const Tensor& y) {
  if (IsScalarBeside(y, x)) return x.shape();
  if (IsScalarBeside(x, y)) return y.shape();
  return BroadcastShapes(x.shape(), y.shape());
}

// Lets other kernels have the loop of this one.
void ShareLoop(const KernelKey& key, const ElementwiseLoop& loop) {
  const bool has_one_type = key.types.size() == 1 && key.types[0].first == "T";
  if (has_one_type && key.label.empty()) {
    AddElementwiseLoop(key.device, key.op, key.types[0].second, loop);
  }
}

// `kernel`, with what is int32 in host memory: shapes, sizes and loop counters are worked
// out with these ops, and used on the host.
Kernel WithInt32OnHost(const Kernel& kernel) {
  const auto& types = kernel.key().types;
  const bool has_t = !types.empty() && types[0].first == "T";
  return has_t ? Kernel(kernel).HostMemoryIfInt32("T") : kernel;
}

}  // namespace

void UnaryOp::Compute(OpKernelContext* ctx) {
  const Tensor& x = ctx->input(0);
  Tensor* y = nullptr;  // the shape of x
  OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0}, 0, x.shape(), &y));

  ForPieces(&ctx->threads(), x.num_elements(), cost_, [&](int64_t begin, int64_t end) {
    loop_(At(x, begin), At(y, begin), end - begin);
  });
}

void RegisterUnaryLoop(const Kernel& kernel, UnaryLoop loop, int64_t cost) {
  ShareLoop(kernel.key(), {.unary = loop, .cost = cost});
  KernelRegistrar(WithInt32OnHost(kernel),
                  [loop, cost](OpKernelConstruction* construction) {
                    return std::make_unique<UnaryOp>(construction, loop, cost);
                  });
}

void BinaryOp::Compute(OpKernelContext* ctx) {
  const Tensor& x = ctx->input(0);
  const Tensor& y = ctx->input(1);
  Require(broadcasts_ || x.shape() == y.shape(),
          "the inputs must have one shape: ", x.shape(), " vs. ", y.shape());
  const Shape shape = OutputShape(x, y);
  if (check_ != nullptr && shape.num_elements() > 0) OP_REQUIRES_OK(ctx, check_(y));
  Tensor* z = nullptr;
  OP_REQUIRES_OK(ctx, ctx->forward_input_or_allocate_output({0, 1}, 0, shape, &z));
  if (shape.num_elements() == 0) return;

  const bool is_one_row =
      x.shape() == y.shape() || IsScalarBeside(x, y) || IsScalarBeside(y, x);
  return is_one_row ? ComputeRow(ctx, x, y, z) : ComputeBroadcast(ctx, x, y, z);
}

void BinaryOp::ComputeRow(OpKernelContext* ctx, const Tensor& x, const Tensor& y,
                          Tensor* z) const {
  const int64_t count = z->num_elements();
  const bool x_moves = x.num_elements() == count;
  const bool y_moves = y.num_elements() == count;
  ForPieces(&ctx->threads(), count, cost_, [&](int64_t begin, int64_t end) {
    loop_(At(x, x_moves ? begin : 0), At(y, y_moves ? begin : 0), At(z, begin),
          end - begin, x_moves, y_moves);
  });
}

// In the inner loop of a plan each input either moves on or stands still, and these are
// the cases that the loop has code for; so broadcasting needs no loops of its own.
void BinaryOp::ComputeBroadcast(OpKernelContext* ctx, const Tensor& x, const Tensor& y,
                                Tensor* z) const {
  const std::array<const Shape*, 2> shapes = {&x.shape(), &y.shape()};
  const BroadcastPlan plan(z->shape(), shapes);
  const bool x_moves = plan.row().strides[0] != 0;
  const bool y_moves = plan.row().strides[1] != 0;
  ForPieces(&ctx->threads(), z->num_elements(), cost_, [&](int64_t begin, int64_t end) {
    plan.ForEachRow(begin, end,
                    [&](const auto& offsets, int64_t z_offset, int64_t count) {
                      loop_(At(x, offsets[0]), At(y, offsets[1]), At(z, z_offset), count,
                            x_moves, y_moves);
                    });
  });
}

void RegisterBinaryLoop(const Kernel& kernel, BinaryLoop loop, int64_t cost,
                        BinaryCheck check, bool broadcasts) {
  if (check == nullptr) ShareLoop(kernel.key(), {.binary = loop, .cost = cost});
  KernelRegistrar(WithInt32OnHost(kernel), [=](OpKernelConstruction* construction) {
    return std::make_unique<BinaryOp>(construction, loop, cost, check, broadcasts);
  });
}

}  // namespace minitf
