// From a sparse tensor to a dense one on the CPU.
//
// Op         minitf/contrib/sparse/sparse_ops.cc
// Compare    tensorflow/core/kernels/sparse_to_dense_op.cc

#include <algorithm>
#include <vector>

#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

class SparseToDenseOp final : public OpKernel {
 public:
  explicit SparseToDenseOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("validate_indices", &validates_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& indices = ctx->input(0);  // [n,rank], [n] for rank 1, [] for one
    const Tensor& values = ctx->input(2);   // [n] or []
    const Tensor& fill = ctx->input(3);     // []
    Require(indices.rank() <= 2, "sparse_indices should be a scalar, vector, or matrix, ",
            "got shape ", indices.shape());
    Require(ctx->input(1).rank() == 1, "output_shape should be a vector, got shape ",
            ctx->input(1).shape());
    Require(fill.rank() == 0, "default_value should be a scalar, got shape ",
            fill.shape());
    const Shape shape(IntegersOf(ctx->host_input(1)));
    const int64_t count = indices.rank() > 0 ? indices.dim(0) : 1;
    const int64_t rank = indices.rank() > 1 ? indices.dim(1) : 1;
    Require(rank == shape.rank(), "output_shape has ", shape.rank(), " elements, but ",
            "sparse_indices has places of ", rank);
    Require(values.rank() == 0 || (values.rank() == 1 && values.dim(0) == count),
            "sparse_values has incorrect shape ", values.shape(), ", should be [] or [",
            count, "]");
    const std::vector<int64_t> places = PlacesIn(shape, IntegersOf(indices), count);

    Tensor* dense = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &dense));
    VisitDType(values.dtype(), [&]<typename T>() {
      const auto to = dense->mutable_flat<T>();
      const auto from = values.flat<T>();
      std::ranges::fill(to, fill.flat<T>()[0]);
      for (int64_t i = 0; i < count; ++i)
        to[places[i]] = from[values.rank() == 0 ? 0 : i];
    });
  }

 private:
  // Where in layout order each of `count` places lies.
  std::vector<int64_t> PlacesIn(const Shape& shape, const std::vector<int64_t>& indices,
                                int64_t count) const {
    std::vector<int64_t> places;
    const auto rank = static_cast<int64_t>(shape.rank());
    for (int64_t i = 0; i < count; ++i) {
      const std::span<const int64_t> index(indices.data() + i * rank,
                                           static_cast<size_t>(rank));
      int64_t place = 0;
      for (int axis = 0; axis < shape.rank(); ++axis) {
        if (index[axis] < 0 || index[axis] >= shape.dim(axis)) {
          throw Error(
              errors::InvalidArgument("sparse_indices[", i, "] = [", Join(index, ","),
                                      "] is out of bounds: need 0 <= index < ", shape));
        }
        place = place * shape.dim(axis) + index[axis];
      }
      const bool is_later = places.empty() || place > places.back();
      if (validates_ && !is_later) {
        throw Error(errors::InvalidArgument(
            "sparse_indices[", i, "] = [", Join(index, ","), "] is ",
            place == places.back() ? "repeated" : "out of order"));
      }
      places.push_back(place);
    }
    return places;
  }

  bool validates_ = true;
};
REGISTER_KERNEL(Kernel("SparseToDense").On(Device::kCpu).HostMemory("output_shape"),
                SparseToDenseOp);

}  // namespace
}  // namespace minitf
