// Passes: what is done to a step's graph before it runs.
//
// A pass changes the graph so that the step computes the same results with less work. The
// passes run in the order of one list:
//
//   graph     h = MatMul(x, Transpose(w))   y = Relu(h + b)   z = Relu(h + b)
//   rewrite   h = MatMul(x, w, transpose_b)
//   common_subexpression       z is y
//   prune     Transpose is gone, and so is the second Relu(h + b)
//   fusion    y = _FusedMatMul(x, w, b)
//
// The list runs until no pass changes the graph. A pass must not:
//
//   - change what is fetched, by more than rounding
//   - drop, repeat or reorder what has effects: assignments, prints, random numbers
//   - join nodes for which the user asked for different devices
//   - remove a target, or a name that could have stayed
//
// Compare    tensorflow/core/grappler/optimizers/meta_optimizer.h
// Read next  minitf/passes/use_table.h

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "minitf/framework/op_kernel.h"
#include "minitf/graph/step_graph.h"
#include "minitf/passes/graph_editor.h"

namespace minitf {

/// What the passes of a session may do.
struct PassOptions {
  /// The CPU, where constants are computed. Null: no constant is.
  const DeviceContext* cpu = nullptr;
  /// No pass makes a constant of more bytes.
  int64_t max_constant_bytes = int64_t{10} << 20;
  /// False: no pass runs at all, as with OptimizerOptions.L0.
  bool enabled = true;
  /// Passes that the user has switched on or off, by name. Others run if they are on by
  /// default.
  std::map<std::string, bool, std::less<>> switches;
  /// Whose kernels run on each device, by its name; the CPU's where nothing is said.
  std::map<std::string, Device, std::less<>> kernels;
  /// Whose kernels run `node`.
  Device KernelsOf(const Node& node) const;
  /// Switches the pass `name` on or off, or all of them if `name` is "all". TensorFlow's
  /// names, such as "remapping", stand for the passes that do the same here. Throws
  /// InvalidArgument for a name that is neither.
  void Set(std::string_view name, bool on);
};

/// `text` is a list such as "all=off,constant_folding=on"; "" is the default. The values
/// are on and off, in any case, and default, which changes nothing. Throws
/// InvalidArgument for anything else.
PassOptions ParsePassOptions(std::string_view text);

struct Pass {
  std::string_view name;
  std::vector<std::string_view> tensorflow_names = {};
  std::string_view doc;
  bool on_by_default = true;
  /// Whether it makes nodes that no other pass understands. These run at the end.
  bool fuses = false;
  /// Throws nothing that a user could cause.
  void (*run)(GraphEditor* editor, const PassOptions& options) = nullptr;
};

/// All passes, in the order in which they run.
std::span<const Pass> Passes();
bool IsOn(const Pass& pass, const PassOptions& options);

/// What one pass did in all iterations.
struct PassReport {
  std::string_view pass;
  int num_changes = 0;
  int num_nodes_before = 0;
  int num_nodes_after = 0;
};

/// Runs the passes that are on, until none of them changes anything. Requires: no other
/// thread uses the graph.
std::vector<PassReport> RunPasses(StepGraph* step, const PassOptions& options);

// ---- The passes, one file each --------------------------------------------------------

void Prune(GraphEditor* editor, const PassOptions& options);
void FoldConstants(GraphEditor* editor, const PassOptions& options);
void RewriteArithmetic(GraphEditor* editor, const PassOptions& options);
void ChangeLayout(GraphEditor* editor, const PassOptions& options);
void MergeCommonSubexpressions(GraphEditor* editor, const PassOptions& options);
void ComputePartsOfProducts(GraphEditor* editor, const PassOptions& options);
void JoinProductSums(GraphEditor* editor, const PassOptions& options);
void FuseProducts(GraphEditor* editor, const PassOptions& options);
void FuseElementwise(GraphEditor* editor, const PassOptions& options);

}  // namespace minitf
