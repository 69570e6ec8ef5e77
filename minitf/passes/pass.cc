// The list of passes, and running them until they find nothing more.

#include "minitf/passes/pass.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "minitf/base/logging.h"
#include "minitf/base/text.h"
#include "minitf/graph/graph_text.h"
#include "minitf/graph/topological_order.h"

namespace minitf {
namespace {

// Almost every graph needs two iterations; this limit is for one made to be hard.
constexpr int kMaxIterations = 20;

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return std::tolower(c); });
  return lower;
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// A fed tensor may have another value than the node that it stands for, and shapes that
// were worked out from that value are worked out again. Only integers are sizes.
void ForgetValuesOfFeeds(StepGraph* step) {
  std::vector<char> depends(step->graph->num_nodes());
  bool any = false;
  for (const Node* arg : step->args) {
    const DType dtype = arg->output_type(0);
    depends[arg->id()] = dtype == DType::kInt32 || dtype == DType::kInt64;
    any |= depends[arg->id()] != 0;
  }
  if (!any) return;
  for (Node* node : TopologicalOrder(step->graph->nodes())) {
    for (const Output& input : node->inputs())
      depends[node->id()] |= depends[input.node->id()];
    if (!depends[node->id()] || node->inputs().empty() || node->role() == OpRole::kMerge)
      continue;
    try {
      step->graph->UpdateInput(node, 0, node->inputs()[0]);
    } catch (const Error& error) {
      VLOG(2) << node->Describe() << " will fail: " << error.status().message();
    }
  }
}

void LogGraph(std::string_view when, const Graph& graph) {
  VLOG(3) << "graph " << when << " passes:\n" << GraphText(graph) << GraphDot(graph);
}

// Runs one pass. Returns whether it changed anything.
bool RunPass(const Pass& pass, const PassOptions& options, GraphEditor* editor,
             PassReport* report) {
  const auto before = static_cast<int>(editor->InOrder().size());
  editor->BeginPass(pass.name);
  pass.run(editor, options);
  const auto after = static_cast<int>(editor->InOrder().size());
  if (report->num_nodes_before == 0) report->num_nodes_before = before;
  report->num_nodes_after = after;
  report->num_changes += editor->num_changes();
  VLOG(1) << "pass " << pass.name << ": " << before << " nodes before, " << after
          << " after, " << editor->num_changes() << " changes";
  return editor->num_changes() > 0;
}

// A pass that is on, and the version of the graph in which it found nothing more.
struct ActivePass {
  const Pass* pass = nullptr;
  int64_t done_with = -1;
};

// Goes through the passes, without those that fuse if so told, until none changes
// anything.
void RunUntilDone(std::vector<ActivePass>* passes, const PassOptions& options,
                  bool may_fuse, GraphEditor* editor, std::vector<PassReport>* reports) {
  bool changed = true;
  for (int iteration = 0; changed && iteration < kMaxIterations; ++iteration) {
    changed = false;
    for (size_t i = 0; i < passes->size(); ++i) {
      auto& [pass, done_with] = (*passes)[i];
      if (done_with == editor->graph().version() || (pass->fuses && !may_fuse)) continue;
      const bool found_something = RunPass(*pass, options, editor, &(*reports)[i]);
      if (!found_something) done_with = editor->graph().version();
      changed |= found_something;
    }
  }
}

}  // namespace

std::span<const Pass> Passes() {
  static const auto& passes = *new std::vector<Pass>{
      {.name = "prune",
       .tensorflow_names = {"pruning", "dependency_optimization"},
       .doc = "Removes what is not needed: nodes, identities, waiting for nothing.",
       .run = Prune},
      {.name = "constant_folding",
       .tensorflow_names = {"constant_folding"},
       .doc = "Computes what depends on constants alone, once.",
       .run = FoldConstants},
      {.name = "rewrite",
       .tensorflow_names = {"arithmetic_optimization"},
       .doc = "Uses rules of arithmetic: x * 1, transposes that cancel, reshapes.",
       .run = RewriteArithmetic},
      {.name = "layout",
       .tensorflow_names = {"layout_optimizer"},
       .doc = "Turns images between [N,C,H,W] and [N,H,W,C] once for a chain of nodes.",
       .run = ChangeLayout},
      {.name = "common_subexpression",
       .tensorflow_names = {"common_subgraph_elimination"},
       .doc = "Computes once what is computed twice from the same inputs.",
       .run = MergeCommonSubexpressions},
      {.name = "product_parts",
       .doc = "Computes of a product only the part that is used.",
       .run = ComputePartsOfProducts},
      {.name = "product_sums",
       .doc = "Makes one product of many that are added up.",
       .run = JoinProductSums},
      {.name = "fusion",
       .tensorflow_names = {"remapping"},
       .doc = "Joins a product with its bias, activation and scale.",
       .fuses = true,
       .run = FuseProducts},
      {.name = "elementwise_fusion",
       .doc = "Joins trees of element-wise ops into one kernel.",
       .fuses = true,
       .run = FuseElementwise},
  };
  return passes;
}

Device PassOptions::KernelsOf(const Node& node) const {
  const auto found = kernels.find(node.device());
  return found == kernels.end() ? Device::kCpu : found->second;
}

void PassOptions::Set(std::string_view name, bool on) {
  bool found = false;
  std::vector<std::string> names;
  for (const Pass& pass : Passes()) {
    names.emplace_back(pass.name);
    const bool is_meant = name == "all" || name == pass.name ||
                          std::ranges::count(pass.tensorflow_names, name) > 0;
    if (!is_meant) continue;
    switches.insert_or_assign(std::string(pass.name), on);
    found = true;
  }
  Require(found, "there is no pass '", name, "', the passes are ", Join(names, ", "),
          DidYouMean(name, names));
}

PassOptions ParsePassOptions(std::string_view text) {
  PassOptions options;
  while (!text.empty()) {
    const std::string_view entry = Trimmed(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(text.size(), text.find(',')));
    if (!text.empty()) text.remove_prefix(1);
    const size_t equals = entry.find('=');
    Require(equals != std::string_view::npos,
            "expected pass=on, pass=off or "
            "pass=default, got '",
            entry, "'");
    const std::string_view name = Trimmed(entry.substr(0, equals));
    const std::string value = LowerCase(Trimmed(entry.substr(equals + 1)));
    Require(value == "on" || value == "off" || value == "default", "pass '", name,
            "' is switched on, off or default, not '", value, "'");
    if (value == "default") {
      PassOptions().Set(name, true);  // the name is checked all the same
    } else {
      options.Set(name, value == "on");
    }
  }
  return options;
}

bool IsOn(const Pass& pass, const PassOptions& options) {
  if (!options.enabled) return false;
  const auto found = options.switches.find(pass.name);
  return found == options.switches.end() ? pass.on_by_default : found->second;
}

std::vector<PassReport> RunPasses(StepGraph* step, const PassOptions& options) {
  std::vector<ActivePass> passes;
  std::vector<PassReport> reports;
  for (const Pass& pass : Passes()) {
    if (!IsOn(pass, options)) continue;
    passes.push_back({&pass});
    reports.push_back({.pass = pass.name});
  }
  if (passes.empty()) return reports;

  ForgetValuesOfFeeds(step);
  LogGraph("before", *step->graph);
  GraphEditor editor(step);
  RunUntilDone(&passes, options, /*may_fuse=*/false, &editor, &reports);
  RunUntilDone(&passes, options, /*may_fuse=*/true, &editor, &reports);
  LogGraph("after", *step->graph);
  return reports;
}

}  // namespace minitf
