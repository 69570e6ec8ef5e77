// Shared resources: which queue or reader a node means.
//
// A node with a `shared_name` means the resource that all nodes with that name share. One
// without a name has a resource of its own, which messages call "_3_node", with a number
// so that the queues of two sessions on one graph can be told apart.
//
// Compare    tensorflow/core/framework/resource_mgr.h (ContainerInfo)
// Read next  minitf/io/readers/reader.h

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "minitf/framework/op_kernel.h"

namespace minitf {

/// A number that no other resource without a name has.
int64_t NextResourceNumber();

/// The attributes of a node that say which resource it means. Throws InvalidArgument for
/// a shared_name that starts with an underscore.
struct SharedName {
  explicit SharedName(const OpKernelConstruction& construction);

  std::string container;
  std::string shared_name;
  std::string node;
};

/// The resource that a node with attributes `container` and `shared_name` means; what
/// `make` returns for its name, if there is none yet. Throws InvalidArgument if it is of
/// another class than T, or for a name that starts with an underscore.
template <typename T>
std::shared_ptr<T> FindOrMakeShared(
    const OpKernelConstruction& construction,
    const std::function<std::shared_ptr<T>(const std::string& name)>& make) {
  const SharedName names(construction);
  const auto make_own = [&] {
    return make(StrCat('_', NextResourceNumber(), '_', names.node));
  };
  ResourceManager* resources = construction.device().resources;
  // A call outside of a graph has no name; its resource lives as long as its handles.
  if (names.shared_name.empty() && names.node.empty()) return make_own();
  if (names.shared_name.empty()) {
    return resources->FindOrMake<T>(names.container, "_/" + names.node, make_own);
  }
  return resources->FindOrMake<T>(names.container, names.shared_name,
                                  [&] { return make(names.shared_name); });
}

/// As above, for ops that find a resource by its name alone: one without a shared_name is
/// shared under the name of its node. Throws InvalidArgument if it has neither.
template <typename T>
std::shared_ptr<T> FindOrMakeNamed(
    const OpKernelConstruction& construction,
    const std::function<std::shared_ptr<T>(const std::string& name)>& make) {
  const SharedName names(construction);
  const std::string& name = names.shared_name.empty() ? names.node : names.shared_name;
  Require(!name.empty(), "outside of a graph there must be a shared_name");
  return construction.device().resources->FindOrMake<T>(names.container, name,
                                                        [&] { return make(name); });
}

/// A scalar that holds a handle to `resource`.
inline Tensor HandleTo(std::shared_ptr<Resource> resource) {
  Tensor handle(DType::kResource, Shape{});
  handle.mutable_flat<ResourceHandle>()[0] = ResourceHandle(std::move(resource));
  return handle;
}

}  // namespace minitf
