// ResourceHandle: the element of a tensor of dtype resource. A pointer to state that
// outlives a step, such as a variable.
//
// An op that works on state takes such a tensor as its input, so that the graph shows
// which nodes touch it. The kinds of state are in framework/resource.h.
//
// Compare    tensorflow/core/framework/resource_handle.h: there a handle is a name, and
//            every op looks it up again
// Read next  minitf/framework/registry.h

#pragma once

#include <memory>
#include <string>
#include <utility>

namespace minitf {

/// Some state. Derived classes guard themselves: several steps may touch it at once.
class Resource {
 public:
  Resource() = default;
  virtual ~Resource() = default;

  Resource(const Resource&) = delete;
  Resource& operator=(const Resource&) = delete;

  /// What it is, for messages: "variable 'w' of float32 [2,3]".
  virtual std::string DebugString() const = 0;
};

class ResourceHandle {
 public:
  ResourceHandle() = default;
  explicit ResourceHandle(std::shared_ptr<Resource> resource)
      : resource_(std::move(resource)) {}

  /// The resource, or null.
  const std::shared_ptr<Resource>& get() const { return resource_; }

 private:
  std::shared_ptr<Resource> resource_;
};

}  // namespace minitf
