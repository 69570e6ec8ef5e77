// Queue elements: a tuple of tensors, checked when it comes in, and stacked to batches.
//
// An element that waits in a queue must own its memory: rows of a batch are copied out,
// so that one row does not keep the whole batch in memory, and so are elements in memory
// of a caller (Tensor::Borrowed), who may change them.
//
// Compare    tensorflow/core/kernels/queue_base.cc, typed_queue.h
// Read next  minitf/io/queues/queues.h

#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include "minitf/tensor/dtype.h"
#include "minitf/tensor/shape.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

/// One tensor for each component. Of a batch, axis 0 of each counts elements.
using Element = std::vector<Tensor>;

struct ElementSpec {
  std::vector<DType> dtypes;
  std::vector<PartialShape> shapes;  ///< one for each component; or none, if they vary

  int num_components() const { return static_cast<int>(dtypes.size()); }

  /// Throws InvalidArgument unless there is a component, and no shape or one for each.
  void Check() const;
  /// Throws InvalidArgument, naming the component, unless `element` is as described.
  void CheckElement(const Element& element) const;
  /// As above for a batch of elements. Returns how many there are.
  int64_t CheckBatch(const Element& batch) const;
};

/// Prints shapes as a list: [[2,3],[?]].
std::ostream& operator<<(std::ostream& out, const ElementSpec& spec);

/// `element`, with copies of those tensors whose memory is shared or borrowed.
Element Owned(Element element);

/// A copy of row `row` of each component. Requires: the batch has that row.
Element RowOf(const Element& batch, int64_t row);

/// The elements below each other, [n, ...] for each component. Where sizes differ, the
/// missing ones are zeros or empty strings. `shapes` are those of a batch of none.
/// Requires: all elements have the same dtypes and ranks.
Element StackedElements(const std::vector<Element>& elements);

/// A batch of no elements: components of shape [0, ...], where sizes that are not known
/// are 0. Requires: every shape has a rank.
Element EmptyBatch(const ElementSpec& spec);

}  // namespace minitf
