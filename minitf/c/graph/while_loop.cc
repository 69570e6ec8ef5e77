// TF_NewWhile: two small graphs become a loop of the large one.
//
//   name/Enter          takes a loop variable into the loop
//   name/Merge          the variable in this iteration: of Enter or of NextIteration
//   name/cond/...       the condition graph, of the Merges
//   name/LoopCond       whether to go on
//   name/Switch         sends the variable to Exit or to the body
//   name/body/...       the body graph, of the Identities behind the Switches
//   name/NextIteration  the next value
//   name/Exit           the result
//
// The loop is written as a GraphDef and imported, since an import closes loops and adds
// all nodes or none.
//
// Compare    tensorflow/c/c_api.cc, TF_FinishWhile; core/graph/while_context.h;
//            tensorflow/cc/ops/while_loop.cc

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "minitf/c/c_api_gradients.h"
#include "minitf/c/graph/graph_objects.h"
#include "minitf/graph/graph_def.h"
#include "minitf/graph/import_graph_def.h"
#include "minitf/protos/graph.pb.h"

namespace minitf::c {

/// A loop that is being built. Its condition graph has it.
struct WhileState {
  std::shared_ptr<TF_Graph> target;
  std::vector<Output> inputs;
  TF_Graph* body = nullptr;
  std::vector<TF_Output> cond_inputs;
  std::vector<TF_Output> body_inputs;
  std::vector<TF_Output> body_outputs;

  ~WhileState() { TF_DeleteGraph(body); }
};

namespace {

// Adds a placeholder for each loop variable.
std::vector<TF_Output> AddVariables(const std::vector<Output>& inputs,
                                    const std::string& name, Graph* graph) {
  std::vector<TF_Output> variables;
  for (const Output& input : inputs) {
    NodeSpec spec;
    spec.op = "Placeholder";
    spec.name = StrCat(name, variables.size());
    spec.attrs = {{"dtype", input.dtype()}};
    variables.push_back({OperOf(graph->AddNode(std::move(spec))), 0});
  }
  return variables;
}

// Writes the loop.
class LoopWriter {
 public:
  LoopWriter(const WhileState& state, const TF_WhileParams& params,
             const Graph& cond_graph)
      : state_(state), params_(params), cond_graph_(cond_graph), name_(params.name) {}

  proto::GraphDef Write() {
    const int count = num_variables();
    for (int i = 0; i < count; ++i) {
      auto* const enter = Add("Enter", i, {StrCat(name_, "/input:", i)});
      (*enter->mutable_attr())["frame_name"].set_s(name_);
      Add("Merge", i, {Name("Enter", i), Name("NextIteration", i)});
    }
    const Output condition = Condition();
    const auto in_condition = AddGraph(cond_graph_, "cond", state_.cond_inputs, "Merge");
    Add("LoopCond", 0, {in_condition(condition)});
    for (int i = 0; i < count; ++i) {
      Add("Switch", i, {Name("Merge", i), Name("LoopCond", 0)});
      Add("Identity", i, {Name("Switch", i) + ":1"});
      Add("Exit", i, {Name("Switch", i)});
    }
    const auto body_graph = Graphs::Get(state_.body, "body_graph");
    const auto in_body =
        AddGraph(*body_graph->graph, "body", state_.body_inputs, "Identity");
    for (int i = 0; i < count; ++i) {
      Add("NextIteration", i, {in_body(BodyOutput(*body_graph->graph, i))});
    }
    return std::move(def_);
  }

  ImportOptions Options() const {
    ImportOptions options;
    for (int i = 0; i < num_variables(); ++i) {
      options.input_map[{name_ + "/input", i}] = state_.inputs[i];
      options.return_tensors.push_back({Name("Exit", i), 0});
    }
    return options;
  }

 private:
  int num_variables() const { return static_cast<int>(state_.inputs.size()); }

  std::string Name(const std::string& op, int i) const {
    return i == 0 ? StrCat(name_, '/', op) : StrCat(name_, '/', op, '_', i);
  }

  proto::NodeDef* Add(const std::string& op, int i,
                      const std::vector<std::string>& inputs) {
    proto::NodeDef* const node = def_.add_node();
    node->set_name(Name(op, i));
    node->set_op(op);
    for (const std::string& input : inputs) node->add_input(input);
    return node;
  }

  Output Condition() const {
    const Output condition = OutputIn(cond_graph_, params_.cond_output, "cond_output");
    Require(condition.dtype() == DType::kBool, "cond_output ", condition.name(), " is ",
            condition.dtype(), "; expected bool");
    Require(condition.shape().IsCompatibleWith(Shape{}), "cond_output ", condition.name(),
            " has shape ", condition.shape(), "; expected a scalar");
    return condition;
  }

  Output BodyOutput(const Graph& body_graph, int i) const {
    const Output output = OutputIn(body_graph, state_.body_outputs[i], "body_outputs");
    const DType expected = state_.inputs[i].dtype();
    Require(output.dtype() == expected, "body_outputs[", i, "], ", output.name(), ", is ",
            output.dtype(), "; expected ", expected, ", as the input is");
    return output;
  }

