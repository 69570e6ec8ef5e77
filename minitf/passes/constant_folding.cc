// Constant folding: what depends on constants alone is computed now, once, not in every
// step.
//
//   a = Const 2   b = Const 3   c = Mul(a, b)      c = Const 6
//   s = Shape(x), where x is [4,5]                 s = Const [4,5]
//
// The node's own CPU kernel computes, so the result has the bits that the step would have
// given. Which ops may be folded, their OpFacts say, and that there is a kernel for the
// CPU. Not folded is
//
//   - what is not a function of its inputs: a random number, a read of a variable
//   - what would make the graph large: a Fill of a million elements from two numbers
//   - what fails: the step shall fail, if it ever comes to that node
//   - what comes from another device than was asked for the node
//
// A constant that stands for a node waits for what the node waited for. In a graph with
// branches and loops, that is what says whether and how often it runs.
//
// Exercise   exercises/07_passes
// Compare    tensorflow/core/grappler/optimizers/constant_folding.cc,
//            tensorflow/core/common_runtime/constant_folding.cc
// Read next  minitf/passes/rewrite.cc

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "minitf/base/logging.h"
#include "minitf/passes/graph_editor.h"
#include "minitf/passes/pass.h"

namespace minitf {
namespace {

// A result of at most so many bytes may be larger than what it is computed from.
constexpr int64_t kSmallBytes = 100 << 10;

// Host memory up to a limit, since the size of a result may depend on values: a segment
// sum may ask for a terabyte. Requires: it outlives what it gave.
class LimitedAllocator final : public Allocator {
 public:
  explicit LimitedAllocator(int64_t limit) : left_(limit) {}

  void* Allocate(size_t bytes) override {
    if (static_cast<int64_t>(bytes) > left_) return nullptr;
    left_ -= static_cast<int64_t>(bytes);
    return CpuAllocator().Allocate(bytes);
  }
  void Free(void* memory, size_t bytes) override {
    left_ += static_cast<int64_t>(bytes);
    CpuAllocator().Free(memory, bytes);
  }
  Stats stats() const override { return {}; }

 private:
  int64_t left_;  // one thread allocates: the one that folds
};

// The bytes of all outputs, if they are known, and all inputs.
std::optional<int64_t> KnownOutputBytes(const Node& node) {
  int64_t bytes = 0;
  for (int i = 0; i < node.num_outputs(); ++i) {
    const PartialShape& shape = node.output_shape(i);
    if (!shape.IsFullyKnown()) return {};
    bytes += shape.num_elements() * static_cast<int64_t>(SizeOf(node.output_type(i)));
  }
  return bytes;
}

int64_t InputBytes(const Node& node) {
  int64_t bytes = 0;
  for (const Output& input : node.inputs()) {
    bytes += static_cast<int64_t>(ConstantOf(input)->num_bytes());
  }
  return bytes;
}

class Folder {
 public:
  Folder(GraphEditor* editor, const PassOptions& options)
      : editor_(*editor), options_(options) {}

  void Run() {
    for (const int id : editor_.InOrder()) {
      Node* node = editor_.node(id);
      if (node == nullptr || editor_.IsKept(node)) continue;
      if (MaterializeShape(node)) continue;
      if (IsFoldable(*node)) Fold(node);
    }
  }

 private:
  bool IsFoldable(const Node& node) const {
    // LAB(07.1) begin: return whether the node may be computed now
    if (options_.cpu == nullptr || !IsPure(node)) return false;
    if (node.inputs().empty() || node.num_outputs() == 0) return false;
    for (const Output& constant : node.inputs()) {
      if (ConstantOf(constant) == nullptr) return false;
      if (constant.node->device() != node.device()) return false;
    }
    return !editor_.UsesOf(&node).empty() && FitsLimit(KnownOutputBytes(node), node);
    // LAB(07.1) end
  }

  // Whether a result of `bytes`, if they are known, is not too large a constant.
  bool FitsLimit(std::optional<int64_t> bytes, const Node& node) const {
    // LAB(07.1) begin: return it; kSmallBytes, and what goes in, are measures
    if (!bytes) return InputBytes(node) <= kSmallBytes;
    if (*bytes > options_.max_constant_bytes) return false;
    return *bytes <= kSmallBytes || *bytes <= 2 * InputBytes(node);
    // LAB(07.1) end
  }

  void Fold(Node* node) {
    std::optional<std::vector<Tensor>> values = Evaluate(*node);
    if (!values) return;
    std::vector<Node*> control_inputs;
    // LAB(07.2) begin: add what the constants have waited for
    for (const Output& constant : node->inputs()) {
      for (Node* control_input : constant.node->control_inputs()) {
        control_inputs.push_back(control_input);
      }
    }
    // LAB(07.2) end
    PutConstants(node, *values, control_inputs);
  }

