// Epilogue: a bias and an activation, row by row.
//
// The activation is the loop that the kernel of its op has registered (elementwise.h), so
// that Relu is computed here as it is alone, and a new activation can be fused at once.

#include "kernels/cpu/common/epilogue.h"

#include <string>
#include <vector>

#include "kernels/cpu/common/eigen_view.h"

namespace minitf {

Epilogue Epilogue::Of(OpKernelConstruction* construction, DType dtype) {
  Epilogue epilogue;
  std::vector<std::string> ops;
  int64_t num_args = 0;
  construction->SetStatus(construction->GetAttr("fused_ops", &ops));
  construction->SetStatus(construction->GetAttr("num_args", &num_args));
  if (!ops.empty() && ops[0] == "BiasAdd") {
    epilogue.adds_bias_ = true;
    ops.erase(ops.begin());
  }
  const ElementwiseLoop* loop =
      ops.empty() ? nullptr : FindElementwiseLoop(Device::kCpu, ops[0], dtype);
  if (loop != nullptr) epilogue.activation_ = loop->unary;
  const bool is_known = ops.empty() || (ops.size() == 1 && epilogue.activation_);
  if (!is_known || num_args != (epilogue.adds_bias_ ? 1 : 0)) {
    construction->SetStatus(errors::InvalidArgument(
        "fused_ops must be BiasAdd with 1 arg, an activation, or both, in this order; "
        "they end in [",
        Join(ops, ", "), "], and num_args is ", num_args));
  }
  return epilogue;
}

Status Epilogue::CheckBias(const Tensor& bias, int64_t channels) {
  if (bias.rank() == 1 && bias.dim(0) == channels) return {};
  return errors::InvalidArgument("Must provide as many biases as there are channels: ",
                                 bias.shape(), " vs. ", channels);
}

template <typename T>
void Epilogue::Apply(const T* bias, T* rows, int64_t count, int64_t channels) const {
  if (adds_bias_) {
    const ConstArrayView<T> bias_row(bias, channels);
    for (int64_t i = 0; i < count; ++i) {
      ArrayView<T>(rows + i * channels, channels) += bias_row;
    }
  }
  if (activation_ != nullptr) activation_(rows, rows, count * channels);
}

template void Epilogue::Apply(const float*, float*, int64_t, int64_t) const;
template void Epilogue::Apply(const double*, double*, int64_t, int64_t) const;

}  // namespace minitf
