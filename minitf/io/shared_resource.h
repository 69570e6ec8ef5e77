// Shared resources: which queue or reader a node means.
//
// A node with a `shared_name` means the resource that all nodes with that name share. One
// without a name has a resource of its own, which messages call "_3_node", with a number
// so that the queues of two sessions on one graph can be told apart.
//
// Compare    tensorflow/core/framework/resource_mgr.h (ContainerInfo)
// Read next  kernels/cpu/queues.cc

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "minitf/framework/op_kernel.h"

namespace minitf {

/// A number that no other resource without a name has.
int64_t NextResourceNumber();

/// The resource that a node with attributes `container` and `shared_name` means; what
/// `make` returns for its name, if there is none yet. Throws InvalidArgument if it is of
/// another class than T, or for a name that starts with an underscore.
template <typename T>
std::shared_ptr<T> FindOrMakeShared(
    const OpKernelConstruction& construction,
    const std::function<std::shared_ptr<T>(const std::string& name)>& make) {
  const Attrs& attrs = construction.attrs();
  std::string container = attrs.Get<std::string>("container");
  if (container.empty()) container = "localhost";
  const auto& shared_name = attrs.Get<std::string>("shared_name");
  Require(!shared_name.starts_with('_'),
          "shared_name cannot start with '_':", shared_name);

  const std::string node(construction.node_name());
  const auto make_own = [&] {
    return make(StrCat('_', NextResourceNumber(), '_', node));
  };
  ResourceManager* resources = construction.device().resources;
  // A call outside of a graph has no name; its resource lives as long as its handles.
  if (shared_name.empty() && node.empty()) return make_own();
  if (shared_name.empty()) {
    return resources->FindOrMake<T>(container, "_/" + node, make_own);
  }
  return resources->FindOrMake<T>(container, shared_name,
                                  [&] { return make(shared_name); });
}

/// A scalar that holds a handle to `resource`.
inline Tensor HandleTo(std::shared_ptr<Resource> resource) {
  Tensor handle(DType::kResource, Shape{});
  handle.mutable_flat<ResourceHandle>()[0] = ResourceHandle(std::move(resource));
  return handle;
}

}  // namespace minitf
