// A graph as lines of text and as DOT.

#include "minitf/graph/graph_text.h"

#include <map>
#include <string_view>
#include <vector>

#include "minitf/base/text.h"
#include "minitf/graph/topological_order.h"

namespace minitf {
namespace {

std::vector<Node*> NodesToPrint(const Graph& graph) {
  try {
    return TopologicalOrder(graph.nodes());
  } catch (const Error&) {
    return graph.nodes();  // there is a cycle: shown, so that it can be looked for
  }
}

std::string NameOfValue(const Output& value) {
  return value.index == 0 ? value.node->name() : value.name();
}

std::string TextOfAttr(const AttrValue& value) {
  const auto* tensor = std::get_if<Tensor>(&value);
  return tensor == nullptr ? StrCat(value) : tensor->DebugString(4);
}

std::string TextOfNode(const Node& node) {
  std::vector<std::string> attrs;
  for (const auto& [name, value] : node.attrs()) {
    attrs.push_back(StrCat(name, '=', TextOfAttr(value)));
  }
  std::vector<std::string> inputs;
  for (const Output& input : node.inputs()) inputs.push_back(NameOfValue(input));
  for (const Node* input : node.control_inputs()) inputs.push_back('^' + input->name());
  std::vector<std::string> outputs;
  for (int i = 0; i < node.num_outputs(); ++i) {
    outputs.push_back(StrCat(node.output_type(i), ' ', node.output_shape(i)));
  }
  std::string text = StrCat(node.name(), " = ", node.type());
  if (!attrs.empty()) text += StrCat('[', Join(attrs, ", "), ']');
  text += StrCat('(', Join(inputs, ", "), ')');
  if (!outputs.empty()) text += StrCat(" -> ", Join(outputs, ", "));
  if (!node.device().empty()) text += StrCat(" @ ", node.device());
  return text;
}

// `text` between quotes, as DOT wants it.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

// Light colours of Graphviz's scheme "pastel19", in the order in which devices appear.
class DeviceColours {
 public:
  std::string Of(const std::string& device) {
    if (device.empty()) return "white";
    const auto number = colours_.try_emplace(device, colours_.size()).first->second;
    return StrCat("/pastel19/", number % 9 + 1);
  }

 private:
  std::map<std::string, size_t> colours_;
};

std::string EdgeToNode(const Output& from, const Node& to) {
  return StrCat("  ", Quoted(from.node->name()), " -> ", Quoted(to.name()),
                " [label=", Quoted(StrCat(from.shape())), "];\n");
}

std::string ControlEdgeToNode(const Node& from, const Node& to) {
  return StrCat("  ", Quoted(from.name()), " -> ", Quoted(to.name()),
                " [style=dashed];\n");
}

}  // namespace

std::string GraphText(const Graph& graph) {
  std::string text;
  for (const Node* node : NodesToPrint(graph)) text += TextOfNode(*node) + '\n';
  return text;
}

std::string GraphDot(const Graph& graph) {
  DeviceColours colours;
  std::string text = "digraph {\n  node [shape=box, style=\"rounded,filled\"];\n";
  for (const Node* node : NodesToPrint(graph)) {
    text += StrCat("  ", Quoted(node->name()),
                   " [label=", Quoted(StrCat(node->name(), " : ", node->type())),
                   ", fillcolor=", Quoted(colours.Of(node->device())), "];\n");
  }
  for (const Node* node : NodesToPrint(graph)) {
    for (const Output& input : node->inputs()) text += EdgeToNode(input, *node);
    for (const Node* input : node->control_inputs()) {
      text += ControlEdgeToNode(*input, *node);
    }
  }
  return text + "}\n";
}

}  // namespace minitf
