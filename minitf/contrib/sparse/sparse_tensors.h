// SparseTensorsMap: where sparse tensors wait while their numbers go through a queue.
//
// The elements of a queue are tensors of known types and shapes; the three tensors of a
// sparse one grow with the number of its values and cannot be batched. So a sparse tensor
// is left here, and its number, an int64, is enqueued; after it was dequeued, the sparse
// tensor is taken out by it.
//
// Compare    tensorflow/core/kernels/sparse_tensors_map_ops.cc
// Read next  minitf/contrib/summary/histogram.h

#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "minitf/contrib/sparse/sparse_rows.h"
#include "minitf/tensor/resource_handle.h"

namespace minitf {

class SparseTensorsMap final : public Resource {
 public:
  static constexpr const char* kKind = "map of SparseTensors";

  explicit SparseTensorsMap(std::string name) : name_(std::move(name)) {}

  /// Puts `tensors` in and returns a handle for each. No two handles are the same.
  std::vector<int64_t> Add(std::vector<SparseParts> tensors);

  /// Takes out what the handles stand for. Throws InvalidArgument, and takes nothing out,
  /// for a handle that is not there or comes twice.
  std::vector<SparseParts> Take(std::span<const int64_t> handles);

  size_t size() const;
  std::string DebugString() const override;

 private:
  const std::string name_;
  mutable std::mutex mutex_;  // guards what follows
  std::unordered_map<int64_t, SparseParts> tensors_;
  int64_t next_handle_ = 0;
};

}  // namespace minitf
