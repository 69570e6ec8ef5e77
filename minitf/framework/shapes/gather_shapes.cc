// Gather shapes: the rules, one function each.

#include "minitf/framework/shapes/gather_shapes.h"

#include <algorithm>
#include <vector>

#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// Sizes [begin, end) of `shape`.
PartialShape AxesOf(const PartialShape& shape, int begin, int end) {
  const auto sizes = shape.sizes();
  return PartialShape(std::vector<int64_t>(sizes.begin() + begin, sizes.begin() + end));
}

PartialShape Joined(std::initializer_list<PartialShape> parts) {
  std::vector<int64_t> sizes;
  for (const PartialShape& part : parts) {
    sizes.insert(sizes.end(), part.sizes().begin(), part.sizes().end());
  }
  return PartialShape(sizes);
}

}  // namespace

PartialShape GatheredShape(const PartialShape& params, const PartialShape& indices,
                           int64_t axis, int64_t batch_dims) {
  Require(!params.has_rank() || params.rank() > 0,
          "params must be at least 1-dimensional");
  if (params.has_rank()) NormalizedAxis(axis, params.rank());
  if (!indices.has_rank()) return {};
  const int64_t rank = indices.rank();
  Require(-rank <= batch_dims && batch_dims <= rank, "Expected batch_dims in the range [",
          -rank, ", ", rank, "], but got ", batch_dims);
  const auto batch = static_cast<int>(batch_dims < 0 ? batch_dims + rank : batch_dims);
  if (!params.has_rank()) return {};
  const int place = NormalizedAxis(axis, params.rank());
  Require(batch <= place, "batch_dims (", batch, ") must be less than or equal to axis (",
          place, ").");
  const PartialShape both = AxesOf(params, 0, batch);
  Require(both.IsCompatibleWith(AxesOf(indices, 0, batch)), "the first ", batch,
          " sizes of params ", params, " and indices ", indices, " differ");
  return Joined({both.MergedWith(AxesOf(indices, 0, batch)), AxesOf(params, batch, place),
                 AxesOf(indices, batch, indices.rank()),
                 AxesOf(params, place + 1, params.rank())});
}

PartialShape GatheredNdShape(const PartialShape& params, const PartialShape& indices) {
  Require(!indices.has_rank() || indices.rank() >= 1,
          "indices must be at least a vector");
  if (!indices.has_rank() || !params.has_rank()) return {};
  const int64_t depth = indices.dim(-1);
  if (depth == kUnknown) return {};
  Require(depth <= params.rank(), "index innermost dimension length must be <= params ",
          "rank; saw: ", depth, " vs. ", params.rank());
  return Joined({AxesOf(indices, 0, indices.rank() - 1),
                 AxesOf(params, static_cast<int>(depth), params.rank())});
}

void CheckScatterNd(const PartialShape& shape, const PartialShape& indices,
                    const PartialShape& updates) {
  if (indices.has_rank() && indices.rank() > 0 && updates.has_rank()) {
    const int places = indices.rank() - 1;
    Require(updates.rank() >= places &&
                AxesOf(indices, 0, places).IsCompatibleWith(AxesOf(updates, 0, places)),
            "updates ", updates, " must have an element for each of the indices ",
            indices);
  }
  Require(!updates.has_rank() || updates.rank() >= 1,
          "updates must be at least a vector");
  const bool takes_any = indices.num_elements() > 0 || updates.num_elements() > 0;
  Require(!takes_any || !shape.has_rank() || std::ranges::count(shape.sizes(), 0) == 0,
          "indices ", indices, " and updates ", updates,
          " are given for an empty result of shape ", shape);
  const PartialShape expected = GatheredNdShape(shape, indices);
  Require(expected.IsCompatibleWith(updates), "updates must have shape ", expected,
          " for indices ", indices, " into shape ", shape, ", got ", updates);
}

PartialShape ShapeAfterPrefix(const PartialShape& data, const PartialShape& prefix) {
  if (!data.has_rank() || !prefix.has_rank()) return {};
  const bool starts_with = prefix.rank() <= data.rank() &&
                           AxesOf(data, 0, prefix.rank()).IsCompatibleWith(prefix);
  Require(starts_with, "data.shape = ", data, " does not start with ", prefix);
  return AxesOf(data, prefix.rank(), data.rank());
}

}  // namespace minitf
