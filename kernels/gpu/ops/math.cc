// Products of matrices and reductions on cards.
//
// Op         minitf/ops/math/linalg_ops.cc, reduction_ops.cc
// Compare    tensorflow/core/kernels/matmul_op.cc, reduction_ops_common.h
// Read next  kernels/gpu/ops/conv2d.cc

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cpu/common/broadcast_plan.h"
#include "kernels/cpu/gemm/matrix_product.h"
#include "kernels/cpu/math/reduction_plan.h"
#include "kernels/gpu/matmul.h"
#include "kernels/gpu/ops/vendor_op.h"
#include "kernels/gpu/reduction.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/product_shapes.h"

namespace minitf::gpu {
namespace {

int ToInt(int64_t size) {
  if (size > std::numeric_limits<int>::max()) {
    throw Error(errors::Unimplemented("a card multiplies matrices of at most 2^31 - 1 ",
                                      "rows and columns, not ", size));
  }
  return static_cast<int>(size);
}

// How products are computed: the label of the kernel, and the tier that it means where
// cuBLAS does not compute them.
struct ProductWay {
  const char* label;
  MatMulTier tier;
};

template <typename T>
void Multiply(OpKernelContext* ctx, const ProductWay& way, const MatMulSizes& sizes,
              const T* a, const T* b, T* c) {
  const cudaStream_t stream = StreamOf(*ctx);
  CardLibrary* const library = LibraryFor(*ctx, way.label, "cublas", "");
  if (library != nullptr) return library->MatMul({kTypeOf<T>, sizes}, a, b, c, stream);
  CheckLaunch(LaunchMatMul(way.tier, sizes, a, b, c, stream));
}

template <typename T>
class MatMulOp final : public OpKernel {
 public:
  MatMulOp(OpKernelConstruction* construction, const ProductWay& way)
      : OpKernel(construction), way_(way) {
    OP_REQUIRES_OK(construction, construction->GetAttr("transpose_a", &transpose_a_));
    OP_REQUIRES_OK(construction, construction->GetAttr("transpose_b", &transpose_b_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& a = ctx->input(0);  // [m,k], or [k,m] if transpose_a
    const Tensor& b = ctx->input(1);  // [k,n], or [n,k] if transpose_b
    const ProductSizes sizes = SizesOfProduct(a, b, transpose_a_, transpose_b_);
    Tensor* product = nullptr;  // [m,n]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, {sizes.m, sizes.n}, &product));
    Multiply(ctx, way_,
             {ToInt(sizes.m), ToInt(sizes.n), ToInt(sizes.k), transpose_a_, transpose_b_},
             DataOf<T>(a), DataOf<T>(b), DataOf<T>(product));
  }

 private:
  const ProductWay way_;
  bool transpose_a_ = false;
  bool transpose_b_ = false;
};

// All axes but the last two.
Shape BatchOf(const Tensor& x) { return Shape(x.shape().sizes().first(x.rank() - 2)); }

template <typename T>
class BatchMatMulOp final : public OpKernel {
 public:
  BatchMatMulOp(OpKernelConstruction* construction, const ProductWay& way)
      : OpKernel(construction),
        way_(way),
        broadcasts_(construction->op().name != "BatchMatMul") {
    OP_REQUIRES_OK(construction, construction->GetAttr("adj_x", &adj_x_));
    OP_REQUIRES_OK(construction, construction->GetAttr("adj_y", &adj_y_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);  // [..., m,k], or [..., k,m] if adj_x
    const Tensor& y = ctx->input(1);  // [..., k,n], or [..., n,k] if adj_y
    Require(x.rank() >= 2 && y.rank() >= 2, "x and y must have at least rank 2, x is ",
            x.shape(), ", y is ", y.shape());
    Require(broadcasts_ || BatchOf(x) == BatchOf(y),
            "all axes but the last two must agree: x is ", x.shape(), ", y is ",
            y.shape());
    MatMulSizes sizes;
    sizes.m = ToInt(x.dim(x.rank() - (adj_x_ ? 1 : 2)));
    sizes.k = ToInt(x.dim(x.rank() - (adj_x_ ? 2 : 1)));
    sizes.n = ToInt(y.dim(y.rank() - (adj_y_ ? 2 : 1)));
    sizes.transpose_a = adj_x_;
    sizes.transpose_b = adj_y_;
    Require(sizes.k == y.dim(y.rank() - (adj_y_ ? 1 : 2)),
            "Matrix size-incompatible: x is ", x.shape(), ", y is ", y.shape());
    const Shape batch = BroadcastShapes(BatchOf(x), BatchOf(y));
    std::vector<int64_t> shape = batch.ToVector();
    shape.push_back(sizes.m);
    shape.push_back(sizes.n);
    Tensor* output = nullptr;  // [..., m,n]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, Shape(shape), &output));
    if (output->num_elements() > 0) MultiplyRows(ctx, batch, sizes, output);
  }

 private:
  // One call for each row of the plan of broadcasting the batches.
  void MultiplyRows(OpKernelContext* ctx, const Shape& batch, MatMulSizes sizes,
                    Tensor* output) const {
    const Shape x_batch = BatchOf(ctx->input(0));
    const Shape y_batch = BatchOf(ctx->input(1));
    const std::array<const Shape*, 2> inputs = {&x_batch, &y_batch};
    const BroadcastPlan plan(batch, inputs);
    sizes.a_moves = plan.row().strides[0] != 0;
    sizes.b_moves = plan.row().strides[1] != 0;
    const T* const x = DataOf<T>(ctx->input(0));
    const T* const y = DataOf<T>(ctx->input(1));
    T* const z = DataOf<T>(output);
    plan.ForEachRow(
        0, batch.num_elements(), [&](const auto& at, int64_t first, int64_t count) {
          sizes.batch = ToInt(count);
          Multiply(ctx, way_, sizes, x + at[0] * sizes.m * sizes.k,
                   y + at[1] * sizes.k * sizes.n, z + first * sizes.m * sizes.n);
        });
  }

  const ProductWay way_;
  const bool broadcasts_;
  bool adj_x_ = false;
  bool adj_y_ = false;
};

template <template <typename> typename Op>
void RegisterProduct(const char* op, const ProductWay& way) {
  const auto add = [&]<typename T>() {
    KernelRegistrar(Kernel(op).On(Device::kGpu).Type<T>("T").Label(way.label),
                    [way](OpKernelConstruction* construction) {
                      return std::make_unique<Op<T>>(construction, way);
                    });
  };
  add.template operator()<float>();
  add.template operator()<double>();
}

const bool kProductsAreRegistered = [] {
  for (const ProductWay& way : {ProductWay{"", MatMulTier::kRegisters},
                                {"cublas", MatMulTier::kRegisters},
                                {"naive", MatMulTier::kNaive},
                                {"shared", MatMulTier::kShared},
                                {"registers", MatMulTier::kRegisters}}) {
    RegisterProduct<MatMulOp>("MatMul", way);
    const std::string label = way.label;
    if (!label.empty() && label != "cublas") continue;
    RegisterProduct<BatchMatMulOp>("BatchMatMul", way);
    RegisterProduct<BatchMatMulOp>("BatchMatMulV2", way);
  }
  return true;
}();

// ---- Reductions -----------------------------------------------------------------------

template <typename T>
class ReductionOp final : public OpKernel {
 public:
  ReductionOp(OpKernelConstruction* construction, ReduceFunction function)
      : OpKernel(construction), function_(function) {
    OP_REQUIRES_OK(construction, construction->GetAttr("keep_dims", &keep_dims_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& input = ctx->input(0);
    ReductionPlan plan = PlanReduction(input.shape(), ctx->host_input(1), keep_dims_);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, plan.output, &output));
    if (output->num_elements() == 0) return;
    if (input.num_elements() == 0) {
      // One step makes the result. Several would fill tensors of any size in between.
      plan.axes = {{0, {0}}, {output->num_elements(), {1}}};
    }
    Tensor from = input;
    int left = static_cast<int>(std::ranges::count_if(plan.axes, IsReduced));
    if (left == 0) {
      return ctx->stream()->Copy(output->mutable_data(), input.data(), input.num_bytes());
    }
    for (; left > 0; --left) {
      const auto [outer, length, inner] = NextStep(&plan.axes);
      Tensor between;  // [outer,inner]
      T* const to =
          left == 1 ? DataOf<T>(output) : RoomFor<T>(ctx, outer * inner, &between);
      Reduce(ctx, {outer, length, inner}, DataOf<T>(from), to);
      if (left > 1) from = std::move(between);
    }
  }

 private:
  // A mean of means of equally many is the mean of all.
  void Reduce(OpKernelContext* ctx, const ReduceSizes& sizes, const T* x, T* y) const {
    Tensor room;
    T* const memory = RoomFor<T>(ctx, ReduceRoom(sizes), &room);
    CheckLaunch(LaunchReduce(function_, sizes, x, y, memory, StreamOf(*ctx)));
  }

  const ReduceFunction function_;
  bool keep_dims_ = false;
};

const bool kReductionsAreRegistered = [] {
  constexpr std::array<std::pair<const char*, ReduceFunction>, 5> kReductions = {
      {{"Sum", ReduceFunction::kSum},
       {"Mean", ReduceFunction::kMean},
       {"Prod", ReduceFunction::kProd},
       {"Max", ReduceFunction::kMax},
       {"Min", ReduceFunction::kMin}}};
  for (const auto& [op, function] : kReductions) {
    const Kernel kernel = Kernel(op).On(Device::kGpu).HostMemory("reduction_indices");
    const auto add = [&, function = function]<typename T>() {
      KernelRegistrar(Kernel(kernel).Type<T>("T"),
                      [function](OpKernelConstruction* construction) {
                        return std::make_unique<ReductionOp<T>>(construction, function);
                      });
    };
    add.template operator()<float>();
    add.template operator()<double>();
  }
  return true;
}();

}  // namespace
}  // namespace minitf::gpu
