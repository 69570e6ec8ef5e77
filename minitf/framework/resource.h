// ResourceManager: the state that outlives a step, by name; and Variable, the state that
// training changes.
//
// A session owns one manager, so two sessions on one graph have separate variables. A
// node such as VarHandleOp finds or makes its resource once, when its kernel is made, and
// puts a handle to it on its output.
//
// Compare    tensorflow/core/framework/resource_mgr.h, resource_var.h
// Read next  minitf/framework/device_name.h

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "minitf/base/status.h"
#include "minitf/tensor/resource_handle.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

class ResourceManager {
 public:
  /// The resource called `name` in `container`; what `make` returns if there is none yet.
  /// Throws InvalidArgument if it is of another class than T.
  template <typename T>
  std::shared_ptr<T> FindOrMake(const std::string& container, const std::string& name,
                                const std::function<std::shared_ptr<T>()>& make);

  /// Forgets every resource, of one container or of all. Those still held live on.
  void Clear(const std::string& container);
  void ClearAll();

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<Resource>> resources_;
};

/// A tensor with a name that keeps its value between steps.
///
/// `mutex` guards `value`. A reader copies the Tensor under it, which copies no element.
/// A writer that wants to change elements in place first makes sure that it is their only
/// owner (MakeUnique), so that the copy of a reader never changes.
class Variable final : public Resource {
 public:
  static constexpr const char* kKind = "variable";

  /// Selects the shape that a new value must have.
  enum class ShapeCheck { kDeclared, kPresent, kNone };

  Variable(std::string name, DType dtype) : name_(std::move(name)), dtype_(dtype) {}
  /// Stands for the variable in a step that is fed its value. No op can change it.
  Variable(std::string name, Tensor fed)
      : value(std::move(fed)),
        name_(std::move(name)),
        dtype_(value.dtype()),
        is_fed_(true) {}

  const std::string& name() const { return name_; }
  DType dtype() const { return dtype_; }

  /// The value. Throws FailedPrecondition while there is none.
  Tensor Read() const;
  bool IsInitialized() const;
  /// Of all values. Throws InvalidArgument if an earlier declaration contradicts it.
  void DeclareShape(const PartialShape& shape);
  /// Throws InvalidArgument for another dtype or shape, or if the variable is fed.
  void Assign(Tensor new_value, ShapeCheck check = ShapeCheck::kDeclared);

  /// For kernels that update in place. Requires: `mutex` is held.
  mutable std::mutex mutex;
  Tensor value;
  /// Gives `value` elements of its own if others see them. Throws as RequireInitialized.
  void MakeUnique();
  /// Throws FailedPrecondition while there is no value. Requires: `mutex` is held.
  void RequireInitialized() const;
  /// Throws InvalidArgument if the variable is fed.
  void RequireChangeable() const;

  std::string DebugString() const override;

 private:
  std::string DebugName() const;

  const std::string name_;
  const DType dtype_;
  const bool is_fed_ = false;
  PartialShape shape_;  // as declared; guarded by `mutex`
};

template <typename T>
std::shared_ptr<T> ResourceManager::FindOrMake(
    const std::string& container, const std::string& name,
    const std::function<std::shared_ptr<T>()>& make) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Resource>& slot = resources_[{container, name}];
  if (slot == nullptr) slot = make();
  auto typed = std::dynamic_pointer_cast<T>(slot);
  Require(typed != nullptr, "'", name, "' is ", slot->DebugString(), ", not a ",
          T::kKind);
  return typed;
}

}  // namespace minitf
