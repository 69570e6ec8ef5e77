// Queries of operations: names, inputs, outputs and consumers.

#include <algorithm>
#include <shared_mutex>
#include <utility>

#include "minitf/c/c_api_operation.h"
#include "minitf/c/graph/graph_objects.h"
#include "minitf/graph/consumers.h"
#include "minitf/graph/graph_def.h"
#include "minitf/protos/graph.pb.h"

namespace minitf::c {
namespace {

// Calls `read` with the node of `oper` while its graph does not change. Returns
// `otherwise` if `oper` is null.
template <typename Result, typename Read>
Result Reading(const TF_Operation* oper, Result otherwise, const Read& read) {
  return Guarded<Result>(nullptr, std::move(otherwise), [&] {
    const Node& node = *NodeOf(&NotNull(oper, "oper"));
    const std::shared_lock reading(node.graph().mutex());
    return read(node);
  });
}

// Writes the first `room` elements. Returns how many there are.
template <typename Element>
int WriteList(const std::vector<Element>& elements, Element* to, int room) {
  const auto count = static_cast<int>(elements.size());
  if (to != nullptr) std::copy_n(elements.begin(), std::clamp(room, 0, count), to);
  return count;
}

std::vector<TF_Input> ConsumersOf(TF_Output output) {
  return Reading(output.oper, std::vector<TF_Input>(), [&](const Node& node) {
    std::vector<TF_Input> inputs;
    const Consumers consumers(node.graph());
    for (const Use& use : consumers.Of(&node)) {
      const bool is_use = !use.is_control() && use.output == output.index;
      if (is_use) inputs.push_back({OperOf(use.consumer), use.input});
    }
    return inputs;
  });
}

std::vector<TF_Operation*> ControlOutputsOf(const TF_Operation* oper) {
  return Reading(oper, std::vector<TF_Operation*>(), [](const Node& node) {
    std::vector<TF_Operation*> opers;
    const Consumers consumers(node.graph());
    for (const Use& use : consumers.Of(&node)) {
      if (use.is_control()) opers.push_back(OperOf(use.consumer));
    }
    return opers;
  });
}

std::vector<TF_Operation*> ControlInputsOf(const TF_Operation* oper) {
  return Reading(oper, std::vector<TF_Operation*>(), [](const Node& node) {
    std::vector<TF_Operation*> opers;
    for (Node* const input : node.control_inputs()) opers.push_back(OperOf(input));
    return opers;
  });
}

int ListLength(TF_Operation* oper, const std::vector<ArgDef> OpDef::*args,
               const char* arg_name, TF_Status* status) {
  return Guarded(status, -1, [&] {
    const Node& node = *NodeOf(&NotNull(oper, "oper"));
    const std::string name = TextOf(arg_name, "arg_name");
    const auto& list = node.op().*args;
    const auto arg = std::ranges::find(list, name, &ArgDef::name);
    Require(arg != list.end(), "operation ", node.Describe(), " has no argument '", name,
            "' in this list");
    const std::shared_lock reading(node.graph().mutex());
    return static_cast<int>(NumTensorsOf(*arg, node.attrs()));
  });
}

}  // namespace
}  // namespace minitf::c

namespace c = minitf::c;
using minitf::Node;

const char* TF_OperationName(TF_Operation* oper) {
  return oper == nullptr ? nullptr : c::NodeOf(oper)->name().c_str();
}

const char* TF_OperationOpType(TF_Operation* oper) {
  return oper == nullptr ? nullptr : c::NodeOf(oper)->type().c_str();
}

const char* TF_OperationDevice(TF_Operation* oper) {
  return oper == nullptr ? nullptr : c::NodeOf(oper)->device().c_str();
}

int TF_OperationNumOutputs(TF_Operation* oper) {
  return oper == nullptr ? 0 : c::NodeOf(oper)->num_outputs();
}

TF_DataType TF_OperationOutputType(TF_Output oper_out) {
  const bool is_there =
      0 <= oper_out.index && oper_out.index < TF_OperationNumOutputs(oper_out.oper);
  return is_there ? c::DTypeToC(c::NodeOf(oper_out.oper)->output_type(oper_out.index))
                  : TF_DataType{};
}

int TF_OperationOutputListLength(TF_Operation* oper, const char* arg_name,
                                 TF_Status* status) {
  return c::ListLength(oper, &minitf::OpDef::outputs, arg_name, status);
}

int TF_OperationNumInputs(TF_Operation* oper) {
  if (oper == nullptr) return 0;
  return static_cast<int>(c::NodeOf(oper)->signature().input_types.size());
}

TF_DataType TF_OperationInputType(TF_Input oper_in) {
  const bool is_there =
      0 <= oper_in.index && oper_in.index < TF_OperationNumInputs(oper_in.oper);
  if (!is_there) return TF_DataType{};
  return c::DTypeToC(c::NodeOf(oper_in.oper)->signature().input_types[oper_in.index]);
}

int TF_OperationInputListLength(TF_Operation* oper, const char* arg_name,
                                TF_Status* status) {
  return c::ListLength(oper, &minitf::OpDef::inputs, arg_name, status);
}

TF_Output TF_OperationInput(TF_Input oper_in) {
  return c::Reading(oper_in.oper, TF_Output{nullptr, -1}, [&](const Node& node) {
    const auto& inputs = node.inputs();
    const bool is_there =
        0 <= oper_in.index && oper_in.index < static_cast<int>(inputs.size());
    return is_there ? c::OutputToC(inputs[oper_in.index]) : TF_Output{nullptr, -1};
  });
}

void TF_OperationAllInputs(TF_Operation* oper, TF_Output* inputs, int max_inputs) {
  c::Reading(oper, 0, [&](const Node& node) {
    std::vector<TF_Output> outputs;
    for (const minitf::Output& input : node.inputs()) {
      outputs.push_back(c::OutputToC(input));
    }
    return c::WriteList(outputs, inputs, max_inputs);
  });
}

int TF_OperationOutputNumConsumers(TF_Output oper_out) {
  return static_cast<int>(c::ConsumersOf(oper_out).size());
}

int TF_OperationOutputConsumers(TF_Output oper_out, TF_Input* consumers,
                                int max_consumers) {
  return c::WriteList(c::ConsumersOf(oper_out), consumers, max_consumers);
}

int TF_OperationNumControlInputs(TF_Operation* oper) {
  return static_cast<int>(c::ControlInputsOf(oper).size());
}

int TF_OperationGetControlInputs(TF_Operation* oper, TF_Operation** control_inputs,
                                 int max_control_inputs) {
  return c::WriteList(c::ControlInputsOf(oper), control_inputs, max_control_inputs);
}

int TF_OperationNumControlOutputs(TF_Operation* oper) {
  return static_cast<int>(c::ControlOutputsOf(oper).size());
}

int TF_OperationGetControlOutputs(TF_Operation* oper, TF_Operation** control_outputs,
                                  int max_control_outputs) {
  return c::WriteList(c::ControlOutputsOf(oper), control_outputs, max_control_outputs);
}

void TF_OperationToNodeDef(TF_Operation* oper, TF_Buffer* output_node_def,
                           TF_Status* status) {
  c::Guarded(status, [&] {
    const Node& node = *c::NodeOf(&c::NotNull(oper, "oper"));
    minitf::proto::NodeDef def;
    {
      const std::shared_lock reading(node.graph().mutex());
      minitf::NodeToProto(node, /*add_shapes=*/false, &def);
    }
    c::FillBuffer(output_node_def, def);
  });
}
