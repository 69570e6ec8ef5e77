// Softmax and the cross entropy: a warp for a row, or a block if the row is long.
//
//   y(i)    = e^(x(i) - largest) / sum over j of e^(x(j) - largest)
//   loss    = sum over i of label(i) * (log(sum) - (x(i) - largest))
//   dloss/dx(i) = y(i) - label(i), times the sum of the row's labels for y
//
// The largest number is taken away first: e^x of it is then 1, of the others less, and
// nothing overflows. So a row is read three times: for the largest, for the sum, and for
// the results. It lies in the caches by then.
//
// Compare    tensorflow/core/kernels/softmax_op_gpu.cu.cc, xent_op.h
// Read next  kernels/gpu/strided_copy.h

#include <cmath>

#include "kernels/gpu/nn/softmax.h"
#include "kernels/gpu/warp.h"

namespace minitf::gpu {
namespace {

// What a row's numbers need to know of it.
template <typename T>
struct RowSums {
  T largest, sum;
};

template <typename T>
struct Larger {
  __device__ T operator()(T a, T b) const { return a > b || a != a ? a : b; }
};

template <typename T>
struct Plus {
  __device__ T operator()(T a, T b) const { return a + b; }
};

// The threads that share a row: those of a warp, or of the whole block, which then need
// room in shared memory.
template <typename T, bool kIsBlock>
struct Team {
  T* room;

