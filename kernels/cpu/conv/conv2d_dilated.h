// Conv2dDilated: a part of the tier "direct", for filters that reach beyond the image.
//
// Read next  kernels/cpu/conv/image_rows.h

#pragma once

#include "kernels/cpu/conv/conv2d.h"

namespace minitf {

/// Whether so many taps of a dilated filter see only zeros that Conv2dDilated is faster.
bool SkipsZeros(const Conv2dGeometry& g);

/// Conv2dDirect, without the taps that see only zeros. Requires: one group.
template <typename T>
void Conv2dDilated(const Conv2dGeometry& g, const T* x, const T* w, T* y,
                   ThreadPool& threads, const RowsDone<T>& rows_done);

}  // namespace minitf
