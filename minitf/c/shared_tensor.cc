// TF_Tensors that share their elements with a tensor of minitf.

#include "minitf/c/shared_tensor.h"

#include <utility>

namespace minitf::c {

std::unique_ptr<TF_Tensor> SharedTensorToC(const Tensor& tensor) {
  if (!IsPlain(tensor.dtype()) || tensor.num_elements() == 0) return TensorToC(tensor);
  auto memory = std::make_shared<TensorMemory>();
  memory->tensor = tensor;
  memory->data = memory->tensor.mutable_data();
  memory->length = tensor.num_bytes();
  return std::unique_ptr<TF_Tensor>(
      new TF_Tensor{DTypeToC(tensor.dtype()), tensor.shape(), std::move(memory)});
}

Tensor SharedTensorOfC(const TF_Tensor* tensor, std::string_view argument) {
  const TF_Tensor& source = NotNull(tensor, argument);
  const Tensor& inner = source.memory->tensor;
  const bool is_shared = inner.has_value() && IsPlain(inner.dtype()) &&
                         DTypeToC(inner.dtype()) == source.dtype &&
                         inner.data() == source.memory->data &&
                         inner.num_elements() == source.shape.num_elements();
  return is_shared ? inner.Reshaped(source.shape) : TensorOfC(tensor, argument);
}

}  // namespace minitf::c
