// LockedVariables: the variables that a kernel changes in place, held while it does.
//
// All are locked before the first is touched, in the order of their addresses, so that
// two kernels that want the same variables in another order do not wait for each other
// for ever. A value that was read before stays as it was: elements that another tensor
// shares are copied before they are written (Variable::MakeUnique).
//
// Compare    tensorflow/core/kernels/training_op_helpers.h
// Read next  kernels/cpu/state/training_rules.h

#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "kernels/cpu/common/device_memory.h"
#include "minitf/framework/op_kernel.h"

namespace minitf {

class LockedVariables {
 public:
  /// Locks the variables of inputs [0, count). Throws InvalidArgument when one comes
  /// twice, is fed or is not of `dtype`, FailedPrecondition when one has no value.
  LockedVariables(OpKernelContext* ctx, int count, DType dtype) {
    for (int i = 0; i < count; ++i) {
      variables_.push_back(ctx->input_resource<Variable>(i));
    }
    std::vector<Variable*> order;
    for (const auto& variable : variables_) order.push_back(variable.get());
    std::ranges::sort(order, std::less<>());
    const auto twice = std::ranges::adjacent_find(order);
    if (twice != order.end()) {
      throw Error(
          errors::InvalidArgument((*twice)->DebugString(), " is given more than once"));
    }
    for (Variable* variable : order) locks_.emplace_back(variable->mutex);
    for (Variable* variable : order) {
      variable->RequireChangeable();
      if (variable->dtype() != dtype) {
        throw Error(
            errors::InvalidArgument(variable->DebugString(), " is not of ", dtype));
      }
      variable->RequireInitialized();
    }
  }

  /// Throws InvalidArgument unless every variable has the shape of `other`, which the
  /// message calls `name`.
  void RequireShapeOf(const Tensor& other, std::string_view name) const {
    for (const auto& variable : variables_) {
      Require(variable->value.shape() == other.shape(), "variable '", variable->name(),
              "' and ", name, " do not have the same shape: ", variable->value.shape(),
              " and ", other.shape());
    }
  }

  /// The elements of variable i, to be changed on the host.
  template <typename T>
  std::span<T> MutableElements(int i) {
    return MutableValue(i)->mutable_flat<T>();
  }

  /// The same as a tensor. It is brought to the host, and no other tensor sees it.
  Tensor* MutableValue(int i) {
    Tensor& value = variables_[i]->value;
    value = ReachedFrom(DeviceContext{}, value);
    variables_[i]->MakeUnique();
    return &value;
  }

  Variable& operator[](int i) { return *variables_[i]; }

 private:
  std::vector<std::shared_ptr<Variable>> variables_;
  std::vector<std::unique_lock<std::mutex>> locks_;
};

}  // namespace minitf
