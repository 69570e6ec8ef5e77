// OpFacts: what the runtime has to know of an op besides its inputs and outputs.
//
// A pass, the placer and the executor ask the op, and keep no lists of names: so a new
// op, also one from a user's library, says for itself how it is treated. What is said of
// an op holds for its kernels on every device. The values below are the careful ones: an
// op that says nothing is treated correctly, if perhaps slowly.
//
// Compare    tensorflow/core/graph/graph.h (NodeClass), grappler/op_types.cc
// Read next  minitf/framework/shape_inference.h

#pragma once

namespace minitf {

/// What the executor does with the nodes of an op. All but those of kKernel are few: they
/// carry values in and out of a step, from device to device, through branches and loops.
enum class OpRole : unsigned char {
  kKernel,  ///< runs its kernel, and that is all
  kConstant,
  kArg,     ///< a tensor that is fed
  kRetval,  ///< a tensor that is fetched
  kSend,
  kReceive,
  kSwitch,
  kMerge,
  kEnter,
  kExit,
  kNextIteration,
  kLoopCond,
  kControlTrigger,
  kNoOp,  ///< only waits, and is waited for
};

/// What an op has to do with state, such as a variable, a queue, a generator of random
/// numbers, or the terminal. Of an op that uses state in any of these ways, two calls are
/// never made one.
enum class StateUse : unsigned char {
  kNone,     ///< the outputs depend on the inputs and attributes alone
  kNames,    ///< it gives a handle or a feed, and looks at nothing behind it
  kReads,    ///< whether it runs matters to its own result only: it may be left out
  kChanges,  ///< it runs even if its outputs are not used
};

struct OpFacts {
  OpRole role = OpRole::kKernel;
  StateUse state = StateUse::kNone;
  /// The result depends on more than inputs and state: on a feed, or on files.
  bool depends_on_outside = false;
  /// Once gradients have been made, the only output is the only input.
  bool is_identity = false;
  /// Output 0 has the elements of input 0 in the same memory, perhaps in another shape.
  bool hands_on_input = false;
  /// The outputs share memory that outlives the node, such as that of a variable: kernels
  /// may not write to them, and their memory is not planned.
  bool lends_outputs = false;
  /// No output lies in the memory of an input, unless it is one of the first
  /// `num_forwarded_inputs`.
  bool has_fresh_outputs = false;
  /// A stateful op that has read its inputs when it ends, and keeps none of them.
  bool releases_inputs = false;
  /// All that the op reads of its inputs is their shapes.
  bool reads_shapes_only = false;
  /// Works with the host itself, such as its files or its Python: no card has a kernel of
  /// it, and an emulated GPU does not borrow the CPU's. Of an op that a card runs but for
  /// some arguments, the kernel says so: HostMemory in op_kernel.h.
  bool is_host_only = false;
  /// The only output may take the memory of each of the first so many inputs, if shape
  /// and type are the same and no other node needs the input.
  int num_forwarded_inputs = 0;

  bool is_control_flow() const {
    return role >= OpRole::kSwitch && role <= OpRole::kControlTrigger;
  }
};

}  // namespace minitf
