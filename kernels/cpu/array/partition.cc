// Sorting elements into groups on the CPU, and putting groups together again.
//
// Op         minitf/ops/array/gather_ops.cc
// Compare    tensorflow/core/kernels/where_op.cc, unique_op.cc, dynamic_partition_op.cc,
//            dynamic_stitch_op.cc, listdiff_op.cc

#include <algorithm>
#include <complex>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/cpu/array/gather.h"
#include "kernels/cpu/common/strided_copy.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/framework/shapes/gather_shapes.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

// ---- Where ----------------------------------------------------------------------------

class WhereOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    Require(x.rank() >= 1, "a scalar has no places, condition must have rank 1 or more");
    const std::vector<int64_t> places = PlacesOfNonZero(x);
    Tensor* y = nullptr;  // [count, rank of x]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(
                            0, {static_cast<int64_t>(places.size()), x.rank()}, &y));
    int64_t* index = y->mutable_flat<int64_t>().data();
    for (int64_t place : places) {
      for (int axis = x.rank(); axis-- > 0;) {
        index[axis] = place % x.dim(axis);
        place /= x.dim(axis);
      }
      index += x.rank();
    }
  }

 private:
  static std::vector<int64_t> PlacesOfNonZero(const Tensor& x) {
    std::vector<int64_t> places;
    VisitDType(x.dtype(), [&]<typename T>() {
      if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, ResourceHandle>) {
        throw Error(errors::Unimplemented("no zero among elements of ", x.dtype()));
      } else {
        const auto elements = x.flat<T>();
        for (size_t i = 0; i < elements.size(); ++i) {
          if (elements[i] != T(0)) places.push_back(static_cast<int64_t>(i));
        }
      }
    });
    return places;
  }
};
REGISTER_KERNEL(Kernel("Where").On(Device::kCpu), WhereOp);

// ---- Unique, ListDiff -----------------------------------------------------------------

// An element as a key of a hash table: its bytes, or the string that it is. Zero has one
// sign, so that 0 and -0 are one element as they are equal.
std::string KeyOf(const Tensor& x, int64_t i) {
  if (x.dtype() == DType::kString) return x.flat<std::string>()[i];
  if (x.dtype() == DType::kFloat32 && x.flat<float>()[i] == 0) return "0";
  if (x.dtype() == DType::kFloat64 && x.flat<double>()[i] == 0) return "0";
  const size_t size = SizeOf(x.dtype());
  return {static_cast<const char*>(x.data()) + i * size, size};
}

void RequireVector(const Tensor& x, std::string_view name) {
  Require(x.rank() == 1, name, " must be a vector, its shape is ", x.shape());
  Require(x.dtype() != DType::kResource, name, " must not hold resources");
}

// Makes output `i` the elements of x at `places`.
void SetElementsAt(OpKernelContext* ctx, int i, const Tensor& x,
                   const std::vector<int64_t>& places) {
  Tensor* y = nullptr;
  OP_REQUIRES_OK(ctx, ctx->allocate_output(i, {static_cast<int64_t>(places.size())}, &y));
  VisitMovable(x.dtype(), [&]<typename T>() {
    for (size_t k = 0; k < places.size(); ++k) {
      MovableData<T>(y)[k] = MovableData<T>(x)[places[k]];
    }
  });
}

// Makes output `i` a vector of int32 or int64.
void SetIntegers(OpKernelContext* ctx, int i, const std::vector<int64_t>& values) {
  Tensor* y = nullptr;
  OP_REQUIRES_OK(ctx, ctx->allocate_output(i, {static_cast<int64_t>(values.size())}, &y));
  if (y->dtype() == DType::kInt64) {
    std::ranges::copy(values, y->mutable_flat<int64_t>().begin());
  } else {
    std::ranges::transform(values, y->mutable_flat<int32_t>().begin(),
                           [](int64_t value) { return static_cast<int32_t>(value); });
  }
}

class UniqueOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->host_input(0);  // [n]
    RequireVector(x, "x");
    // One pass: a key that is new gets the next number, so numbers are in the order in
    // which the elements first come.
    std::unordered_map<std::string, int64_t> numbers;
    std::vector<int64_t> firsts;
    std::vector<int64_t> idx;
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      const auto next = static_cast<int64_t>(numbers.size());
      const auto [entry, is_new] = numbers.emplace(KeyOf(x, i), next);
      if (is_new) firsts.push_back(i);
      idx.push_back(entry->second);
    }
    SetElementsAt(ctx, 0, x, firsts);
    SetIntegers(ctx, 1, idx);
  }
};
REGISTER_KERNEL(Kernel("Unique").On(Device::kCpu).HostMemory("x", "y", "idx"), UniqueOp);

class ListDiffOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& x = ctx->input(0);
    const Tensor& y = ctx->input(1);
    RequireVector(x, "x");
    RequireVector(y, "y");
    std::unordered_map<std::string, bool> in_y;
    for (int64_t i = 0; i < y.num_elements(); ++i) in_y[KeyOf(y, i)] = true;
    std::vector<int64_t> places;
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      if (!in_y.contains(KeyOf(x, i))) places.push_back(i);
    }
    SetElementsAt(ctx, 0, x, places);
    SetIntegers(ctx, 1, places);
  }
};
REGISTER_KERNEL(Kernel("ListDiff").On(Device::kCpu), ListDiffOp);

// ---- Partition and stitch -------------------------------------------------------------

class DynamicPartitionOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& data = ctx->input(0);        // [i..., row...]
    const Tensor& partitions = ctx->input(1);  // [i...]
    const Shape row = ShapeAfterPrefix(data.shape(), partitions.shape()).ToShape();
    // Two passes: the first counts the rows of each output, so that outputs are allocated
    // once with their sizes; the second puts each row behind those that went before it.
    const std::vector<int64_t> groups = CheckedGroups(partitions, ctx->num_outputs());
    std::vector<int64_t> counts(ctx->num_outputs(), 0);
    for (const int64_t group : groups) ++counts[group];
    for (int k = 0; k < ctx->num_outputs(); ++k) {
      std::vector<int64_t> sizes = row.ToVector();
      sizes.insert(sizes.begin(), counts[k]);
      Tensor* y = nullptr;  // [count, row...]
      OP_REQUIRES_OK(ctx, ctx->allocate_output(k, Shape(sizes), &y));
    }

    const int64_t size = row.num_elements();
    std::vector<int64_t> filled(ctx->num_outputs(), 0);
    VisitMovable(data.dtype(), [&]<typename T>() {
      const T* from = MovableData<T>(data);
      for (size_t i = 0; i < groups.size(); ++i, from += size) {
        T* to = MovableData<T>(ctx->output(static_cast<int>(groups[i])));
        std::copy_n(from, size, to + filled[groups[i]]++ * size);
      }
    });
  }

 private:
  static std::vector<int64_t> CheckedGroups(const Tensor& partitions, int64_t count) {
    std::vector<int64_t> groups = IntegersOf(partitions);
    for (size_t i = 0; i < groups.size(); ++i) {
      Require(0 <= groups[i] && groups[i] < count, "partitions[",
              IndexText(static_cast<int64_t>(i), partitions.shape()), "] = ", groups[i],
              " is not in [0, ", count, ")");
    }
    return groups;
  }
};
REGISTER_KERNEL(Kernel("DynamicPartition").On(Device::kCpu), DynamicPartitionOp);

class DynamicStitchOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const int count = ctx->num_inputs() / 2;  // indices [i...], then data [i..., row...]
    const Shape row = RowShape(ctx, count);
    int64_t largest = -1;
    for (int k = 0; k < count; ++k) {
      for (const int32_t index : ctx->host_input(k).flat<int32_t>()) {
        Require(index >= 0, "indices[", k, "] holds a negative number: ", index);
        largest = std::max<int64_t>(largest, index);
      }
    }
    std::vector<int64_t> sizes = row.ToVector();
    sizes.insert(sizes.begin(), largest + 1);
    Tensor* y = nullptr;  // [largest index + 1, row...]
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, Shape(sizes), &y));
    // Where no input gives an index there is a gap; it is filled with zeros.
    FillTensor(ZeroOf(y->dtype()), y, ctx->threads());

    const int64_t size = row.num_elements();
    VisitMovable(y->dtype(), [&]<typename T>() {
      for (int k = 0; k < count; ++k) {
        const T* from = MovableData<T>(ctx->input(count + k));
        for (const int32_t index : ctx->host_input(k).flat<int32_t>()) {
          std::copy_n(from, size, MovableData<T>(y) + index * size);
          from += size;
        }
      }
    });
  }

 private:
  static Shape RowShape(OpKernelContext* ctx, int count) {
    PartialShape row;
    for (int k = 0; k < count; ++k) {
      const PartialShape one =
          ShapeAfterPrefix(ctx->input(count + k).shape(), ctx->input(k).shape());
      Require(row.IsCompatibleWith(one), "data[", k, "] has elements of shape ", one,
              ", those before have ", row);
      row = one;
    }
    return row.ToShape();
  }
};
REGISTER_KERNEL(Kernel("DynamicStitch").On(Device::kCpu).HostMemory("indices"),
                DynamicStitchOp);

}  // namespace
}  // namespace minitf