  // Adds the nodes of `graph`, where `variables` are the outputs of nodes `op`. Returns a
  // function that names the outputs of the graph in the loop.
  std::function<std::string(const Output&)> AddGraph(
      const Graph& graph, const std::string& folder,
      const std::vector<TF_Output>& variables, const std::string& op) {
    std::map<std::string, std::string, std::less<>> names;
    for (const TF_Output& variable : variables) {
      names[NodeOf(variable.oper)->name()] = Name(op, static_cast<int>(names.size()));
    }
    const std::string prefix = StrCat(name_, '/', folder, '/');
    const auto rename = [names, prefix](std::string_view name) {
      const auto variable = names.find(name);
      return variable == names.end() ? StrCat(prefix, name) : variable->second;
    };
    proto::GraphDef def;
    GraphToProto(graph, {}, &def);
    for (proto::NodeDef& node : *def.mutable_node()) {
      if (names.contains(node.name())) continue;
      RenameIn(&node, rename);
      // A node without inputs would run outside of the loop.
      if (node.input().empty()) node.add_input('^' + Name(op, 0));
      def_.add_node()->Swap(&node);
    }
    return [rename](const Output& output) {
      return StrCat(rename(output.node->name()), ':', output.index);
    };
  }

  template <typename Rename>
  static void RenameIn(proto::NodeDef* node, const Rename& rename) {
    constexpr std::string_view kColocation = "loc:@";
    node->set_name(rename(node->name()));
    for (std::string& input : *node->mutable_input()) {
      const auto [name, index] = ParseInput(input);
      input = index == TensorName::kControl ? '^' + rename(name)
                                            : StrCat(rename(name), ':', index);
    }
    const auto classes = node->mutable_attr()->find("_class");
    if (classes == node->mutable_attr()->end()) return;
    for (std::string& name : *classes->second.mutable_list()->mutable_s()) {
      if (!name.starts_with(kColocation)) continue;
      name = StrCat(kColocation, rename(name.substr(kColocation.size())));
    }
  }

  const WhileState& state_;
  const TF_WhileParams& params_;
  const Graph& cond_graph_;
  const std::string name_;
  proto::GraphDef def_;
};

// Takes the condition graph of a loop. Throws if the loop has ended or is unknown.
std::shared_ptr<TF_Graph> TakeLoop(const TF_WhileParams* params) {
  const auto cond = Graphs::Get(NotNull(params, "params").cond_graph, "cond_graph");
  Require(cond->loop != nullptr,
          "cond_graph belongs to no loop; expected the graph that ",
          "TF_NewWhile returned");
  return Graphs::Remove(params->cond_graph);
}

void FinishLoop(const TF_WhileParams* params, TF_Output* outputs) {
  const auto cond = TakeLoop(params);
  const WhileState& state = *cond->loop;
  NotNull(outputs, "outputs");
  const std::string name = TextOf(params->name, "name");
  Require(!name.empty(), "name is ''; expected a name for the loop");
  LoopWriter writer(state, *params, *cond->graph);
  const proto::GraphDef def = writer.Write();
  Graph& graph = *state.target->graph;
  const std::lock_guard lock(state.target->names);
  RequireFreePrefix(graph, name);
  const ImportResult result = ImportGraphDef(def, writer.Options(), &graph);
  for (size_t i = 0; i < result.tensors.size(); ++i) {
    outputs[i] = OutputToC(result.tensors[i]);
  }
}

}  // namespace
}  // namespace minitf::c

namespace c = minitf::c;

TF_WhileParams TF_NewWhile(TF_Graph* g, TF_Output* inputs, int ninputs,
                           TF_Status* status) {
  std::shared_ptr<TF_Graph> cond;
  c::Guarded(status, [&] {
    auto state = std::make_shared<c::WhileState>();
    state->target = c::Graphs::Get(g, "g");
    state->inputs = c::OutputsIn(*state->target->graph, inputs, ninputs, "inputs");
    minitf::Require(ninputs > 0, "ninputs is 0; expected at least one loop variable");
    const auto body = std::make_shared<TF_Graph>();
    const auto condition = std::make_shared<TF_Graph>();
    state->cond_inputs =
        c::AddVariables(state->inputs, "cond_input", condition->graph.get());
    state->body_inputs = c::AddVariables(state->inputs, "body_input", body->graph.get());
    state->body_outputs.resize(ninputs, {nullptr, -1});
    state->body = c::Graphs::Add(body);
    condition->loop = std::move(state);
    c::Graphs::Add(condition);
    cond = condition;
  });
  if (cond == nullptr) {
    return {0, nullptr, nullptr, {nullptr, -1}, nullptr, nullptr, nullptr, nullptr};
  }
  c::WhileState& state = *cond->loop;
  return {ninputs,
          cond.get(),
          state.cond_inputs.data(),
          {nullptr, -1},
          state.body,
          state.body_inputs.data(),
          state.body_outputs.data(),
          nullptr};
}

void TF_FinishWhile(const TF_WhileParams* params, TF_Status* status, TF_Output* outputs) {
  c::Guarded(status, [&] { c::FinishLoop(params, outputs); });
}

void TF_AbortWhile(const TF_WhileParams* params) {
  c::Guarded(nullptr, [&] { c::TakeLoop(params); });
}
