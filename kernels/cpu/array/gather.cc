// Gathering and scattering on the CPU: indices are checked first, then blocks are moved.
//
// A block is what one index takes: all elements that lie behind the axes which indices
// choose from, and so side by side. The indices are turned into numbers of blocks, and
// then every op of this file is one loop that copies blocks. A wrong index is found
// before anything is written.
//
// Op         minitf/ops/array/gather_ops.cc
// Compare    tensorflow/core/kernels/gather_op.cc, gather_nd_op.cc, scatter_nd_op.cc

#include "kernels/cpu/array/gather.h"

#include <algorithm>
#include <numeric>

#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/common/element_types.h"
#include "kernels/cpu/common/scalars.h"
#include "kernels/cpu/common/strided_copy.h"
#include "minitf/base/text.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/array_shapes.h"
#include "minitf/framework/shapes/gather_shapes.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

// The number of elements of axes [begin, end).
int64_t CountOf(const Shape& shape, int begin, int end) {
  if (shape.num_elements() == 0) {
    for (int axis = begin; axis < end; ++axis) {
      if (shape.dim(axis) == 0) return 0;
    }
  }
  int64_t count = 1;
  for (int axis = begin; axis < end; ++axis) {
    count = CheckedProduct(count, shape.dim(axis));
  }
  return count;
}

// Copies blocks of `block` elements: block i of `to` is block source(i) of `from`.
template <typename Source>
void CopyBlocks(const Tensor& from, Tensor* to, int64_t block, Source source,
                ThreadPool& threads) {
  if (to->num_elements() == 0) return;
  const int64_t bytes = block * static_cast<int64_t>(SizeOf(from.dtype()));
  VisitMovable(from.dtype(), [&]<typename T>() {
    const T* elements = MovableData<T>(from);
    T* target = MovableData<T>(to);
    threads.ParallelFor(
        to->num_elements() / block, 5 + bytes / 8, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            std::copy_n(elements + source(i) * block, block, target + i * block);
          }
        });
  });
}

}  // namespace

std::string IndexText(int64_t i, const Shape& shape) {
  std::vector<int64_t> index(shape.rank());
  for (int axis = shape.rank(); axis-- > 0;) {
    index[axis] = i % shape.dim(axis);
    i /= shape.dim(axis);
  }
  return Join(index, ",");
}

std::vector<int64_t> CheckedIndices(const Tensor& indices, int64_t limit) {
  std::vector<int64_t> values = IntegersOf(indices);
  for (size_t i = 0; i < values.size(); ++i) {
    if (0 <= values[i] && values[i] < limit) continue;
    const std::string place = IndexText(static_cast<int64_t>(i), indices.shape());
    throw Error(errors::InvalidArgument("indices", place.empty() ? "" : "[", place,
                                        place.empty() ? "" : "]", " = ", values[i],
                                        " is not in [0, ", limit, ")"));
  }
  return values;
}

// A place is read as a number whose digit k has shape[k] values. Place (i,j) of [3,4,...]
// is block 4 i + j.
std::vector<int64_t> BlocksAt(const Tensor& indices, const Shape& shape) {
  const std::vector<int64_t> values = IntegersOf(indices);
  const int64_t depth = indices.dim(indices.rank() - 1);
  const std::vector<int64_t> outer(indices.shape().sizes().begin(),
                                   indices.shape().sizes().end() - 1);
  const int64_t rows = Shape(outer).num_elements();
  std::vector<int64_t> blocks(rows, 0);
  for (int64_t row = 0; row < rows; ++row) {
    const auto place = std::span(values).subspan(row * depth, depth);
    for (int64_t axis = 0; axis < depth; ++axis) {
      const int64_t size = shape.dim(static_cast<int>(axis));
      if (place[axis] < 0 || place[axis] >= size) {
        throw Error(errors::InvalidArgument("indices[", IndexText(row, Shape(outer)),
                                            "] = [", Join(place, ", "),
                                            "] does not index into shape ", shape));
      }
      blocks[row] = blocks[row] * size + place[axis];
    }
  }
  return blocks;
}

