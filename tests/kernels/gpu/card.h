// Ops on an emulated card, called one by one.
//
// The sources of the library for emulated cards are part of the test, which so can put a
// class of its own in the place of NVIDIA's libraries. minitf must not load that library
// as well: its kernels would be registered twice.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "minitf/eager/dispatch.h"
#include "minitf/framework/op_kernel.h"
#include "minitf/runtime/devices/gpu_backend.h"
#include "tests/testing.h"

extern "C" minitf::GpuBackend* minitf_open_gpus(const char** why_not);

namespace minitf::testing {

class Card {
 public:
  /// `number` is below 2.
  static Card& Get(int number = 0) {
    static Card cards[] = {Card(0), Card(1)};
    return cards[number];
  }

  Stream& stream() const { return *stream_; }

  /// The only output of a call, in the host's memory. `attrs` may name a kernel by its
  /// label, as "_kernel". Throws what the kernel reports.
  Tensor Run(std::string_view op_name, std::vector<Tensor> inputs, Attrs attrs) const {
    const OpDef& op = FindOp(op_name);
    std::vector<DType> types;
    for (const Tensor& input : inputs) types.push_back(input.dtype());
    const Signature signature = CompleteAttrs(op, types, &attrs);
    const auto kernel = MakeKernel("", op, attrs, signature, Device::kGpu, context_);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool is_here = kernel->memory_types().inputs[i] == MemoryType::kDevice;
      if (is_here) inputs[i] = OnCard(inputs[i]);
    }
    std::vector<Tensor> outputs(1);
    OpKernelContext ctx(inputs, outputs, signature.output_types, context_);
    RunKernel(kernel.get(), &ctx);
    ThrowIfError(ctx.status());
    return outputs[0].Clone();
  }

 private:
  explicit Card(int number)
      : backend_(*Backend()),
        stream_(backend_.stream(number)),
        context_{&backend_.allocator(number),
                 EagerDevice().threads,
                 EagerDevice().resources,
                 stream_.get(),
                 &CpuAllocator(),
                 &EagerDevice()} {}

  static GpuBackend* Backend() {
    const char* why_not = "";
    return minitf_open_gpus(&why_not);
  }

  Tensor OnCard(const Tensor& x) const {
    Tensor copy(x.dtype(), x.shape(), *context_.allocator);
    context_.allocator->mover()->FromHost(copy.mutable_data(), x.data(), x.num_bytes());
    return copy;
  }

  GpuBackend& backend_;
  const std::shared_ptr<Stream> stream_;
  const DeviceContext context_;
};

}  // namespace minitf::testing
