// Sparse tensors: checks, cutting into rows, stacking of rows.

#include "minitf/contrib/sparse/sparse_rows.h"

#include <algorithm>

#include "minitf/base/status.h"
#include "minitf/base/text.h"
#include "minitf/tensor/copy_elements.h"
#include "minitf/tensor/shape.h"

namespace minitf {
namespace {

// Throws unless each place lies in no earlier row than the one before. Returns how many
// rows have a value.
int64_t CountUsedRows(const SparseParts& whole) {
  const int64_t rank = whole.rank();
  const auto places = whole.indices.flat<int64_t>();
  int64_t used = 0;
  int64_t row = -1;
  for (int64_t i = 0; i < whole.indices.dim(0); ++i) {
    const auto place = places.subspan(i * rank, rank);
    if (place[0] < row) {
      throw Error(errors::InvalidArgument("indices[", i, "] = [", Join(place, ","),
                                          "] is out of order: it comes after row ", row,
                                          "; tf.sparse_reorder puts places in order"));
    }
    used += place[0] > row ? 1 : 0;
    row = place[0];
  }
  return used;
}

// Elements [begin, end) of the vector `from`.
Tensor Cut(const Tensor& from, int64_t begin, int64_t end) {
  Tensor part(from.dtype(), {end - begin});
  CopyElements(from, begin, end - begin, &part, 0);
  return part;
}

// Values [begin, end) of `whole`, which are those of one row of `shape`.
SparseParts Row(const SparseParts& whole, int64_t begin, int64_t end,
                const Tensor& shape) {
  const int64_t rank = whole.rank();
  SparseParts row = {Tensor(DType::kInt64, {end - begin, rank - 1}),
                     Cut(whole.values, begin, end), shape};
  const auto from = whole.indices.flat<int64_t>();
  const auto to = row.indices.mutable_flat<int64_t>();
  for (int64_t i = begin; i < end; ++i) {
    std::ranges::copy(from.subspan(i * rank + 1, rank - 1),
                      to.begin() + (i - begin) * (rank - 1));
  }
  return row;
}

void RequireStackable(std::span<const SparseParts> rows, DType dtype) {
  Require(!rows.empty(), "must have at least 1 SparseTensor, got 0");
  for (size_t i = 0; i < rows.size(); ++i) {
    Require(rows[i].values.dtype() == dtype, "requested SparseTensors of ", dtype,
            ", but the values of SparseTensor[", i, "] are ", rows[i].values.dtype());
    Require(rows[i].rank() == rows[0].rank(),
            "inconsistent rank across SparseTensors: the rank prior to SparseTensor[", i,
            "] was ", rows[0].rank(), ", but its rank is ", rows[i].rank());
  }
}

}  // namespace

void RequireSparse(const SparseParts& parts) {
  Require(parts.indices.rank() == 2,
          "input indices should be a matrix but received shape ", parts.indices.shape());
  Require(parts.values.rank() == 1, "input values should be a vector but received shape ",
          parts.values.shape());
  Require(parts.shape.rank() == 1, "input shape should be a vector but received shape ",
          parts.shape.shape());
  Require(parts.indices.dim(0) == parts.values.dim(0), "there are ", parts.indices.dim(0),
          " places, but ", parts.values.dim(0), " values");
  Require(parts.indices.dim(1) == parts.shape.dim(0), "places have ",
          parts.indices.dim(1), " numbers, but the shape has ", parts.shape.dim(0));
  (void)Shape(parts.shape.flat<int64_t>());
}

void RequirePlacesWithin(const SparseParts& parts) {
  const int64_t rank = parts.rank();
  const auto places = parts.indices.flat<int64_t>();
  const auto sizes = parts.shape.flat<int64_t>();
  for (int64_t i = 0; i < parts.indices.dim(0); ++i) {
    const auto place = places.subspan(i * rank, rank);
    for (int64_t axis = 0; axis < rank; ++axis) {
      if (0 <= place[axis] && place[axis] < sizes[axis]) continue;
      throw Error(errors::InvalidArgument("indices[", i, "] = [", Join(place, ","),
                                          "] is out of bounds: need 0 <= index < [",
                                          Join(sizes, ","), "]"));
    }
  }
}

std::vector<SparseParts> RowsOf(const SparseParts& whole) {
  RequireSparse(whole);
  const auto sizes = whole.shape.flat<int64_t>();
  Require(sizes.size() > 1,
          "rank of input SparseTensor should be > 1, but saw rank: ", sizes.size());
  RequirePlacesWithin(whole);
  const int64_t empty = sizes[0] - CountUsedRows(whole);
  if (empty > kMostEmptyRows) {
    throw Error(errors::ResourceExhausted("of ", sizes[0], " rows ", empty,
                                          " hold no value, at most ", kMostEmptyRows,
                                          " may"));
  }

  const int64_t count = whole.values.dim(0);
  const auto places = whole.indices.flat<int64_t>();
  // Rows without a value share their tensors.
  const Tensor shape = Cut(whole.shape, 1, whole.rank());
  const SparseParts nothing = Row(whole, 0, 0, shape);
  std::vector<SparseParts> rows(sizes[0], nothing);
  for (int64_t begin = 0; begin < count;) {
    const int64_t row = places[begin * whole.rank()];
    int64_t end = begin;
    while (end < count && places[end * whole.rank()] == row) ++end;
    rows[row] = Row(whole, begin, end, shape);
    begin = end;
  }
  return rows;
}

SparseParts StackedRows(std::span<const SparseParts> rows, DType dtype) {
  RequireStackable(rows, dtype);
  const int64_t rank = rows[0].rank();
  int64_t count = 0;
  for (const SparseParts& row : rows) count += row.values.dim(0);
  SparseParts whole = {Tensor(DType::kInt64, {count, rank + 1}), Tensor(dtype, {count}),
                       Tensor(DType::kInt64, {rank + 1})};
  const auto sizes = whole.shape.mutable_flat<int64_t>();
  std::ranges::fill(sizes, 0);
  sizes[0] = std::ssize(rows);

  auto place = whole.indices.mutable_flat<int64_t>().begin();
  int64_t first = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto own = rows[i].shape.flat<int64_t>();
    for (int64_t axis = 0; axis < rank; ++axis) {
      sizes[axis + 1] = std::max(sizes[axis + 1], own[axis]);
    }
    const auto from = rows[i].indices.flat<int64_t>();
    const int64_t here = rows[i].values.dim(0);
    for (int64_t j = 0; j < here; ++j) {
      *place++ = static_cast<int64_t>(i);
      place = std::ranges::copy(from.subspan(j * rank, rank), place).out;
    }
    CopyElements(rows[i].values, 0, here, &whole.values, first);
    first += here;
  }
  (void)Shape(whole.shape.flat<int64_t>());  // the longest axes of all may be too long
  return whole;
}

}  // namespace minitf