  __device__ int rank() const {
    return static_cast<int>(kIsBlock ? threadIdx.x : threadIdx.x % 32);
  }
  __device__ int size() const { return static_cast<int>(kIsBlock ? blockDim.x : 32); }
  __device__ int64_t first_row() const {
    return kIsBlock ? blockIdx.x
                    : int64_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
  }
  __device__ int64_t row_step() const {
    return kIsBlock ? gridDim.x : int64_t{gridDim.x} * (blockDim.x / 32);
  }
  template <typename Combine>
  __device__ T All(T x, T identity, Combine combine) const {
    if constexpr (kIsBlock) {
      return OfBlock(x, identity, room, combine);
    } else {
      return OfWarp(x, combine);
    }
  }
};

// All threads of the team together; at(i) is number i of the row.
template <typename T, typename AnyTeam, typename At>
__device__ RowSums<T> SumsOfRow(const AnyTeam& team, int64_t classes, At at) {
  T largest = -INFINITY;
  for (int64_t i = team.rank(); i < classes; i += team.size()) {
    largest = Larger<T>()(largest, at(i));
  }
  largest = team.All(largest, T(-INFINITY), Larger<T>());
  T sum = 0;
  for (int64_t i = team.rank(); i < classes; i += team.size()) {
    sum += exp(at(i) - largest);
  }
  return {largest, team.All(sum, T(0), Plus<T>())};
}

template <typename T, bool kIsBlock>
__global__ void Softmax(bool is_log, int64_t rows, int64_t classes, const T* x, T* y) {
  __shared__ T room[32];
  const Team<T, kIsBlock> team{room};
  for (int64_t row = team.first_row(); row < rows; row += team.row_step()) {
    const T* const from = x + row * classes;
    const auto [largest, sum] =
        SumsOfRow<T>(team, classes, [&](int64_t i) { return from[i]; });
    const T log_sum = log(sum);
    for (int64_t i = team.rank(); i < classes; i += team.size()) {
      const T shifted = from[i] - largest;
      y[row * classes + i] = is_log ? shifted - log_sum : exp(shifted) / sum;
    }
  }
}

// label_at(row, i) is the label of class i.
template <typename T, typename AnyTeam, typename LabelAt>
// NOLINTNEXTLINE(readability-function-size): two inputs, their strides, two results
__device__ void CrossEntropyRow(const AnyTeam& team, int64_t row, int64_t classes,
                                const T* logits, int64_t step, LabelAt label_at, T* loss,
                                T* gradient) {
  const auto [largest, sum] =
      SumsOfRow<T>(team, classes, [&](int64_t i) { return logits[i * step]; });
  const T log_sum = log(sum);
  T part = 0;
  for (int64_t i = team.rank(); i < classes; i += team.size()) {
    const T shifted = logits[i * step] - largest;
    const T label = label_at(row, i);
    // 0 times an infinity would be no number.
    if (label != T(0)) part += label * (log_sum - shifted);
    gradient[row * classes + i] = exp(shifted) / sum - label;
  }
  part = team.All(part, T(0), Plus<T>());
  if (team.rank() == 0) loss[row] = part;
}

template <typename T, bool kIsBlock>
// NOLINTNEXTLINE(readability-function-size): two inputs, their strides, two results
__global__ void CrossEntropy(int64_t rows, int64_t classes, const T* logits,
                             Strides2d logits_strides, const T* labels,
                             Strides2d labels_strides, T* loss, T* gradient) {
  __shared__ T room[32];
  const Team<T, kIsBlock> team{room};
  const auto label_at = [=](int64_t row, int64_t i) {
    return labels[row * labels_strides.row + i * labels_strides.column];
  };
  for (int64_t row = team.first_row(); row < rows; row += team.row_step()) {
    CrossEntropyRow<T>(team, row, classes, logits + row * logits_strides.row,
                       logits_strides.column, label_at, loss, gradient);
  }
}

template <typename T, bool kIsBlock, typename Label>
__global__ void SparseCrossEntropy(int64_t rows, int64_t classes, const T* logits,
                                   const Label* labels, T* loss, T* gradient) {
  __shared__ T room[32];
  const Team<T, kIsBlock> team{room};
  const auto label_at = [=](int64_t row, int64_t i) {
    const auto label = static_cast<int64_t>(labels[row]);
    if (label < 0 || label >= classes) return T(NAN);
    return T(i == label);
  };
  for (int64_t row = team.first_row(); row < rows; row += team.row_step()) {
    CrossEntropyRow<T>(team, row, classes, logits + row * classes, 1, label_at, loss,
                       gradient);
  }
}

constexpr int64_t kLongRow = 1024;

// Calls launch<is_block>(blocks), which launches blocks of kBlockSize.
template <typename Launch>
cudaError_t ForRows(int64_t rows, int64_t classes, Launch launch) {
  if (rows * classes == 0) return cudaSuccess;
  if (classes > kLongRow) {
    launch.template operator()<true>(BlocksFor(rows, 1));
  } else {
    launch.template operator()<false>(BlocksFor(rows * 32));
  }
  return cudaGetLastError();
}

}  // namespace

template <typename T>
cudaError_t LaunchSoftmax(bool is_log, int64_t rows, int64_t classes, const T* x, T* y,
                          cudaStream_t stream) {
  return ForRows(rows, classes, [&]<bool kIsBlock>(unsigned blocks) {
    Softmax<T, kIsBlock><<<blocks, kBlockSize, 0, stream>>>(is_log, rows, classes, x, y);
  });
}

template <typename T>
// NOLINTNEXTLINE(readability-function-size): two inputs, their strides, two results
cudaError_t LaunchCrossEntropy(int64_t rows, int64_t classes, const T* logits,
                               const Strides2d& logits_strides, const T* labels,
                               const Strides2d& labels_strides, T* loss, T* gradient,
                               cudaStream_t stream) {
  return ForRows(rows, classes, [&]<bool kIsBlock>(unsigned blocks) {
    CrossEntropy<T, kIsBlock><<<blocks, kBlockSize, 0, stream>>>(
        rows, classes, logits, logits_strides, labels, labels_strides, loss, gradient);
  });
}

template <typename T, typename Label>
cudaError_t LaunchSparseCrossEntropy(int64_t rows, int64_t classes, const T* logits,
                                     const Label* labels, T* loss, T* gradient,
                                     cudaStream_t stream) {
  return ForRows(rows, classes, [&]<bool kIsBlock>(unsigned blocks) {
    SparseCrossEntropy<T, kIsBlock, Label><<<blocks, kBlockSize, 0, stream>>>(
        rows, classes, logits, labels, loss, gradient);
  });
}

#define MINITF_SPARSE(T, Label)                                             \
  template cudaError_t LaunchSparseCrossEntropy(int64_t, int64_t, const T*, \
                                                const Label*, T*, T*, cudaStream_t)
#define MINITF_FLOATING(T)                                                              \
  template cudaError_t LaunchSoftmax(bool, int64_t, int64_t, const T*, T*,              \
                                     cudaStream_t);                                     \
  template cudaError_t LaunchCrossEntropy(int64_t, int64_t, const T*, const Strides2d&, \
                                          const T*, const Strides2d&, T*, T*,           \
                                          cudaStream_t);                                \
  MINITF_SPARSE(T, int32_t);                                                            \
  MINITF_SPARSE(T, int64_t)
MINITF_FLOATING(float);
MINITF_FLOATING(double);

}  // namespace minitf::gpu
