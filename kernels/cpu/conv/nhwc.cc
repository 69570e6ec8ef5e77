// Images from one layout and element type to another.

#include "kernels/cpu/conv/nhwc.h"

#include <algorithm>

#include "kernels/cpu/common/element_types.h"
#include "minitf/tensor/half.h"

namespace minitf {
namespace {

// to[column][row] = from[row][column] for `count` matrices of `rows` by `columns`. An
// image [C,H,W] is a matrix [C, H*W], and [H,W,C] is its transpose.
template <typename From, typename To>
void TransposeEach(int64_t count, int64_t rows, int64_t columns, const From* from,
                   To* to) {
  // A block of 16 by 16 floats has 16 cache lines on either side, which L1 holds. It also
  // holds 64, and more numbers of 16 bits are sooner rounded at a time.
  constexpr int64_t kBlock = kIsHalf<To> ? 64 : 16;
  for (int64_t i = 0; i < count; ++i, from += rows * columns, to += rows * columns) {
    for (int64_t row_0 = 0; row_0 < rows; row_0 += kBlock) {
      const int64_t row_1 = std::min(rows, row_0 + kBlock);
      for (int64_t column = 0; column < columns; ++column) {
        To* target = to + column * rows;
        if constexpr (kIsHalf<To>) {
          float wide[kBlock];
          for (int64_t row = row_0; row < row_1; ++row) {
            wide[row - row_0] = from[row * columns + column];
          }
          Narrow(wide, target + row_0, row_1 - row_0);
        } else {
          for (int64_t row = row_0; row < row_1; ++row) {
            target[row] = static_cast<To>(from[row * columns + column]);
          }
        }
      }
    }
  }
}

PartialShape NhwcShape(const Shape& shape, DataFormat format) {
  if (format == DataFormat::kNhwc) return shape;
  return {shape.dim(0), shape.dim(2), shape.dim(3), shape.dim(1)};
}

DType SumTypeOf(DType dtype) { return IsHalf(dtype) ? DType::kFloat32 : dtype; }

// Calls visitor.template operator()<T>() with the T of `dtype`, one of NhwcTypes.
template <typename Visitor>
void VisitNhwcType(DType dtype, const Visitor& visitor) {
  ForTypes(NhwcTypes{}, [&]<typename T>() {
    if (dtype == DTypeOf<T>()) visitor.template operator()<T>();
  });
}

}  // namespace

Tensor Widened(const Tensor& tensor) {
  if (!IsHalf(tensor.dtype())) return tensor;
  Tensor result(DType::kFloat32, tensor.shape());
  float* to = result.mutable_flat<float>().data();
  if (tensor.dtype() == DType::kFloat16) {
    Widen(tensor.flat<float16>().data(), to, tensor.num_elements());
  } else {
    Widen(tensor.flat<bfloat16>().data(), to, tensor.num_elements());
  }
  return result;
}

Tensor ToNhwc(const Tensor& tensor, DataFormat format) {
  if (format == DataFormat::kNhwc) return Widened(tensor);
  Tensor result(SumTypeOf(tensor.dtype()), NhwcShape(tensor.shape(), format).ToShape());
  VisitNhwcType(tensor.dtype(), [&]<typename T>() {
    TransposeEach(tensor.dim(0), tensor.dim(1), tensor.dim(2) * tensor.dim(3),
                  tensor.flat<T>().data(), result.mutable_flat<SumType<T>>().data());
  });
  return result;
}

// If the kernel can compute in place, the buffer is the tensor itself, and StoreNhwc has
// nothing to do: it sees that both share their memory.
Tensor NhwcBuffer(const Tensor& tensor, DataFormat format) {
  if (!IsHalf(tensor.dtype()) && format == DataFormat::kNhwc) return tensor;
  return {SumTypeOf(tensor.dtype()), NhwcShape(tensor.shape(), format).ToShape()};
}

void StoreNhwc(const Tensor& buffer, DataFormat format, Tensor* tensor) {
  if (buffer.SharesBufferWith(*tensor)) return;
  VisitNhwcType(tensor->dtype(), [&]<typename T>() {
    const auto* from = buffer.flat<SumType<T>>().data();
    T* to = tensor->mutable_flat<T>().data();
    if (format == DataFormat::kNchw) {
      TransposeEach(tensor->dim(0), tensor->dim(2) * tensor->dim(3), tensor->dim(1), from,
                    to);
    } else if constexpr (kIsHalf<T>) {
      Narrow(from, to, tensor->num_elements());
    }
  });
}

}  // namespace minitf
