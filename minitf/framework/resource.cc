// Resources: variables, and the table that a session keeps them in.

#include "minitf/framework/resource.h"

namespace minitf {

void ResourceManager::Clear(const std::string& container) {
  const std::lock_guard lock(mutex_);
  std::erase_if(resources_,
                [&](const auto& entry) { return entry.first.first == container; });
}

void ResourceManager::ClearAll() {
  const std::lock_guard lock(mutex_);
  resources_.clear();
}

Tensor Variable::Read() const {
  const std::lock_guard lock(mutex);
  RequireInitialized();
  return value;
}

bool Variable::IsInitialized() const {
  const std::lock_guard lock(mutex);
  return value.has_value();
}

void Variable::DeclareShape(const PartialShape& shape) {
  const std::lock_guard lock(mutex);
  Require(shape_.IsCompatibleWith(shape), DebugName(), " was declared with shape ",
          shape_, ", and now with shape ", shape);
  shape_ = shape_.MergedWith(shape);
}

void Variable::Assign(Tensor new_value, ShapeCheck check) {
  RequireChangeable();
  Require(new_value.dtype() == dtype_, DebugName(), " holds ", dtype_, ", not ",
          new_value.dtype());
  const std::lock_guard lock(mutex);
  PartialShape expected = check == ShapeCheck::kNone ? PartialShape() : shape_;
  if (check == ShapeCheck::kPresent && value.has_value()) expected = value.shape();
  Require(expected.IsCompatibleWith(new_value.shape()),
          "Assign requires shapes of both tensors to match: ", DebugName(), " has shape ",
          expected, ", the new value has shape ", new_value.shape());
  value = std::move(new_value);
}

void Variable::MakeUnique() {
  RequireInitialized();
  if (!value.OwnsBuffer()) value = value.Clone();
}

std::string Variable::DebugString() const { return StrCat(DebugName(), " of ", dtype_); }

std::string Variable::DebugName() const { return StrCat("variable '", name_, "'"); }

void Variable::RequireChangeable() const {
  Require(!is_fed_, DebugName(),
          " is fed, and no op can change it in this step; expected ",
          "a step that only reads it");
}

void Variable::RequireInitialized() const {
  if (value.has_value()) return;
  throw Error(
      errors::FailedPrecondition("Attempting to use uninitialized value ", name_));
}

}  // namespace minitf
