// Changing rows of a variable on the CPU.
//
// The variable is locked from the check of the indices to the last row, so no other op
// sees half of an update. Its elements are changed in place: an update of a few rows of a
// large table must not cost a copy of the table. They are copied only if a tensor that
// was read before shares them (LockedVariables::MutableElements).
//
// Op         minitf/ops/state/state_ops.cc
// Compare    tensorflow/core/kernels/resource_variable_ops.cc, scatter_functor.h

#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "kernels/cpu/array/gather.h"
#include "kernels/cpu/common/arithmetic.h"
#include "kernels/cpu/common/strided_copy.h"
#include "kernels/cpu/state/locked_variables.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/framework/shapes/gather_shapes.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

// The rows that `updates` go to. Throws unless the shapes fit; a scalar always does.
std::vector<int64_t> CheckedRows(const Tensor& variable, const Tensor& indices,
                                 const Tensor& updates) {
  const PartialShape expected = GatheredShape(variable.shape(), indices.shape(), 0, 0);
  Require(updates.rank() == 0 || expected.IsCompatibleWith(updates.shape()),
          "updates must have shape ", expected, ", got ", updates.shape());
  return CheckedIndices(indices, variable.dim(0));
}

// Calls combine(&element, update) for all elements of all rows, in order and in one
// thread: an index may come twice, and then the second update sees the first.
template <typename T, typename Combine>
void UpdateRows(const std::vector<int64_t>& rows, std::span<const T> updates,
                bool is_scalar, int64_t row_size, T* elements, Combine combine) {
  const T* update = updates.data();
  for (const int64_t row : rows) {
    T* element = elements + row * row_size;
    for (int64_t k = 0; k < row_size; ++k) {
      combine(&element[k], is_scalar ? updates[0] : *update++);
    }
  }
}

template <typename T>
constexpr bool kIsNumber = !std::is_same_v<T, std::string> &&
                           !std::is_same_v<T, ResourceHandle> && !std::is_same_v<T, bool>;

struct Add {
  template <typename T>
  static T Apply(const T& x, const T& y) {
    return WrapAdd(x, y);
  }
};

struct Subtract {
  template <typename T>
  static T Apply(const T& x, const T& y) {
    return WrapSubtract(x, y);
  }
};

struct Multiply {
  template <typename T>
  static T Apply(const T& x, const T& y) {
    return WrapMultiply(x, y);
  }
};

// A variable is never changed by half of a division: zeros are looked for before.
struct Divide {
  template <typename T>
  static T Apply(const T& x, const T& y) {
    if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      // The smallest number has no positive counterpart; dividing by -1 wraps around.
      if (y == T{-1}) return WrapSubtract(T{0}, x);
    }
    return static_cast<T>(x / y);
  }
};

struct Minimum {
  template <typename T>
  requires(!kIsComplex<T>) static T Apply(const T& x, const T& y) {
    return y < x ? y : x;
  }
};

struct Maximum {
  template <typename T>
  requires(!kIsComplex<T>) static T Apply(const T& x, const T& y) {
    return x < y ? y : x;
  }
};

template <typename Combine>
class ScatterOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& indices = ctx->input(1);  // [i...]
    const Tensor& updates = ctx->input(2);  // [i..., row...], or []
    LockedVariables variables(ctx, 1, updates.dtype());
    const Tensor& value = variables[0].value;  // [rows, row...]
    const std::vector<int64_t> rows = CheckedRows(value, indices, updates);
    if (rows.empty() || value.num_elements() == 0) return;
    const int64_t row_size = value.num_elements() / value.dim(0);
    VisitDType(updates.dtype(), [&]<typename T>() {
      if constexpr (kIsNumber<T> && requires(const T& x) { Combine::Apply(x, x); }) {
        if constexpr (std::is_same_v<Combine, Divide> && std::is_integral_v<T>) {
          const auto zero = std::ranges::find(updates.flat<T>(), T{0});
          Require(zero == updates.flat<T>().end(), "Integer division by zero");
        }
        UpdateRows(rows, updates.flat<T>(), updates.rank() == 0, row_size,
                   variables.MutableElements<T>(0).data(),
                   [](T* element, const T& update) {
                     *element = Combine::Apply(*element, update);
                   });
      } else {
        throw Error(errors::Unimplemented("not defined for ", updates.dtype()));
      }
    });
  }
};
REGISTER_KERNEL(Kernel("ResourceScatterAdd").On(Device::kCpu), ScatterOp<Add>);
REGISTER_KERNEL(Kernel("ResourceScatterSub").On(Device::kCpu), ScatterOp<Subtract>);
REGISTER_KERNEL(Kernel("ResourceScatterMul").On(Device::kCpu), ScatterOp<Multiply>);
REGISTER_KERNEL(Kernel("ResourceScatterDiv").On(Device::kCpu), ScatterOp<Divide>);
REGISTER_KERNEL(Kernel("ResourceScatterMin").On(Device::kCpu), ScatterOp<Minimum>);
REGISTER_KERNEL(Kernel("ResourceScatterMax").On(Device::kCpu), ScatterOp<Maximum>);

// Rows are replaced, not computed with: any dtype will do.
class ScatterUpdateOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& indices = ctx->input(1);  // [i...]
    const Tensor& updates = ctx->input(2);  // [i..., row...], or []
    LockedVariables variables(ctx, 1, updates.dtype());
    const Tensor& former = variables[0].value;
    const std::vector<int64_t> rows = CheckedRows(former, indices, updates);
    if (rows.empty() || former.num_elements() == 0) return;
    Tensor* const value = variables.MutableValue(0);
    const int64_t row_size = value->num_elements() / value->dim(0);
    VisitMovable(updates.dtype(), [&]<typename T>() {
      const std::span<const T> elements{MovableData<T>(updates),
                                        static_cast<size_t>(updates.num_elements())};
      UpdateRows(rows, elements, updates.rank() == 0, row_size, MovableData<T>(value),
                 [](T* element, const T& update) { *element = update; });
    });
  }
};
REGISTER_KERNEL(Kernel("ResourceScatterUpdate").On(Device::kCpu), ScatterUpdateOp);

}  // namespace
}  // namespace minitf
