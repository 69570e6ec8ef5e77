// Queue elements: checks, rows, and batches.

#include "minitf/io/queues/queue_element.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "minitf/tensor/copy_elements.h"

namespace minitf {
namespace {

// [n] and then `sizes`.
Shape WithLeading(int64_t n, std::vector<int64_t> sizes) {
  sizes.insert(sizes.begin(), n);
  return Shape(sizes);
}

void FillWithZeros(Tensor* tensor) {
  // Strings and handles are empty when they are made.
  if (IsPlain(tensor->dtype()) && tensor->num_elements() > 0) {
    std::memset(tensor->mutable_data(), 0, tensor->num_bytes());
  }
}

// Copies `piece` into the corner of row `row` of `batch`, whose other axes are as long as
// those of `piece`, or longer.
void CopyIntoCorner(const Tensor& piece, int64_t row, Tensor* batch) {
  const int rank = piece.rank();
  if (piece.num_elements() == 0) return;
  const int64_t run = rank == 0 ? 1 : piece.dim(rank - 1);
  const int64_t num_runs = piece.num_elements() / run;
  std::vector<int64_t> at(rank, 0);  // where the run begins; its last index stays 0
  for (int64_t i = 0; i < num_runs; ++i) {
    int64_t to = row;
    for (int axis = 0; axis < rank; ++axis) to = to * batch->dim(axis + 1) + at[axis];
    CopyElements(piece, i * run, run, batch, to);
    for (int axis = rank - 2; axis >= 0 && ++at[axis] == piece.dim(axis); --axis) {
      at[axis] = 0;
    }
  }
}

Tensor StackedComponent(const std::vector<Element>& elements, int component) {
  const auto part = [&](size_t i) -> const Tensor& { return elements[i][component]; };
  std::vector<int64_t> largest = part(0).shape().ToVector();
  bool all_equal = true;
  for (size_t i = 1; i < elements.size(); ++i) {
    for (size_t axis = 0; axis < largest.size(); ++axis) {
      const int64_t size = part(i).dim(static_cast<int>(axis));
      all_equal = all_equal && size == largest[axis];
      largest[axis] = std::max(largest[axis], size);
    }
  }

  const auto n = std::ssize(elements);
  Tensor batch(part(0).dtype(), WithLeading(n, largest));
  if (!all_equal) FillWithZeros(&batch);
  for (int64_t i = 0; i < n; ++i) {
    const Tensor& piece = part(i);
    if (all_equal) {
      CopyElements(piece, 0, piece.num_elements(), &batch, i * piece.num_elements());
    } else {
      CopyIntoCorner(piece, i, &batch);
    }
  }
  return batch;
}

}  // namespace

void ElementSpec::Check() const {
  Require(!dtypes.empty(), "a queue needs at least one component");
  Require(shapes.empty() || shapes.size() == dtypes.size(),
          "Queue shapes must have the same length as dtypes, got ", shapes.size(),
          " shapes and ", dtypes.size(), " dtypes");
}

void ElementSpec::CheckElement(const Element& element) const {
  Require(element.size() == dtypes.size(),
          "Wrong number of components in tuple. Expected ", dtypes.size(), ", got ",
          element.size());
  for (size_t i = 0; i < element.size(); ++i) {
    Require(element[i].dtype() == dtypes[i], "Type mismatch in tuple component ", i,
            ". Expected ", dtypes[i], ", got ", element[i].dtype());
    if (shapes.empty()) continue;
    Require(shapes[i].IsCompatibleWith(element[i].shape()),
            "Shape mismatch in tuple component ", i, ". Expected ", shapes[i], ", got ",
            element[i].shape());
  }
}

int64_t ElementSpec::CheckBatch(const Element& batch) const {
  Require(batch.size() == dtypes.size(), "Wrong number of components in tuple. Expected ",
          dtypes.size(), ", got ", batch.size());
  int64_t n = 0;
  for (size_t i = 0; i < batch.size(); ++i) {
    const Shape& shape = batch[i].shape();
    Require(batch[i].dtype() == dtypes[i], "Type mismatch in tuple component ", i,
            ". Expected ", dtypes[i], ", got ", batch[i].dtype());
    if (i == 0 && shape.rank() > 0) n = shape.dim(0);
    PartialShape expected;
    if (!shapes.empty() && shapes[i].has_rank()) {
      std::vector<int64_t> sizes(shapes[i].sizes().begin(), shapes[i].sizes().end());
      sizes.insert(sizes.begin(), n);
      expected = PartialShape(sizes);
    }
    Require(expected.IsCompatibleWith(shape), "Shape mismatch in tuple component ", i,
            ". Expected ", expected, ", got ", shape);
    Require(shape.rank() > 0,
            "Input tensor to enqueue_many must have at least one axis; ", "component ", i,
            " has shape ", shape);
    Require(shape.dim(0) == n, "All input tensors must have the same size in the 0th ",
            "dimension. Component ", i, " has ", shape.dim(0), ", and should have ", n);
  }
  return n;
}

std::ostream& operator<<(std::ostream& out, const ElementSpec& spec) {
  out << '[';
  for (size_t i = 0; i < spec.shapes.size(); ++i)
    out << (i == 0 ? "" : ",") << spec.shapes[i];
  return out << ']';
}

Element Owned(Element element) {
  for (Tensor& tensor : element) {
    if (tensor.IsBorrowed()) tensor = tensor.Clone();
  }
  return element;
}

Element RowOf(const Element& batch, int64_t row) {
  Element element;
  element.reserve(batch.size());
  for (const Tensor& rows : batch) {
    std::vector<int64_t> sizes = rows.shape().ToVector();
    sizes.erase(sizes.begin());
    Tensor one(rows.dtype(), Shape(sizes));
    CopyElements(rows, row * one.num_elements(), one.num_elements(), &one, 0);
    element.push_back(std::move(one));
  }
  return element;
}

Element StackedElements(const std::vector<Element>& elements) {
  Element batch;
  const int num_components = static_cast<int>(elements[0].size());
  batch.reserve(num_components);
  for (int i = 0; i < num_components; ++i) batch.push_back(StackedComponent(elements, i));
  return batch;
}

Element EmptyBatch(const ElementSpec& spec) {
  Element batch;
  for (int i = 0; i < spec.num_components(); ++i) {
    std::vector<int64_t> sizes(spec.shapes[i].sizes().begin(),
                               spec.shapes[i].sizes().end());
    std::ranges::replace(sizes, PartialShape::kUnknown, int64_t{0});
    batch.emplace_back(spec.dtypes[i], WithLeading(0, std::move(sizes)));
  }
  return batch;
}

}  // namespace minitf
