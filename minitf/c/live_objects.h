// LiveObjects: the handles that C code holds.
//
// A handle is a pointer, and C code may use it after it deleted the object. This table
// knows the objects that exist, so a call with a deleted handle returns a status. It also
// owns the objects: a call keeps its object until it returns, even if another thread
// deletes the handle meanwhile.
//
// The table has no way to tell a deleted object from a new one at the same address.
//
// Read next  minitf/c/status.cc

#pragma once

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "minitf/base/status.h"

namespace minitf::c {

template <typename T>
class LiveObjects {
 public:
  /// Takes `object` over and returns the handle of it.
  static T* Add(std::shared_ptr<T> object) {
    T* const handle = object.get();
    LiveObjects& table = OfProcess();
    const std::unique_lock lock(table.mutex_);
    table.objects_.emplace(handle, std::move(object));
    return handle;
  }

  /// Returns the object. Throws InvalidArgument if `handle` is null or was deleted.
  static std::shared_ptr<T> Get(const T* handle, std::string_view argument) {
    std::shared_ptr<T> object = Find(handle);
    if (handle == nullptr) ThrowInvalidArgument(argument, " is null; expected a handle");
    Require(object != nullptr, argument,
            " is a handle that was deleted, or that minitf did not create");
    return object;
  }

  /// Returns the object, or null.
  static std::shared_ptr<T> Find(const T* handle) {
    LiveObjects& table = OfProcess();
    const std::shared_lock lock(table.mutex_);
    const auto place = table.objects_.find(handle);
    return place == table.objects_.end() ? nullptr : place->second;
  }

  /// Takes the object out of the table. Returns null if it is not there.
  static std::shared_ptr<T> Remove(const T* handle) {
    LiveObjects& table = OfProcess();
    const std::unique_lock lock(table.mutex_);
    const auto node = table.objects_.extract(handle);
    return node.empty() ? nullptr : std::move(node.mapped());
  }

  /// Takes the objects out of the table for which `predicate` returns true.
  template <typename Predicate>
  static void RemoveIf(const Predicate& predicate) {
    LiveObjects& table = OfProcess();
    const std::unique_lock lock(table.mutex_);
    std::erase_if(table.objects_,
                  [&](const auto& entry) { return predicate(*entry.second); });
  }

 private:
  // Never freed: a program may delete handles while it ends.
  static LiveObjects& OfProcess() {
    static auto* const table = new LiveObjects;
    return *table;
  }

  std::shared_mutex mutex_;
  std::unordered_map<const T*, std::shared_ptr<T>> objects_;
};

}  // namespace minitf::c
