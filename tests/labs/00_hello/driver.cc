// What cases of lab 00 call in C++: a kernel that is made with these attributes and no
// others, and computes in memory that holds something already, on parts of one tensor, or
// in several threads at once.

#include <barrier>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "minitf/eager/dispatch.h"
#include "minitf/framework/op_kernel.h"
#include "python/bindings/attr_bridge.h"
#include "tests/labs/common/arrays.h"

namespace minitf {
namespace {

namespace py = pybind11;

using Pair = std::pair<py::array, py::array>;
/// Name, kind and value of each, in this order; that of a type is its name.
using GivenAttrs = std::vector<std::tuple<std::string, std::string, py::object>>;

// Host memory of which each byte is `byte` when it is given out.
class FilledMemory final : public Allocator {
 public:
  explicit FilledMemory(int byte) : byte_(byte) {}

  void* Allocate(size_t bytes) override {
    void* memory = CpuAllocator().Allocate(bytes);
    if (memory != nullptr) std::memset(memory, byte_, bytes);
    return memory;
  }
  void Free(void* memory, size_t bytes) override { CpuAllocator().Free(memory, bytes); }
  Stats stats() const override { return CpuAllocator().stats(); }

 private:
  const int byte_;
};

// The device of eager mode, whose memory holds zeros or ones.
const DeviceContext& FilledDevice(bool ones) {
  static FilledMemory memory[] = {FilledMemory(0), FilledMemory(1)};
  static const auto device_of = [](Allocator* allocator) {
    DeviceContext device = EagerDevice();
    device.allocator = allocator;
    return device;
  };
  static const DeviceContext devices[] = {device_of(&memory[0]), device_of(&memory[1])};
  return devices[ones ? 1 : 0];
}

// One kernel of ApproximateEqual. Its attributes are taken as they are: nothing adds a
// default to them, or looks at their kinds.
class OneKernel {
 public:
  OneKernel(const GivenAttrs& given, DType dtype, bool ones)
      : device_(FilledDevice(ones)) {
    Attrs attrs;
    for (const auto& [name, kind, value] : given) {
      attrs.Set(name, kind == "type" ? DTypeFromName(value.cast<std::string>())
                                     : AttrFromPython(kind, value));
    }
    signature_ = {{dtype, dtype}, {DType::kBool}};
    kernel_ = MakeKernel("near", FindOp("ApproximateEqual"), attrs, signature_,
                         Device::kCpu, device_);
  }

  Tensor Run(const Tensor& x, const Tensor& y) const {
    std::vector<Tensor> inputs = {x, y};
    std::vector<Tensor> outputs(1);
    OpKernelContext ctx(inputs, outputs, signature_.output_types, device_);
    RunKernel(kernel_.get(), &ctx);
    ThrowIfError(ctx.status());
    return outputs[0];
  }

 private:
  const DeviceContext& device_;
  Signature signature_;
  std::unique_ptr<OpKernel> kernel_;
};

Tensor TensorOf(const py::array& array, DType dtype) {
  const Tensor tensor = minitf::TensorOf(array);
  if (tensor.dtype() == dtype) return tensor;
  return RunOp("Cast", {tensor}, {{"DstT", dtype}}).at(0);
}

// The results of one kernel for each x and y, one after another.
py::list Computed(const GivenAttrs& attrs, const std::vector<Pair>& pairs,
                  const std::string& type, bool ones) {
  const DType dtype = DTypeFromName(type);
  const OneKernel kernel(attrs, dtype, ones);
  py::list results;
  for (const auto& [x, y] : pairs) {
    const Tensor result = kernel.Run(TensorOf(x, dtype), TensorOf(y, dtype));
    results.append(ArrayOf(result));
  }
  return results;
}

// The result for all rows but the first `shift`, and all but the last `shift`, of one
// tensor. Of 0, x and y are the same.
py::object ComputedOnParts(const GivenAttrs& attrs, const py::array& whole,
                           const std::string& type, int64_t shift) {
  const DType dtype = DTypeFromName(type);
  const Tensor tensor = TensorOf(whole, dtype);
  const Tensor x = shift == 0 ? tensor : tensor.Slice(shift, tensor.dim(0));
  const Tensor y = shift == 0 ? tensor : tensor.Slice(0, tensor.dim(0) - shift);
  return ArrayOf(OneKernel(attrs, dtype, false).Run(x, y));
}

// One kernel, in one thread for each x and y. Each computes `times` times; for each
// element, how often it was true.
std::vector<std::vector<int>> ComputedAtOnce(const GivenAttrs& attrs,
                                             const std::vector<Pair>& pairs,
                                             const std::string& type, int times) {
  const DType dtype = DTypeFromName(type);
  const OneKernel kernel(attrs, dtype, false);
  std::vector<std::pair<Tensor, Tensor>> inputs;
  for (const auto& [x, y] : pairs) {
    inputs.emplace_back(TensorOf(x, dtype), TensorOf(y, dtype));
  }
  std::vector<std::vector<int>> counts(pairs.size());
  std::vector<Status> statuses(pairs.size());
  std::barrier together(static_cast<std::ptrdiff_t>(inputs.size()));
  const auto run = [&](size_t which) {
    try {
      const auto& [x, y] = inputs[which];
      counts[which].resize(x.num_elements());
      for (int turn = 0; turn < times; ++turn) {
        together.arrive_and_wait();
        const Tensor result = kernel.Run(x, y);
        const auto is_near = result.flat<bool>();
        for (size_t i = 0; i < is_near.size(); ++i) counts[which][i] += is_near[i];
      }
    } catch (const Error& error) {
      statuses[which] = error.status();
    }
    together.arrive_and_drop();
  };
  {
    const py::gil_scoped_release released;
    std::vector<std::thread> threads;
    for (size_t i = 0; i < inputs.size(); ++i) threads.emplace_back(run, i);
    for (std::thread& thread : threads) thread.join();
  }
  for (const Status& status : statuses) ThrowIfError(status);
  return counts;
}

}  // namespace
}  // namespace minitf

PYBIND11_MODULE(lab_00_driver, module) {
  module.def("computed", &minitf::Computed);
  module.def("computed_on_parts", &minitf::ComputedOnParts);
  module.def("computed_at_once", &minitf::ComputedAtOnce);
}
