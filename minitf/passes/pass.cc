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

// Two rounds do for almost every graph; more than these only for one made to be hard.
constexpr int kMaxRounds = 20;

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
    if (!depends[node->id()] || node->inputs().empty() || node->type() == "Merge")
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
bool RunPass(const Pass& pass, const PassOptions& options, StepGraph* step,
             PassReport* report) {
  const auto before = static_cast<int>(step->graph->nodes().size());
  const int num_changes = pass.run(step, options);
  const auto after = static_cast<int>(step->graph->nodes().size());
  if (report->num_nodes_before == 0) report->num_nodes_before = before;
  report->num_nodes_after = after;
  report->num_changes += num_changes;
  VLOG(1) << "pass " << pass.name << ": " << before << " nodes before, " << after
          << " after, " << num_changes << " changes";
  return num_changes > 0;
}

}  // namespace

std::span<const Pass> Passes() {
  static const Pass kPasses[] = {
      {"prune", "dependency_optimization",
       "Removes what nobody needs: nodes, identities, and waiting that changes nothing.",
       true, Prune},
      {"constant_folding", "constant_folding",
       "Computes what depends on constants alone, once.", true, FoldConstants},
      {"rewrite", "arithmetic_optimization",
       "Uses rules of arithmetic: x * 1, transposes that cancel, chains of reshapes.",
       true, RewriteArithmetic},
      {"common_subexpression", "common_subgraph_elimination",
       "Computes once what is computed twice from the same inputs.", true,
       MergeCommonSubexpressions},
  };
  return kPasses;
}

void PassOptions::Set(std::string_view name, bool on) {
  bool found = false;
  std::vector<std::string> names;
  for (const Pass& pass : Passes()) {
    names.emplace_back(pass.name);
    if (name != "all" && name != pass.name && name != pass.tensorflow_name) continue;
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
  std::vector<const Pass*> passes;
  std::vector<PassReport> reports;
  for (const Pass& pass : Passes()) {
    if (!IsOn(pass, options)) continue;
    passes.push_back(&pass);
    reports.push_back({.pass = pass.name});
  }
  if (passes.empty()) return reports;

  ForgetValuesOfFeeds(step);
  LogGraph("before", *step->graph);
  bool changed = true;
  for (int round = 0; changed && round < kMaxRounds; ++round) {
    changed = false;
    for (size_t i = 0; i < passes.size(); ++i) {
      changed |= RunPass(*passes[i], options, step, &reports[i]);
    }
  }
  LogGraph("after", *step->graph);
  return reports;
}

}  // namespace minitf
