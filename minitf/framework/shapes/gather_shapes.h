// Gather shapes: which shapes fit each other where indices choose elements.
//
// Compare    tensorflow/core/framework/common_shape_fns.cc
// Read next  minitf/framework/shapes/strided_slice.h

#pragma once

#include "minitf/tensor/shape.h"

namespace minitf {

/// GatherV2: params without `axis`, with the axes of indices after batch_dims in its
/// place. The first batch_dims sizes of both must agree.
PartialShape GatheredShape(const PartialShape& params, const PartialShape& indices,
                           int64_t axis, int64_t batch_dims);

/// GatherNd: the last axis of indices, of size d, holds a place in the first d axes of
/// params.
PartialShape GatheredNdShape(const PartialShape& params, const PartialShape& indices);

/// ScatterNd: throws unless `updates` are what GatherNd would take from `shape`.
void CheckScatterNd(const PartialShape& shape, const PartialShape& indices,
                    const PartialShape& updates);

/// The axes of `data` behind those of `prefix`, with which data must start.
PartialShape ShapeAfterPrefix(const PartialShape& data, const PartialShape& prefix);

}  // namespace minitf
