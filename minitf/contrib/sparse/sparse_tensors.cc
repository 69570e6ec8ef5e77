// SparseTensorsMap: putting in and taking out.

#include "minitf/contrib/sparse/sparse_tensors.h"

#include "minitf/base/status.h"

namespace minitf {

std::vector<int64_t> SparseTensorsMap::Add(std::vector<SparseParts> tensors) {
  std::vector<int64_t> handles;
  handles.reserve(tensors.size());
  const std::lock_guard lock(mutex_);
  for (SparseParts& parts : tensors) {
    tensors_.emplace(next_handle_, std::move(parts));
    handles.push_back(next_handle_++);
  }
  return handles;
}

std::vector<SparseParts> SparseTensorsMap::Take(std::span<const int64_t> handles) {
  std::vector<decltype(tensors_)::node_type> found;
  found.reserve(handles.size());
  const std::lock_guard lock(mutex_);
  for (const int64_t handle : handles) {
    found.push_back(tensors_.extract(handle));
    if (!found.back().empty()) continue;
    found.pop_back();
    for (auto& node : found) tensors_.insert(std::move(node));
    throw Error(errors::InvalidArgument("unable to find SparseTensor ", handle,
                                        " in map '", name_, "', which has ",
                                        tensors_.size()));
  }
  std::vector<SparseParts> taken;
  taken.reserve(found.size());
  for (auto& node : found) taken.push_back(std::move(node.mapped()));
  return taken;
}

size_t SparseTensorsMap::size() const {
  const std::lock_guard lock(mutex_);
  return tensors_.size();
}

std::string SparseTensorsMap::DebugString() const {
  return StrCat(kKind, " '", name_, "' of ", size());
}

}  // namespace minitf
