// Eager dispatch: runs one op, now, on tensors that exist already.
//
// The op's definition checks the inputs, the kernel table gives the kernel, and the
// kernel computes. A graph does the same three things, only it checks when it is built
// and computes when it is run. A kernel is kept for the next call with the same op, types
// and attributes.
//
// Compare    tensorflow/core/common_runtime/eager/execute.cc
// Read next  minitf/eager/tape.h

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "minitf/framework/attrs.h"
#include "minitf/framework/gradient.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

/// A tensor with an identity, by which a tape knows it again. Copies have the same one.
struct EagerTensor {
  Tensor tensor;
  int64_t id = -1;
};

/// `tensor` with an identity of its own.
EagerTensor MakeEagerTensor(Tensor tensor);

/// The device, threads and variables of eager mode. One for the process.
DeviceContext& EagerDevice();

/// Runs `op` on the CPU and returns its outputs. An attribute that `attrs` leaves out has
/// the default of the op's definition. `input_lengths` is as in NodeSpec. Throws Error;
/// the message starts with the op. Nothing is recorded.
std::vector<Tensor> RunOp(std::string_view op, const std::vector<Tensor>& inputs,
                          Attrs attrs = {}, const std::vector<int>& input_lengths = {});

/// Forgets the kernels that are kept. The next call of a random op starts its numbers
/// anew.
void ForgetKernels();

/// As RunOp, and recorded on every tape that watches an input (minitf/eager/tape.h).
std::vector<EagerTensor> Dispatch(std::string_view op,
                                  const std::vector<EagerTensor>& inputs,
                                  Attrs attrs = {},
                                  const std::vector<int>& input_lengths = {});

/// An Emitter that dispatches every call at once. Value ids are ids of eager tensors.
class EagerEmitter final : public Emitter {
 public:
  Value Add(const EagerTensor& tensor);
  const EagerTensor& Get(Value value) const;

  Value Constant(const Tensor& value) override { return Add(MakeEagerTensor(value)); }

 protected:
  std::vector<Value> EmitCall(std::string_view op, const std::vector<Value>& inputs,
                              Attrs attrs) override;
  DType DTypeOf(Value value) const override { return Get(value).tensor.dtype(); }
  PartialShape ShapeOf(Value value) const override { return Get(value).tensor.shape(); }
  std::optional<Tensor> ConstantOf(Value value) const override {
    return Get(value).tensor;
  }

 private:
  std::unordered_map<int64_t, EagerTensor> tensors_;
};

}  // namespace minitf
