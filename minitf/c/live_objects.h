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

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
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
    Part& part = PartOf(handle);
    const std::lock_guard lock(part.mutex);
    part.objects.emplace(handle, std::move(object));
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
    Part& part = PartOf(handle);
    const std::lock_guard lock(part.mutex);
    const auto place = part.objects.find(handle);
    return place == part.objects.end() ? nullptr : place->second;
  }

  /// Takes the object out of the table. Returns null if it is not there.
  static std::shared_ptr<T> Remove(const T* handle) {
    Part& part = PartOf(handle);
    const std::lock_guard lock(part.mutex);
    auto node = part.objects.extract(handle);
    return node.empty() ? nullptr : std::move(node.mapped());
  }

  /// Takes the objects out of the table for which `predicate` returns true.
  template <typename Predicate>
  static void RemoveIf(const Predicate& predicate) {
    for (Part& part : OfProcess().parts_) {
      const std::lock_guard lock(part.mutex);
      std::erase_if(part.objects,
                    [&](const auto& entry) { return predicate(*entry.second); });
    }
  }

 private:
  // The table has parts, so that threads seldom wait for each other. A mutex costs half
  // of what a lock for many readers costs.
  struct Part {
    std::mutex mutex;
    std::unordered_map<const T*, std::shared_ptr<T>> objects;
  };

  // Never freed: a program may delete handles while it ends.
  static LiveObjects& OfProcess() {
    static auto* const table = new LiveObjects;
    return *table;
  }

  static Part& PartOf(const T* handle) {
    constexpr uintptr_t kStep = 64;  // objects are rarely smaller
    return OfProcess().parts_[reinterpret_cast<uintptr_t>(handle) / kStep % kNumParts];
  }

  static constexpr size_t kNumParts = 16;
  std::array<Part, kNumParts> parts_;
};

}  // namespace minitf::c
