// OpKernel: how an op is computed, on one device and for one element type.
//
// A kernel is made once per node and computes once per step. What depends on attributes
// alone, such as reading the strides, belongs in the constructor. Two steps may compute
// with the same kernel at the same time, so Compute changes no member.
//
//   OpKernelConstruction   what the constructor sees: attributes, types, state
//   OpKernelContext        what Compute sees: the tensors of one step, memory, threads
//   AsyncOpKernel          a kernel that waits for something without holding a thread
//
// Compare    tensorflow/core/framework/op_kernel.h
// Read next  minitf/framework/elementwise.h

#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "minitf/base/status.h"
#include "minitf/base/thread_pool.h"
#include "minitf/framework/attrs.h"
#include "minitf/framework/op.h"
#include "minitf/framework/rendezvous.h"
#include "minitf/framework/resource.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

class Stream;

struct DeviceContext {
  Allocator* allocator = nullptr;
  ThreadPool* threads = nullptr;         ///< for one op on many cores
  ResourceManager* resources = nullptr;  ///< variables and other state
  Stream* stream = nullptr;              ///< copies and kernels of a card; null on a CPU
  /// Host memory, where the device has another. Null on a CPU.
  Allocator* host_allocator = nullptr;
  /// What kernels get that run on the host beside a card. Null on a CPU.
  const DeviceContext* host = nullptr;
};

/// The memory that holds a tensor of a kernel. On a CPU the two are the same.
enum class MemoryType : unsigned char { kDevice, kHost };

struct MemoryTypes {
  std::vector<MemoryType> inputs;
  std::vector<MemoryType> outputs;
};

struct StepContext {
  Rendezvous* rendezvous = nullptr;             ///< null where nothing is sent
  CancellationManager* cancellation = nullptr;  ///< null where nothing can be cancelled
};

/// For eager mode, and tests.
inline const StepContext kNoStep;

/// What the constructor of a kernel may ask.
class OpKernelConstruction {
 public:
  OpKernelConstruction(std::string_view node_name, const OpDef& op, const Attrs& attrs,
                       const Signature& signature, const DeviceContext& device,
                       MemoryTypes memory_types = {})
      : node_name_(node_name),
        op_(op),
        attrs_(attrs),
        signature_(signature),
        device_(device),
        memory_types_(std::move(memory_types)) {}

  /// Copies the attribute `name` to *value. InvalidArgument if it is not there, or holds
  /// another type.
  template <typename T>
  [[nodiscard]] Status GetAttr(std::string_view name, T* value) const;

  std::string_view node_name() const { return node_name_; }
  const OpDef& op() const { return op_; }
  const Attrs& attrs() const { return attrs_; }
  int num_inputs() const { return static_cast<int>(signature_.input_types.size()); }
  DType input_type(int i) const { return ElementAt(signature_.input_types, i, "input"); }
  int num_outputs() const { return static_cast<int>(signature_.output_types.size()); }
  DType output_type(int i) const {
    return ElementAt(signature_.output_types, i, "output");
  }
  const DeviceContext& device() const { return device_; }
  const MemoryTypes& memory_types() const { return memory_types_; }

  /// The first status that is not ok is kept.
  void SetStatus(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  const Status& status() const { return status_; }

 private:
  std::string_view node_name_;
  const OpDef& op_;
  const Attrs& attrs_;
  const Signature& signature_;
  const DeviceContext& device_;
  const MemoryTypes memory_types_;
  Status status_;
};

class AsyncOpKernel;
class OpKernel;

/// What Compute may touch during one step. The executor and eager dispatch make one for
/// each call, on the stack. Every index is checked; a wrong one throws InvalidArgument.
class OpKernelContext {
 public:
  /// `inputs` are this kernel's own copies: it may take one over with forward_input.
  OpKernelContext(std::span<Tensor> inputs, std::span<Tensor> outputs,  // NOLINT: long
                  std::span<const DType> output_types, const DeviceContext& device,
                  const StepContext& step = kNoStep, FrameAndIter frame_iter = {},
                  bool is_input_dead = false)
      : inputs_(inputs),
        outputs_(outputs),
        output_types_(output_types),
        device_(device),
        step_(step),
        frame_iter_(frame_iter),
        is_input_dead_(is_input_dead) {}

