// Gradients of a graph: tf.gradients, as nodes added to the same graph.
//
// The nodes between xs and ys become a program (gradient_program.h), in which a loop
// counts as one call. AddGradients (gradients/add_gradients.h) goes through it backwards,
// and a GraphEmitter makes a node of every call that the gradient functions ask for.
//
// Compare    tensorflow/python/ops/gradients_util.py
// Read next  minitf/graph/flow_map.h

#pragma once

#include <vector>

#include "minitf/graph/graph.h"
#include "minitf/graph/graph_emitter.h"

namespace minitf {

/// dL/dx for every x, where L is the sum of ys, each weighted by its dys (an Output
/// without a node stands for ones). Of each gradient the parts: none where L does not
/// depend on x, one, or the three of IndexedSlices. Throws as AddGradients does,
/// InvalidArgument for ys and xs that are inside of loops that the caller is not in, and
/// Unimplemented for what loops have no gradient of.
std::vector<std::vector<Output>> GraphGradients(Graph* graph,
                                                const std::vector<Output>& ys,
                                                const std::vector<Output>& xs,
                                                const std::vector<Output>& dys,
                                                const std::vector<Output>& stop_gradients,
                                                const GradientPlacement& placement = {});

}  // namespace minitf
