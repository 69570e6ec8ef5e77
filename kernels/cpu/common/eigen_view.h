// Tensors as Eigen matrices and arrays, without copying.
//
// Eigen stores matrices column by column unless told otherwise; a Tensor is row by row.
//
// Read next  kernels/cpu/common/strided_copy.h

#pragma once

#include <cstdint>

#include <Eigen/Core>

#include "minitf/tensor/tensor.h"

namespace minitf {

template <typename T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <typename T>
using MatrixView = Eigen::Map<Matrix<T>>;
template <typename T>
using ConstMatrixView = Eigen::Map<const Matrix<T>>;

template <typename T>
using ArrayView = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;
template <typename T>
using ConstArrayView = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;

/// The elements of `tensor` as a matrix of `rows` by `columns`.
/// Requires: rows * columns == tensor.num_elements().
template <typename T>
ConstMatrixView<T> AsMatrix(const Tensor& tensor, int64_t rows, int64_t columns) {
  return {tensor.flat<T>().data(), rows, columns};
}
template <typename T>
MatrixView<T> AsMatrix(Tensor* tensor, int64_t rows, int64_t columns) {
  return {tensor->mutable_flat<T>().data(), rows, columns};
}

/// The elements of `tensor` as one row of numbers.
template <typename T>
ConstArrayView<T> AsArray(const Tensor& tensor) {
  return {tensor.flat<T>().data(), tensor.num_elements()};
}
template <typename T>
ArrayView<T> AsArray(Tensor* tensor) {
  return {tensor->mutable_flat<T>().data(), tensor->num_elements()};
}

}  // namespace minitf