  OpKernelContext(const OpKernelContext&) = delete;
  OpKernelContext& operator=(const OpKernelContext&) = delete;

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  const Tensor& input(int i) const { return ElementAt(inputs_, i, "input"); }
  /// Input i, whose elements the kernel needs on the host to know what to do: a shape, an
  /// axis. Throws Internal unless the kernel is registered with HostMemory for it, on a
  /// CPU as well, so that every test of the kernel notices.
  const Tensor& host_input(int i) const;
  /// The state that input i points to, as a T. Throws InvalidArgument if it is another.
  template <typename T>
  std::shared_ptr<T> input_resource(int i) const;

  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  DType output_type(int i) const { return ElementAt(output_types_, i, "output"); }
  Tensor* output(int i) { return &ElementAt(outputs_, i, "output"); }
  void set_output(int i, Tensor value) { *output(i) = std::move(value); }

  /// Points *output to output i, which is made: in device memory, or as HostMemory says.
  [[nodiscard]] Status allocate_output(int i, const Shape& shape, Tensor** output);
  [[nodiscard]] Status allocate_output(int i, std::initializer_list<int64_t> shape,
                                       Tensor** output) {
    return allocate_output(i, Shape(shape), output);
  }

  /// Output i in the memory of an input in `candidates` that no other op needs and whose
  /// dtype and size fit; else in new memory. The kernel must read element j of all inputs
  /// before it writes element j.
  [[nodiscard]] Status forward_input_or_allocate_output(
      std::initializer_list<int> candidates, int i, const Shape& shape, Tensor** output);

  /// Device memory for this call only.
  [[nodiscard]] Status allocate_temp(DType dtype, const Shape& shape, Tensor* temp);

  const DeviceContext& device() const { return device_; }
  ThreadPool& threads() const { return *device_.threads; }
  Stream* stream() const { return device_.stream; }

  Rendezvous* rendezvous() const { return step_.rendezvous; }
  CancellationManager* cancellation() const { return step_.cancellation; }
  const FrameAndIter& frame_iter() const { return frame_iter_; }
  /// Whether an input comes from a branch that was not taken. Only kernels that handle
  /// dead tensors run then, such as that of Merge. An output without a value is dead.
  bool is_input_dead() const { return is_input_dead_; }

  /// The first status that is not ok is kept.
  void SetStatus(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  const Status& status() const { return status_; }

 private:
  friend void RunKernel(OpKernel* kernel, OpKernelContext* ctx);
  friend void RunKernelAsync(AsyncOpKernel* kernel, OpKernelContext* ctx,
                             std::function<void()> done);

  // On a CPU there is but one memory: nothing to choose, and nothing to check.
  bool has_two_memories() const { return device_.host_allocator != nullptr; }
  void Begin(const OpKernel& kernel) {
    kernel_ = &kernel;
    if (has_two_memories()) CheckInputs();
  }
  void End() {
    if (has_two_memories()) CheckOutputs();
  }
  void CheckInputs();
  void CheckOutputs();
  Status CheckMemory(std::string_view what, std::span<const Tensor> tensors,
                     std::span<const MemoryType> types) const;
  bool AreInOneMemory(int input, int output) const;

  const OpKernel* kernel_ = nullptr;  // null where Compute is called directly
  std::span<Tensor> inputs_;
  std::span<Tensor> outputs_;
  std::span<const DType> output_types_;
  const DeviceContext& device_;
  const StepContext& step_;
  const FrameAndIter frame_iter_;
  const bool is_input_dead_;
  Status status_;
};

class OpKernel {
 public:
  explicit OpKernel(OpKernelConstruction* construction)
      : memory_types_(construction->memory_types()), device_(&construction->device()) {}
  virtual ~OpKernel() = default;

  OpKernel(const OpKernel&) = delete;
  OpKernel& operator=(const OpKernel&) = delete;

  /// Makes the outputs, or calls ctx->SetStatus. May throw Error.
  virtual void Compute(OpKernelContext* ctx) = 0;

  /// False for kernels that only pass a tensor on, which need no other thread.
  virtual bool IsExpensive() const { return true; }

  /// This kernel, if it is an asynchronous one; else null.
  virtual AsyncOpKernel* AsAsync() { return nullptr; }

