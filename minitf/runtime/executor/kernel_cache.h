// KernelCache: the kernels of a session, one for each node.
//
// A session makes an executor for each set of feeds and fetches, and they may share
// nodes. A kernel may hold state, such as where a stream of random numbers stands, and a
// node has one state in a session, not one in each executor.
//
// Compare    tensorflow/core/framework/op_segment.h
// Read next  minitf/runtime/executor/planned_arena.h

#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "minitf/framework/op_kernel.h"
#include "minitf/graph/graph.h"

namespace minitf {

class KernelCache {
 public:
  /// The kernel of `node` among `kind`, for `device`. Copies of one node of the user's
  /// graph share a kernel, made at the first call and again after a change of the node's
  /// attributes; a node that a pass made or changed gets one of its own. Throws what
  /// making a kernel throws, with the node in the status. Safe to call from any thread.
  std::shared_ptr<OpKernel> Get(const Node& node, Device kind,
                                const DeviceContext& device);

  /// Forgets all kernels. Those still held live on.
  void Clear();

 private:
  struct Entry {
    const DeviceContext* device = nullptr;
    std::shared_ptr<OpKernel> kernel;
    int num_attr_edits = 0;
  };

  std::mutex mutex_;
  std::unordered_map<int, Entry> kernels_;  // by id of the user's node
};

/// `status`, which arose at `node`, with where that is in its message:
///
///   MatMul: inner sizes differ: ... [node 'b' (MatMul), made at train.py:12]
Status AtNode(const Status& status, const Node& node);

}  // namespace minitf
