// Gradients of graphs, and the values of constant outputs.

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "minitf/c/c_api_gradients.h"
#include "minitf/c/graph/graph_objects.h"
#include "minitf/graph/gradients/graph_gradients.h"
#include "minitf/graph/topological_order.h"
#include "minitf/runtime/session.h"

namespace minitf::c {
namespace {

struct GradientArguments {
  TF_Output* y;
  int ny;
  TF_Output* x;
  int nx;
  TF_Output* dx;
};

// The sum of the slices as one tensor: UnsortedSegmentSum(values, indices, rows).
Output Densified(Graph* graph, const std::string& scope,
                 const std::vector<Output>& parts) {
  const auto scalar = [](int32_t value) { return Tensor::Of<int32_t>({1}, {value}); };
  const auto constant = [&](int32_t value) {
    return Output{graph->AddConstant(scalar(value), scope + "/dense/Const"), 0};
  };
  const Output begin = constant(0);
  const Output end = constant(1);
  NodeSpec rows;
  rows.op = "StridedSlice";
  rows.name = scope + "/dense/rows";
  rows.inputs = {parts.at(2), begin, end, end};
  rows.attrs = {{"shrink_axis_mask", int64_t{1}}};
  Node* const num_rows = graph->AddNode(std::move(rows));
  NodeSpec sum;
  sum.op = "UnsortedSegmentSum";
  sum.name = scope + "/dense/sum";
  sum.inputs = {parts.at(0), parts.at(1), {num_rows, 0}};
  return {graph->AddNode(std::move(sum)), 0};
}

void Differentiate(TF_Graph* handle, const char* prefix, const GradientArguments& given,
                   TF_Output* dy) {
  const auto target = Graphs::Get(handle, "g");
  Graph& graph = *target->graph;
  const auto ys = OutputsIn(graph, given.y, given.ny, "y");
  const auto xs = OutputsIn(graph, given.x, given.nx, "x");
  RequireList(dy, given.nx, "dy");
  std::vector<Output> dys(ys.size());
  if (given.dx != nullptr) dys = OutputsIn(graph, given.dx, given.ny, "dx");
  for (size_t i = 0; given.dx != nullptr && i < dys.size(); ++i) {
    Require(dys[i].dtype() == ys[i].dtype(), "dx[", i, "] is ", dys[i].dtype(),
            "; expected ", ys[i].dtype(), ", as y[", i, "] is");
  }

  const std::lock_guard lock(target->names);
  GradientPlacement placement;
  placement.scope = graph.UniqueName(prefix == nullptr ? "gradients" : prefix,
                                     /*mark_as_used=*/false);
  if (prefix != nullptr) {
    RequireFreePrefix(graph, prefix);
    Require(placement.scope == prefix, "the prefix '", prefix, "' is in use");
  }
  const auto gradients = GraphGradients(&graph, ys, xs, dys, {}, placement);
  for (size_t i = 0; i < gradients.size(); ++i) {
    const std::vector<Output>& parts = gradients[i];
    const bool is_dense = parts.size() < 2;
    if (parts.empty()) {
      dy[i] = {nullptr, -1};
    } else {
      dy[i] = OutputToC(is_dense ? parts[0] : Densified(&graph, placement.scope, parts));
    }
  }
}

// Whether a step computes the node without feeds, and always computes the same.
bool IsConstant(const Node* node) {
  const OpFacts& facts = node->facts();
  const bool computes = facts.role == OpRole::kKernel || facts.role == OpRole::kConstant;
  return computes && facts.state == StateUse::kNone && !facts.depends_on_outside;
}

bool DependsOnConstants(const Graph& graph, Output output) {
  const std::shared_lock reading(graph.mutex());
  return std::ranges::all_of(Ancestors({output.node}, {}), &IsConstant);
}

}  // namespace
}  // namespace minitf::c

namespace c = minitf::c;

void TF_AddGradients(TF_Graph* g, TF_Output* y, int ny, TF_Output* x, int nx,
                     TF_Output* dx, TF_Status* status, TF_Output* dy) {
  TF_AddGradientsWithPrefix(g, nullptr, y, ny, x, nx, dx, status, dy);
}

void TF_AddGradientsWithPrefix(TF_Graph* g, const char* prefix, TF_Output* y, int ny,
                               TF_Output* x, int nx, TF_Output* dx, TF_Status* status,
                               TF_Output* dy) {
  c::Guarded(status, [&] { c::Differentiate(g, prefix, {y, ny, x, nx, dx}, dy); });
}

unsigned char TF_TryEvaluateConstant(TF_Graph* graph, TF_Output output,
                                     TF_Tensor** result, TF_Status* status) {
  if (result != nullptr) *result = nullptr;
  return c::Guarded<unsigned char>(status, 0, [&] {
    c::NotNull(result, "result");
    const auto target = c::Graphs::Get(graph, "graph");
    const minitf::Output at = c::OutputIn(*target->graph, output, "output");
    if (!c::DependsOnConstants(*target->graph, at)) return 0;
    c::Guarded(nullptr, [&] {  // a computation that fails has no value
      minitf::SessionOptions options;
      options.allow_soft_placement = true;
      options.devices.device_count["GPU"] = 0;
      minitf::Session session(target->graph, options);
      minitf::RunRequest request;
      request.fetches = {at};
      *result = c::TensorToC(session.Run(request, {}).at(0)).release();
    });
    return *result == nullptr ? 0 : 1;
  });
}
