// Eager dispatch: check, find the kernel, compute.
//
// Exercise   exercises/05_eager
// Compare    tensorflow/core/common_runtime/eager/execute.cc
// Read next  minitf/eager/tape.cc

#include "minitf/eager/dispatch.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <utility>

#include "minitf/base/caught.h"
#include "minitf/base/lab.h"
#include "minitf/eager/tape.h"
#include "minitf/framework/cancellation.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// An op with attributes and input types that have been called before.
struct PreparedOp {
  const OpDef* op = nullptr;
  Attrs attrs;
  Signature signature;
  std::unique_ptr<OpKernel> kernel;
};

// The prepared ops, by everything that a kernel depends on.
class PreparedOps {
 public:
  std::shared_ptr<PreparedOp> Find(const std::string& key) const {
    const std::shared_lock lock(mutex_);
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : found->second;
  }

  void Add(const std::string& key, std::shared_ptr<PreparedOp> prepared) {
    const std::unique_lock lock(mutex_);
    // Attributes that differ from call to call must not fill the memory.
    if (by_key_.size() >= kMaxEntries) by_key_.clear();
    by_key_[key] = std::move(prepared);
  }

  void Clear() {
    const std::unique_lock lock(mutex_);
    by_key_.clear();
  }

 private:
  static constexpr size_t kMaxEntries = 10'000;

  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<PreparedOp>> by_key_;
};

PreparedOps& Prepared() {
  static auto* const prepared_ops = new PreparedOps;
  return *prepared_ops;
}

std::string KeyOf(std::string_view op, std::span<const Tensor> inputs, const Attrs& attrs,
                  const std::vector<int>& input_lengths) {
  std::string key(op);
  // TODO(05.1) begin: append all else that the kernel of a call depends on
  MINITF_TODO("05.1");
  // TODO(05.1) end
  return key;
}

// Whether another call like this one may use the kernel. One that makes state, and hands
// out resources that point to it, holds on to that state.
bool MayBeKept(const PreparedOp& prepared) {
  // TODO(05.2) begin: return false for a kernel that hands out a resource
  MINITF_TODO("05.2");
  // TODO(05.2) end
}

// The op of a call with its kernel: one that was kept, or a new one. A kernel has no name
// (""), for a call is no node; so a variable that it makes is its own.
std::shared_ptr<PreparedOp> Prepare(std::string_view op_name,
                                    std::span<const Tensor> inputs, Attrs attrs,
                                    const std::vector<int>& input_lengths) {
  const std::string key = KeyOf(op_name, inputs, attrs, input_lengths);
  if (auto found = Prepared().Find(key)) return found;

  // TODO(05.2) begin: op, attributes, signature, kernel; Add it if that may be
  MINITF_TODO("05.2");
  // TODO(05.2) end
}

// Throws what the shape function of the op has against the inputs.
void CheckShapes(const PreparedOp& prepared, std::span<const Tensor> inputs) {
  // TODO(05.3) begin: an InferenceContext of shapes and values, for the shape function
  MINITF_TODO("05.3");
  // TODO(05.3) end
}

// Some kernels leave an output without a value: a graph does not go on from there.
void RequireValues(const std::vector<Tensor>& outputs) {
  for (const Tensor& output : outputs) {
    Require(output.has_value(), "an output has no value: branches and loops are for ",
            "graphs");
  }
}

// Runs the kernel. One that may have to wait, for a queue say, asks whether its step is
// cancelled: it needs a CancellationManager, by which the user interrupts it.
std::vector<Tensor> Compute(const PreparedOp& prepared, std::vector<Tensor> inputs) {
  // TODO(05.3) begin: run the kernel in an OpKernelContext; throw what it reports
  MINITF_TODO("05.3");
  // TODO(05.3) end
}

// Runs `work`, and puts the op's name in front of what it throws.
template <typename Work>
auto WithOpName(std::string_view op, Work work) {
  try {
    return work();
  } catch (...) {
    throw Error(CaughtStatus().WithPrefix(StrCat(op, ": ")));
  }
}

}  // namespace

EagerTensor MakeEagerTensor(Tensor tensor) {
  static std::atomic<int64_t> next_id{0};
  return {std::move(tensor), next_id.fetch_add(1, std::memory_order_relaxed)};
}

DeviceContext& EagerDevice() {
  static auto* resources = new ResourceManager;
  static DeviceContext device{&CpuAllocator(), &ProcessThreads(), resources, nullptr};
  return device;
}

void ForgetKernels() { Prepared().Clear(); }

std::vector<Tensor> RunOp(std::string_view op, const std::vector<Tensor>& inputs,
                          Attrs attrs, const std::vector<int>& input_lengths) {
  return WithOpName(op, [&] {
    const auto prepared = Prepare(op, inputs, std::move(attrs), input_lengths);
    CheckShapes(*prepared, inputs);
    return Compute(*prepared, inputs);
  });
}

std::vector<EagerTensor> Dispatch(std::string_view op,
                                  const std::vector<EagerTensor>& inputs, Attrs attrs,
                                  const std::vector<int>& input_lengths) {
  // TODO(05.4) begin: prepare, check and compute as RunOp does; give identities, record
  MINITF_TODO("05.4");
  // TODO(05.4) end
}

Value EagerEmitter::Add(const EagerTensor& tensor) {
  tensors_.emplace(tensor.id, tensor);
  return {tensor.id};
}

const EagerTensor& EagerEmitter::Get(Value value) const {
  Require(!value.is_none(), "none is used where a value belongs");
  const auto found = tensors_.find(value.id);
  Require(found != tensors_.end(), "value ", value.id, " is used, which is unknown");
  return found->second;
}

std::vector<Value> EagerEmitter::EmitCall(std::string_view op,
                                          const std::vector<Value>& inputs, Attrs attrs) {
  // TODO(05.4) begin: dispatch the call at once; values are found again by their ids
  MINITF_TODO("05.4");
  // TODO(05.4) end
}

}  // namespace minitf
