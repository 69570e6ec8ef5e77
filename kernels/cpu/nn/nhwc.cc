// Images from one layout and element type to another.

#include "kernels/cpu/nn/nhwc.h"

#include <algorithm>

#include <Eigen/Core>

namespace minitf {
namespace {

// A block of 16 by 16 floats has 16 cache lines on either side, which L1 holds.
constexpr int64_t kBlock = 16;

// to[column][row] = from[row][column] for `count` matrices of `rows` by `columns`. An
// image [C,H,W] is a matrix [C, H*W], and [H,W,C] is its transpose.
template <typename From, typename To>
void TransposeEach(int64_t count, int64_t rows, int64_t columns, const From* from,
                   To* to) {
  for (int64_t i = 0; i < count; ++i, from += rows * columns, to += rows * columns) {
    for (int64_t row_0 = 0; row_0 < rows; row_0 += kBlock) {
      const int64_t row_1 = std::min(rows, row_0 + kBlock);
      for (int64_t column = 0; column < columns; ++column) {
        for (int64_t row = row_0; row < row_1; ++row) {
          to[column * rows + row] = static_cast<To>(from[row * columns + column]);
        }
      }
    }
  }
}

template <typename From, typename To>
void Convert(const Tensor& from, Tensor* to) {
  const auto source = from.flat<From>();
  std::transform(source.begin(), source.end(), to->mutable_flat<To>().begin(),
                 [](From value) { return static_cast<To>(value); });
}

PartialShape NhwcShape(const Shape& shape, DataFormat format) {
  if (format == DataFormat::kNhwc) return shape;
  return {shape.dim(0), shape.dim(2), shape.dim(3), shape.dim(1)};
}

}  // namespace

template <typename T>
Tensor Widened(const Tensor& tensor) {
  if constexpr (std::is_same_v<T, SumType<T>>) {
    return tensor;
  } else {
    Tensor result(DTypeOf<SumType<T>>(), tensor.shape());
    Convert<T, SumType<T>>(tensor, &result);
    return result;
  }
}

template <typename T>
Tensor ToNhwc(const Tensor& tensor, DataFormat format) {
  if (format == DataFormat::kNhwc) return Widened<T>(tensor);
  Tensor result(DTypeOf<SumType<T>>(), NhwcShape(tensor.shape(), format).ToShape());
  TransposeEach(tensor.dim(0), tensor.dim(1), tensor.dim(2) * tensor.dim(3),
                tensor.flat<T>().data(), result.mutable_flat<SumType<T>>().data());
  return result;
}

// If the kernel can compute in place, the buffer is the tensor itself, and StoreNhwc has
// nothing to do: it sees that both share their memory.
template <typename T>
Tensor NhwcBuffer(const Tensor& tensor, DataFormat format) {
  if (std::is_same_v<T, SumType<T>> && format == DataFormat::kNhwc) return tensor;
  return Tensor(DTypeOf<SumType<T>>(), NhwcShape(tensor.shape(), format).ToShape());
}

template <typename T>
void StoreNhwc(const Tensor& buffer, DataFormat format, Tensor* tensor) {
  if (buffer.SharesBufferWith(*tensor)) return;
  if (format == DataFormat::kNhwc) return Convert<SumType<T>, T>(buffer, tensor);
  TransposeEach(tensor->dim(0), tensor->dim(2) * tensor->dim(3), tensor->dim(1),
                buffer.flat<SumType<T>>().data(), tensor->mutable_flat<T>().data());
}

template Tensor ToNhwc<float16>(const Tensor&, DataFormat);
template Tensor ToNhwc<bfloat16>(const Tensor&, DataFormat);
template Tensor ToNhwc<float>(const Tensor&, DataFormat);
template Tensor ToNhwc<double>(const Tensor&, DataFormat);
template Tensor ToNhwc<int32_t>(const Tensor&, DataFormat);
template Tensor ToNhwc<int64_t>(const Tensor&, DataFormat);
template Tensor ToNhwc<uint8_t>(const Tensor&, DataFormat);
template Tensor ToNhwc<int16_t>(const Tensor&, DataFormat);
template Tensor ToNhwc<int8_t>(const Tensor&, DataFormat);
template Tensor Widened<float16>(const Tensor&);
template Tensor Widened<bfloat16>(const Tensor&);
template Tensor Widened<float>(const Tensor&);
template Tensor Widened<double>(const Tensor&);
template Tensor Widened<int32_t>(const Tensor&);
template Tensor Widened<int64_t>(const Tensor&);
template Tensor Widened<uint8_t>(const Tensor&);
template Tensor Widened<int16_t>(const Tensor&);
template Tensor Widened<int8_t>(const Tensor&);
template Tensor NhwcBuffer<float16>(const Tensor&, DataFormat);
template Tensor NhwcBuffer<bfloat16>(const Tensor&, DataFormat);
template Tensor NhwcBuffer<float>(const Tensor&, DataFormat);
template Tensor NhwcBuffer<double>(const Tensor&, DataFormat);
template Tensor NhwcBuffer<int32_t>(const Tensor&, DataFormat);
template Tensor NhwcBuffer<int64_t>(const Tensor&, DataFormat);
template Tensor NhwcBuffer<uint8_t>(const Tensor&, DataFormat);
template Tensor NhwcBuffer<int16_t>(const Tensor&, DataFormat);
template Tensor NhwcBuffer<int8_t>(const Tensor&, DataFormat);
template void StoreNhwc<float16>(const Tensor&, DataFormat, Tensor*);
template void StoreNhwc<bfloat16>(const Tensor&, DataFormat, Tensor*);
template void StoreNhwc<float>(const Tensor&, DataFormat, Tensor*);
template void StoreNhwc<double>(const Tensor&, DataFormat, Tensor*);
template void StoreNhwc<int32_t>(const Tensor&, DataFormat, Tensor*);
template void StoreNhwc<int64_t>(const Tensor&, DataFormat, Tensor*);
template void StoreNhwc<uint8_t>(const Tensor&, DataFormat, Tensor*);
template void StoreNhwc<int16_t>(const Tensor&, DataFormat, Tensor*);
template void StoreNhwc<int8_t>(const Tensor&, DataFormat, Tensor*);

}  // namespace minitf
