// Sums and maxima of sparse tensors along axes, dense and sparse, on the CPU.
//
// Elements that agree in the axes that stay form a group. Each group gives one element.
//
// Op         minitf/contrib/sparse/sparse_math_ops.cc
// Compare    tensorflow/core/kernels/sparse_reduce_op.cc

#include <algorithm>
#include <vector>

#include "minitf/contrib/sparse/sparse_math.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// Which axes a reduction keeps, and the shape of its result.
struct Reduction {
  Reduction(const SparseParts& x, const Tensor& axes, bool keep_dims) {
    Require(axes.rank() <= 1, "reduction_axes must be a scalar or a vector, got shape ",
            axes.shape());
    const auto rank = static_cast<int>(x.rank());
    std::vector<bool> reduced(rank, false);
    for (const int64_t axis : IntegersOf(axes))
      reduced[NormalizedAxis(axis, rank)] = true;
    const auto sizes = x.shape.flat<int64_t>();
    std::vector<int64_t> result;
    for (int axis = 0; axis < rank; ++axis) {
      if (!reduced[axis]) result.push_back(sizes[axis]);
      if (reduced[axis] && keep_dims) result.push_back(1);
      if (!reduced[axis] || keep_dims) source.push_back(reduced[axis] ? -1 : axis);
    }
    shape = Shape(result);
  }

  // The places of all elements in the result.
  Tensor PlacesOf(const SparseParts& x) const {
    Tensor places(DType::kInt64, {x.values.dim(0), std::ssize(source)});
    auto to = places.mutable_flat<int64_t>().begin();
    for (int64_t i = 0; i < x.values.dim(0); ++i) {
      const auto place = PlaceAt(x.indices, i);
      for (const int axis : source) *to++ = axis < 0 ? 0 : place[axis];
    }
    return places;
  }

  Shape shape;
  std::vector<int> source;  // the axis of x for each axis of the result; -1 for a size 1
};

// The groups of equal places in row-major order: numbers of elements.
std::vector<std::vector<int64_t>> GroupsOf(const Tensor& places) {
  std::vector<std::vector<int64_t>> groups;
  int64_t last = -1;
  for (const int64_t i : RowMajorOrder(places)) {
    if (last < 0 || ComparePlaces(PlaceAt(places, last), PlaceAt(places, i)) != 0) {
      groups.emplace_back();
    }
    groups.back().push_back(i);
    last = i;
  }
  return groups;
}

// The elements of a group, joined. Numbers of 16 bits are joined as floats.
template <typename Function, typename T>
T Reduced(std::span<const T> values, const std::vector<int64_t>& group) {
  using C = ComputeType<T>;
  auto result = static_cast<C>(values[group[0]]);
  for (size_t k = 1; k < group.size(); ++k) {
    result = Function::Apply(result, static_cast<C>(values[group[k]]));
  }
  return static_cast<T>(result);
}

template <typename Function, bool kIsSparse>
class SparseReduceOp final : public OpKernel {
 public:
  explicit SparseReduceOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("keep_dims", &keep_dims_));
  }

  void Compute(OpKernelContext* ctx) override {
    const SparseParts x = CheckedSparse(ctx, 0);
    const Reduction reduction(x, ctx->host_input(3), keep_dims_);
    const Tensor places = reduction.PlacesOf(x);
    const auto groups = GroupsOf(places);
    VisitNumber(x.values.dtype(), [&]<typename T>() {
      if constexpr (requires(const T& v) { Function::Apply(v, v); }) {
        const auto value = [&](const std::vector<int64_t>& group) {
          return Reduced<Function>(x.values.flat<T>(), group);
        };
        if constexpr (kIsSparse) {
          SetSparse<T>(ctx, reduction.shape, places, groups, value);
        } else {
          SetDense<T>(ctx, reduction.shape, places, groups, value);
        }
      } else {
        throw Error(errors::Unimplemented("not defined for ", x.values.dtype()));
      }
    });
  }

 private:
  template <typename T, typename Value>
  static void SetDense(OpKernelContext* ctx, const Shape& shape, const Tensor& places,
                       const std::vector<std::vector<int64_t>>& groups,
                       const Value& value) {
    Tensor* y = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &y));
    const auto to = y->mutable_flat<T>();
    std::ranges::fill(to, T{});
    const std::vector<int64_t> strides = DenseStrides(shape.sizes());
    for (const auto& group : groups) {
      to[OffsetOf(PlaceAt(places, group[0]), strides)] = value(group);
    }
  }

  template <typename T, typename Value>
  static void SetSparse(OpKernelContext* ctx, const Shape& shape, const Tensor& places,
                        const std::vector<std::vector<int64_t>>& groups,
                        const Value& value) {
    Tensor* indices = nullptr;
    Tensor* values = nullptr;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(0, {std::ssize(groups), places.dim(1)}, &indices));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, {std::ssize(groups)}, &values));
    auto place = indices->mutable_flat<int64_t>().begin();
    const auto to = values->mutable_flat<T>();
    for (size_t i = 0; i < groups.size(); ++i) {
      place = std::ranges::copy(PlaceAt(places, groups[i][0]), place).out;
      to[i] = value(groups[i]);
    }
    const std::vector<int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
    ctx->set_output(2, Tensor::Of({shape.rank()}, sizes));
  }

  bool keep_dims_ = false;
};
REGISTER_KERNEL(Kernel("SparseReduceSum").On(Device::kCpu).HostMemory("reduction_axes"),
                SparseReduceOp<SumOfTwo, false>);
REGISTER_KERNEL(Kernel("SparseReduceMax").On(Device::kCpu).HostMemory("reduction_axes"),
                SparseReduceOp<LargerOfTwo, false>);
REGISTER_KERNEL(
    Kernel("SparseReduceSumSparse").On(Device::kCpu).HostMemory("reduction_axes"),
    SparseReduceOp<SumOfTwo, true>);
REGISTER_KERNEL(
    Kernel("SparseReduceMaxSparse").On(Device::kCpu).HostMemory("reduction_axes"),
    SparseReduceOp<LargerOfTwo, true>);

}  // namespace
}  // namespace minitf