  /// Where it has its inputs and outputs, one entry each.
  const MemoryTypes& memory_types() const { return memory_types_; }

  /// That of its device, or of the host beside it.
  const DeviceContext& device() const { return *device_; }

 private:
  const MemoryTypes memory_types_;
  const DeviceContext* const device_;
};

/// A kernel that may wait, such as for an element of a queue, and holds no thread then.
class AsyncOpKernel : public OpKernel {
 public:
  using DoneCallback = std::function<void()>;
  using OpKernel::OpKernel;

  /// As Compute. Calls `done` once, from any thread, when outputs or status are set, and
  /// throws no more then.
  virtual void ComputeAsync(OpKernelContext* ctx, DoneCallback done) = 0;

  /// Waits for ComputeAsync: how eager mode runs it.
  void Compute(OpKernelContext* ctx) final;
  AsyncOpKernel* AsAsync() final { return this; }
};

/// Calls kernel->Compute(ctx), and leaves what it throws in ctx's status. An input or
/// output in the wrong memory makes the status Internal.
void RunKernel(OpKernel* kernel, OpKernelContext* ctx);

/// As above for ComputeAsync; if that throws, `done` is called here.
void RunKernelAsync(AsyncOpKernel* kernel, OpKernelContext* ctx,
                    AsyncOpKernel::DoneCallback done);

/// A type of devices; see minitf/runtime/devices/named_device.h.
enum class Device { kCpu, kGpu };

std::ostream& operator<<(std::ostream& out, Device device);

/// Which calls a kernel fits. An attribute that is not in `types` does not matter.
///
/// `label` names one of several kernels for the same calls; the attribute "_kernel" of a
/// node selects it. The kernel of the highest priority that fits runs.
struct KernelKey {
  std::string op;
  Device device = Device::kCpu;
  std::vector<std::pair<std::string, DType>> types;
  std::string label;
  int priority = 0;
};

/// "CPU for T=float32, label 'naive', priority 2": all but the op and defaults.
std::ostream& operator<<(std::ostream& out, const KernelKey& key);

using KernelFactory = std::function<std::unique_ptr<OpKernel>(OpKernelConstruction*)>;

struct KernelDef {
  KernelKey key;
  KernelFactory factory;
  /// Arguments that lie in host memory whatever the device is, by name.
  std::vector<std::string> host_memory;
  /// An attribute. In a call in which it is int32, all arguments lie in host memory.
  std::string host_memory_if_int32;
};

/// Every kernel of `op`, in the order of registration.
std::vector<const KernelDef*> KernelsOf(std::string_view op);

/// The names under which there are kernels, in alphabetical order.
std::vector<std::string> OpsWithKernels();

/// The kernel for a call of `op` with `attrs` on `device`. Throws NotFound, with the list
/// of kernels, if no kernel fits; InvalidArgument if two fit equally well.
const KernelDef& FindKernel(const OpDef& op, const Attrs& attrs, Device device);

/// The kernel that runs a call on a device, and where.
struct KernelChoice {
  const KernelDef* kernel = nullptr;
  /// It is one of the CPU, which runs on the host beside a card: all its arguments lie in
  /// the host's memory.
  bool is_on_host = false;
};

/// The kernel of `device`, or else of the CPU. Throws NotFound if there is neither.
KernelChoice ChooseKernel(const OpDef& op, const Attrs& attrs, Device device);

bool HasKernelOn(std::string_view op, Device device);

/// Throws InvalidArgument if `op` lacks an argument that `kernel` has in host memory.
void CheckHostMemory(const KernelDef& kernel, const OpDef& op);

/// The memory types of a call of `op`. Strings and resources lie in host memory. Throws
/// InvalidArgument if the kernel names an argument that the op does not have.
MemoryTypes MemoryTypesFor(const KernelChoice& choice, const OpDef& op,
                           const Attrs& attrs, const Signature& signature);

/// Finds the kernel and makes it. Throws what its constructor reports.
std::unique_ptr<OpKernel> MakeKernel(std::string_view node_name, const OpDef& op,
                                     const Attrs& attrs, const Signature& signature,
                                     Device kind, const DeviceContext& device);

/// Describes a kernel before its class:
///
///   REGISTER_KERNEL(Kernel("Cast").On(Device::kCpu).Type<float>("SrcT"), CastOp<float>);
///   REGISTER_KERNEL(Kernel("Reshape").On(Device::kCpu).HostMemory("shape"), ReshapeOp);
class Kernel {
 public:
  explicit Kernel(std::string_view op);
  ~Kernel();

