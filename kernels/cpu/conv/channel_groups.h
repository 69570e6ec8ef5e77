// The channels of a convolution, group by group, for its loops.
//
// Read next  kernels/cpu/nn/windows.h

#pragma once

#include <cstdint>

#include "minitf/framework/shapes/conv2d_geometry.h"

namespace minitf {

/// Calls visit(c, index of c in its group, first k, last k) for every channel: group by
/// group, channel c is seen by the filters [first k, last k).
template <typename Visit>
void ForEachChannel(const Conv2dGeometry& g, Visit&& visit) {
  const int64_t group_c = g.c / g.groups;
  const int64_t group_k = g.k / g.groups;
  for (int64_t c = 0; c < g.c; ++c) {
    const int64_t group = c / group_c;
    visit(c, c % group_c, group * group_k, (group + 1) * group_k);
  }
}

}  // namespace minitf
