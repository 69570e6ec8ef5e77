// Softmax and the cross entropy, row by row.
//
// Read next  kernels/gpu/nn/softmax.cu

#pragma once

#include <cstdint>

#include "kernels/gpu/launch.h"

namespace minitf::gpu {

/// x and y [rows,classes]; y = e^x over the row's sum, or with `is_log` its logarithm.
template <typename T>
cudaError_t LaunchSoftmax(bool is_log, int64_t rows, int64_t classes, const T* x, T* y,
                          cudaStream_t stream);

/// logits [rows,classes], loss [rows], gradient [rows,classes]. Labels are either
/// probabilities [rows,classes], or one class for each row; where that is no class, loss
/// and gradient of the row are NaN. A matrix that broadcasts has the stride 0 from row to
/// row, or from class to class.
struct Strides2d {
  int64_t row, column;
};
template <typename T>
// NOLINTNEXTLINE(readability-function-size): two inputs, their strides, two results
cudaError_t LaunchCrossEntropy(int64_t rows, int64_t classes, const T* logits,
                               const Strides2d& logits_strides, const T* labels,
                               const Strides2d& labels_strides, T* loss, T* gradient,
                               cudaStream_t stream);
template <typename T, typename Label>
cudaError_t LaunchSparseCrossEntropy(int64_t rows, int64_t classes, const T* logits,
                                     const Label* labels, T* loss, T* gradient,
                                     cudaStream_t stream);

}  // namespace minitf::gpu