  Kernel& On(Device device);
  /// For a kernel that touches no element on the host, but through StridedCopy, or in
  /// HostMemory.
  Kernel& OnAllDevices();
  template <typename T>
  Kernel& Type(std::string_view attr) {
    return Type(attr, DTypeOf<T>());
  }
  Kernel& Type(std::string_view attr, DType dtype);
  Kernel& Label(std::string_view label);
  Kernel& Priority(int priority);
  /// These inputs and outputs lie in host memory, on every device: the kernel reads or
  /// writes their elements on the host.
  template <typename... Names>
  Kernel& HostMemory(const Names&... arguments) {
    (def_.host_memory.emplace_back(arguments), ...);
    return *this;
  }
  /// All arguments do, in calls whose attribute `attr` is int32, as shapes and sizes are:
  /// the next HostMemory argument finds them on the host.
  Kernel& HostMemoryIfInt32(std::string_view attr);

  const KernelKey& key() const { return def_.key; }
  const KernelDef& def() const { return def_; }  ///< without a factory
  bool is_on_all_devices() const { return is_on_all_devices_; }

 private:
  KernelDef def_;
  bool is_on_all_devices_ = false;
};

struct KernelRegistrar {
  /// Throws AlreadyExists, such as "kernel Sin on CPU for T=float32 is registered twice",
  /// if there is a kernel with this key. Throws InvalidArgument for a HostMemory that the
  /// op, if it is registered, has no argument for.
  KernelRegistrar(const Kernel& kernel, KernelFactory factory);
  KernelRegistrar(const Kernel& kernel,
                  std::unique_ptr<OpKernel> (*factory)(OpKernelConstruction*));
};

/// The factory of a kernel that needs no more than its construction.
template <typename KernelClass>
std::unique_ptr<OpKernel> NewKernel(OpKernelConstruction* construction) {
  return std::make_unique<KernelClass>(construction);
}

/// Registers `KernelClass` under `kernel`. What REGISTER_KERNEL does at file scope, for a
/// function that registers a family of kernels.
template <typename KernelClass>
void RegisterKernel(const Kernel& kernel) {
  KernelRegistrar(kernel, &NewKernel<KernelClass>);
}

template <typename T>
Status OpKernelConstruction::GetAttr(std::string_view name, T* value) const {
  try {
    *value = attrs_.Get<T>(name);
    return {};
  } catch (const Error& error) {
    return error.status();
  }
}

template <typename T>
std::shared_ptr<T> OpKernelContext::input_resource(int i) const {
  const auto& resource = input(i).scalar<ResourceHandle>().get();
  auto typed = std::dynamic_pointer_cast<T>(resource);
  Require(typed != nullptr, "input ", i, " is ",
          resource ? resource->DebugString() : "no resource", ", not a ", T::kKind);
  return typed;
}

}  // namespace minitf

/// Adds a kernel: REGISTER_KERNEL(Kernel("Sin").On(Device::kCpu).Type<float>("T"),
/// SinOp<float>); the class comes last, so that commas in it do no harm.
#define REGISTER_KERNEL(kernel, ...)                                                 \
  static const ::minitf::KernelRegistrar MINITF_NAME(kKernelRegistrar, __COUNTER__)( \
      ::minitf::kernel, &::minitf::NewKernel<__VA_ARGS__>)

/// In a kernel: unless `condition`, leaves `status` in the context and returns.
#define OP_REQUIRES(ctx, condition, status) \
  do {                                      \
    if (!(condition)) {                     \
      (ctx)->SetStatus(status);             \
      return;                               \
    }                                       \
  } while (false)

/// In a kernel: unless `expression` gives an ok Status, leaves it and returns.
#define OP_REQUIRES_OK(ctx, expression)                         \
  do {                                                          \
    if (::minitf::Status result = (expression); !result.ok()) { \
      (ctx)->SetStatus(std::move(result));                      \
      return;                                                   \
    }                                                           \
  } while (false)
