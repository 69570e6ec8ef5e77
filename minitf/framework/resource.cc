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

void Variable::Assign(Tensor new_value) {
  Require(new_value.dtype() == dtype_, DebugName(), " holds ", dtype_, ", not ",
          new_value.dtype());
  const std::lock_guard lock(mutex);
  value = std::move(new_value);
}

void Variable::MakeUnique() {
  RequireInitialized();
  if (!value.OwnsBuffer()) value = value.Clone();
}

std::string Variable::DebugString() const { return StrCat(DebugName(), " of ", dtype_); }

std::string Variable::DebugName() const { return StrCat("variable '", name_, "'"); }

void Variable::RequireInitialized() const {
  if (value.has_value()) return;
  throw Error(
      errors::FailedPrecondition("Attempting to use uninitialized value ", name_));
}

}  // namespace minitf