  // What `node` gives; nothing if it fails.
  std::optional<std::vector<Tensor>> Evaluate(const Node& node) const {
    LimitedAllocator allocator(options_.max_constant_bytes);
    DeviceContext device = *options_.cpu;
    device.allocator = &allocator;
    try {
      const auto kernel = MakeKernel(node.name(), node.op(), node.attrs(),
                                     node.signature(), Device::kCpu, device);
      if (kernel->AsAsync() != nullptr) return {};
      std::vector<Tensor> inputs;
      for (const Output& input : node.inputs()) inputs.push_back(*ConstantOf(input));
      std::vector<Tensor> outputs(node.num_outputs());
      OpKernelContext ctx(inputs, outputs, node.signature().output_types, device);
      RunKernel(kernel.get(), &ctx);
      ThrowIfError(ctx.status());
      int64_t bytes = 0;
      for (Tensor& output : outputs) {
        if (!output.has_value()) return {};
        bytes += static_cast<int64_t>(output.num_bytes());
        output = Kept(node, output);
      }
      if (!FitsLimit(bytes, node)) return {};
      return outputs;
    } catch (const Error& error) {
      VLOG(2) << "constant_folding: " << node.Describe()
              << " is not folded: " << error.status().message();
      return {};
    }
  }

  // `value` in memory that outlives the limited allocator.
  static Tensor Kept(const Node& node, const Tensor& value) {
    for (const Output& input : node.inputs()) {
      if (ConstantOf(input)->SharesBufferWith(value)) return value;
    }
    return value.Clone();
  }

  // What reads no more than shapes, and what is made of that, such as one size of a shape
  // of which the others are not known.
  bool MaterializeShape(Node* node) {
    if (node->inputs().empty() || node->num_outputs() != 1) return false;
    const OpFacts& first = node->inputs()[0].node->facts();
    const bool is_part = first.reads_shapes_only && IsPure(*node);
    if (!node->facts().reads_shapes_only && !is_part) return false;
    if (ConstantOf(node->inputs()[0]) != nullptr || first.is_control_flow()) return false;
    const std::optional<Tensor> value = editor_.graph().ConstantValue(node->output(0));
    if (!value) return false;

    std::vector<Node*> control_inputs;
    // LAB(07.2) begin: add what the constant has to wait for in the tensor's place
    // A node that waited for the shape has so far waited for the tensor, too.
    for (const Output& source : node->inputs()) {
      if (ConstantOf(source) != nullptr) {
        const std::vector<Node*>& waits = source.node->control_inputs();
        control_inputs.insert(control_inputs.end(), waits.begin(), waits.end());
        continue;
      }
      if (editor_.has_control_flow() || editor_.DependsOnState(source.node)) {
        control_inputs.push_back(source.node);
      }
    }
    // LAB(07.2) end
    return PutConstants(node, {*value}, control_inputs);
  }

  // Puts a Const in the place of `node`; one for each output, if there are several.
  bool PutConstants(Node* node, const std::vector<Tensor>& values,
                    const std::vector<Node*>& control_inputs) {
    if (values.size() == 1) {
      return editor_.Replace(node, ConstSpec(values[0], control_inputs)) != nullptr;
    }
    bool changed = false;
    std::vector<Node*> waits = node->control_inputs();
    waits.insert(waits.end(), control_inputs.begin(), control_inputs.end());
    for (size_t i = 0; i < values.size(); ++i) {
      const Output output = node->output(static_cast<int>(i));
      if (!HasDataUse(output)) continue;
      NodeSpec spec = ConstSpec(values[i], waits);
      spec.name = StrCat(node->name(), "/output_", i);
      spec.device = node->device();
      spec.origin = node->origin();
      Node* constant = editor_.Add(std::move(spec));
      if (editor_.MoveUsesOfOutput(output, constant->output(0))) {
        changed = true;
      } else {
        editor_.Discard(constant);
      }
    }
    editor_.RemoveIfUseless(node->id());
    return changed;
  }

  bool HasDataUse(const Output& output) const {
    return std::ranges::any_of(editor_.UsesOf(output.node), [&](const Use& use) {
      return use.output == output.index;
    });
  }

  static NodeSpec ConstSpec(const Tensor& value,
                            const std::vector<Node*>& control_inputs) {
    NodeSpec spec;
    spec.op = "Const";
    spec.attrs = {{"value", value}, {"dtype", value.dtype()}};
    spec.control_inputs = control_inputs;
    return spec;
  }

  GraphEditor& editor_;
  const PassOptions& options_;
};

}  // namespace

void FoldConstants(GraphEditor* editor, const PassOptions& options) {
  Folder(editor, options).Run();
}

}  // namespace minitf
