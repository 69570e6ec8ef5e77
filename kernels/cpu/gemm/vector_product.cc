// A matrix times a vector, by Eigen, in pieces for the threads.
//
// Read next  kernels/cpu/gemm/product_naive.cc

#include "kernels/cpu/gemm/vector_product.h"

#include "kernels/cpu/common/eigen_view.h"

namespace minitf {

template <typename T>
void MatrixTimesVector(const T* matrix, int64_t rows, int64_t columns, const T* x, T* y,
                       ThreadPool* threads) {
  const ConstMatrixView<T> view(matrix, rows, columns);
  const Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>> vector(x, columns);
  Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>> result(y, rows);
  ForPieces(threads, rows, columns / 4 + 1, [&](int64_t begin, int64_t end) {
    result.segment(begin, end - begin).noalias() =
        view.middleRows(begin, end - begin) * vector;
  });
}

template <typename T>
void VectorTimesMatrix(const T* x, const T* matrix, int64_t rows, int64_t columns, T* y,
                       ThreadPool* threads) {
  const ConstMatrixView<T> view(matrix, rows, columns);
  const Eigen::Map<const Eigen::Matrix<T, 1, Eigen::Dynamic>> vector(x, rows);
  Eigen::Map<Eigen::Matrix<T, 1, Eigen::Dynamic>> result(y, columns);
  ForPieces(threads, columns, rows / 4 + 1, [&](int64_t begin, int64_t end) {
    result.segment(begin, end - begin).noalias() =
        vector * view.middleCols(begin, end - begin);
  });
}

template decltype(MatrixTimesVector<float>) MatrixTimesVector<float>;
template decltype(MatrixTimesVector<double>) MatrixTimesVector<double>;
template decltype(VectorTimesMatrix<float>) VectorTimesMatrix<float>;
template decltype(VectorTimesMatrix<double>) VectorTimesMatrix<double>;

}  // namespace minitf