void Gather(OpKernelContext* ctx, const Tensor& params, const Tensor& indices,
            int64_t axis, int64_t batch_dims) {
  const Shape shape =
      GatheredShape(params.shape(), indices.shape(), axis, batch_dims).ToShape();
  const int place = NormalizedAxis(axis, params.rank());
  const auto batch =
      static_cast<int>(batch_dims < 0 ? batch_dims + indices.rank() : batch_dims);
  const int64_t size = params.dim(place);
  const std::vector<int64_t> rows = CheckedIndices(indices, size);
  Tensor* y = nullptr;  // [batch..., outer..., count..., block...]
  OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &y));
  if (y->num_elements() == 0) return;

  // With axes multiplied together, and the block left out,
  //
  //   params [batch, outer, size]    indices [batch, count]    y [batch, outer, count]
  //
  // Block i of y is number i % count of the row i / count of params, a row having `size`
  // blocks. Which index chooses depends on the element of the batch, not on `outer`.
  const int64_t outer = CountOf(params.shape(), batch, place);
  const int64_t count = CountOf(indices.shape(), batch, indices.rank());
  const int64_t block = CountOf(params.shape(), place + 1, params.rank());
  CopyBlocks(
      params, y, block,
      [&](int64_t i) {
        const int64_t batch_element = i / count / outer;
        return i / count * size + rows[batch_element * count + i % count];
      },
      ctx->threads());
}

namespace {

class GatherOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Gather(ctx, ctx->input(0), ctx->input(1), 0, 0);
  }
};
REGISTER_KERNEL(Kernel("Gather").On(Device::kCpu), GatherOp);

class GatherV2Op final : public OpKernel {
 public:
  explicit GatherV2Op(OpKernelConstruction* construction) : OpKernel(construction) {
    OP_REQUIRES_OK(construction, construction->GetAttr("batch_dims", &batch_dims_));
  }

  void Compute(OpKernelContext* ctx) override {
    const int64_t axis = IntegerOf(ctx->host_input(2), "axis");
    Gather(ctx, ctx->input(0), ctx->input(1), axis, batch_dims_);
  }

 private:
  int64_t batch_dims_ = 0;
};
REGISTER_KERNEL(Kernel("GatherV2").On(Device::kCpu).HostMemory("axis"), GatherV2Op);

// ---- Places of more than one axis -----------------------------------------------------

class GatherNdOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& params = ctx->input(0);
    const Tensor& indices = ctx->input(1);  // [..., depth]
    Require(params.rank() >= 1, "params must be at least a vector, is a scalar");
    const Shape shape = GatheredNdShape(params.shape(), indices.shape()).ToShape();
    const std::vector<int64_t> blocks = BlocksAt(indices, params.shape());
    Tensor* y = nullptr;  // [..., block...]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &y));
    if (y->num_elements() == 0) return;
    const auto depth = static_cast<int>(indices.dim(indices.rank() - 1));
    CopyBlocks(
        params, y, CountOf(params.shape(), depth, params.rank()),
        [&](int64_t i) { return blocks[i]; }, ctx->threads());
  }
};
REGISTER_KERNEL(Kernel("GatherNd").On(Device::kCpu), GatherNdOp);

template <typename T>
class ScatterNdOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& indices = ctx->input(0);  // [..., depth]
    const Tensor& updates = ctx->input(1);  // [..., block...]
    Require(ctx->input(2).rank() == 1, "shape must be a vector, not ",
            ctx->input(2).shape());
    const Shape shape(IntegersOf(ctx->host_input(2)));
    CheckScatterNd(shape, indices.shape(), updates.shape());
    const std::vector<int64_t> blocks = BlocksAt(indices, shape);
    Tensor* y = nullptr;  // [shape...]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &y));
    FillTensor(ZeroOf(y->dtype()), y, ctx->threads());
    if (updates.num_elements() == 0) return;

    const auto block = updates.num_elements() / static_cast<int64_t>(blocks.size());
    const T* from = updates.flat<T>().data();
    T* to = y->mutable_flat<T>().data();
    // In one thread and in order: two updates may go to one place, and a sum of floats
    // depends on the order in which they are added.
    for (size_t i = 0; i < blocks.size(); ++i, from += block) {
      JoinInto(from, block, to + blocks[i] * block,
               [](const auto& x, const auto& y) { return WrapAdd(x, y); });
    }
  }
};

const bool kScatterNdRegistered = ForTypes(NumberTypes{}, []<typename T>() {
  RegisterKernel<ScatterNdOp<T>>(Kernel("ScatterNd").HostMemory("shape").Type<T>("T"));
});

}  // namespace
}  // namespace minitf
