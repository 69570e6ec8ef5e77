// UseTable: which nodes use the outputs of each node, while a pass changes that.
//
// A few uses stand in a list that is searched. A constant, or a NoOp that closes a step,
// may be used by 100,000 nodes, and passes forget these uses one by one; so a long list
// has an index that says where each use stands. Every change then takes the same short
// time, however many uses there are.
//
// Compare    tensorflow/core/grappler/mutable_graph_view.h
// Read next  minitf/passes/graph_editor.h

#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "minitf/graph/consumers.h"

namespace minitf {

class UseTable {
 public:
  /// In the order in which they were added, unless some of many were removed.
  const std::vector<Use>& Of(const Node* used) const { return lists_[used->id()].uses; }

  /// Makes room for nodes with ids below `num_nodes`.
  void Grow(int num_nodes) { lists_.resize(num_nodes); }
  bool Has(const Node* used, const Use& use) const;
  /// Requires: there is room for `used`, and it does not have this use.
  void Add(const Node* used, const Use& use);
  /// Does nothing if `used` does not have this use.
  void Remove(const Node* used, const Use& use);

 private:
  // An input of a consumer, or a wait, comes from one place: that makes it a key.
  using Key = int64_t;
  static Key KeyOf(const Use& use);

  struct List {
    std::vector<Use> uses;
    std::unordered_map<Key, size_t> index;  // where each stands; empty for short lists
  };

  std::vector<List> lists_;  // by id
};

}  // namespace minitf
