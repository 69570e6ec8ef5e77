// Building operations: a description that grows, and the node that it becomes.

#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>

#include "minitf/base/logging.h"
#include "minitf/c/c_api_graph.h"
#include "minitf/c/graph/graph_objects.h"
#include "minitf/graph/attr_proto.h"
#include "minitf/graph/graph_def.h"
#include "minitf/io/messages/tensor_proto.h"
#include "minitf/protos/graph.pb.h"

namespace minitf::c {
namespace {

std::string BytesOf(const AttrValue& value) {
  proto::AttrValue message;
  AttrToProto(value, &message);
  return ToBytes(message);
}

// Sets an attribute. A second value that differs is an error of TF_FinishOperation.
void Store(TF_OperationDescription& description, const std::string& name,
           AttrValue value) {
  Attrs& attrs = description.spec.attrs;
  const AttrValue* const before = attrs.Find(name);
  if (before != nullptr && BytesOf(*before) != BytesOf(value) && description.error.ok()) {
    description.error = errors::InvalidArgument(
        "Node '", description.spec.name, "' (", description.spec.op, "): attribute '",
        name, "' is set twice, to different values");
  }
  attrs.Set(name, std::move(value));
}

// Sets an attribute to what `value` returns.
template <typename Value>
void SetAttr(TF_OperationDescription* desc, const char* attr_name, const Value& value) {
  Describe(desc, [&](TF_OperationDescription& description) {
    const std::string name = TextOf(attr_name, "attr_name");
    Store(description, name, AttrValue(value()));
  });
}

// As above, for a function with a status: the status alone gets the error.
template <typename Value>
void SetAttr(TF_OperationDescription* desc, const char* attr_name, TF_Status* status,
             const Value& value) {
  Guarded(status, [&] {
    const auto description = Descriptions::Get(desc, "desc");
    const std::string name = TextOf(attr_name, "attr_name");
    Store(*description, name, AttrValue(value(*description)));
  });
}

// The elements values[0, num_values), each as convert(i) has it.
template <typename Element, typename Convert>
std::vector<Element> ListOf(const void* values, int num_values, const Convert& convert) {
  RequireList(values, num_values, "values");
  std::vector<Element> list;
  for (int i = 0; i < num_values; ++i) list.push_back(convert(i));
  return list;
}

std::string BytesAt(const void* data, size_t length) {
  Require(data != nullptr || length == 0, "value is null; expected ", length, " bytes");
  return {static_cast<const char*>(data), length};
}

PartialShape ShapeOfMessage(const void* proto, size_t length) {
  proto::TensorShapeProto message;
  ParseArgument(BytesAt(proto, length), "TensorShapeProto", &message);
  return ShapeFromProto(message);
}

AttrValue AttrOfMessage(const TF_OperationDescription& desc, const std::string& name,
                        const void* proto, size_t length) {
  proto::AttrValue message;
  ParseArgument(BytesAt(proto, length), "AttrValue", &message);
  const OpDef* const op = Ops().Find(desc.spec.op);
  const AttrDef* const def = op == nullptr ? nullptr : op->FindAttr(name);
  Expansion expansion;
  auto value = AttrFromProto(message, def == nullptr ? "" : def->kind, &expansion);
  if (value.has_value()) return *std::move(value);
  throw Error(errors::Unimplemented("attribute '", name,
                                    "' is a function or a list of tensors, which minitf ",
                                    "does not have"));
}

void RequireName(const NodeSpec& spec) {
  Require(!spec.op.empty(), "the op has no name; expected a name such as 'MatMul'");
  const bool is_valid = !spec.name.empty() && spec.name.back() != '/';
  Require(is_valid, "'", spec.name, "' is not a valid name of an operation (", spec.op,
          ")");
  CheckArgument([&] { FindOp(spec.op); });
}

Node* AddTo(TF_Graph* graph, NodeSpec spec) {
  VLOG(2) << "C API: add node with op " << spec.op << " and " << spec.inputs.size()
          << " inputs";
  RequireName(spec);
  const std::lock_guard lock(graph->names);
  {
    const std::shared_lock reading(graph->graph->mutex());
    Require(graph->graph->FindNode(spec.name) == nullptr,
            "Duplicate node name in graph: '", spec.name, "'");
  }
  spec.name += '/';  // exactly this name
  return graph->graph->AddNode(std::move(spec));
}

}  // namespace
}  // namespace minitf::c

namespace c = minitf::c;
using minitf::PartialShape;
using minitf::Require;

TF_OperationDescription* TF_NewOperation(TF_Graph* graph, const char* op_type,
                                         const char* oper_name) {
  return c::Guarded<TF_OperationDescription*>(nullptr, nullptr, [&] {
    auto description = std::make_shared<TF_OperationDescription>();
    description->graph = c::Graphs::Get(graph, "graph");
    auto* const desc = c::Descriptions::Add(std::move(description));
    c::Describe(desc, [&](TF_OperationDescription& added) {
      added.spec.op = c::TextOf(op_type, "op_type");
      added.spec.name = c::TextOf(oper_name, "oper_name");
    });
    return desc;
  });
}

TF_OperationDescription* TF_NewNode(TF_Graph* graph, const char* op_type,
                                    const char* oper_name) {
  return TF_NewOperation(graph, op_type, oper_name);
}

void TF_SetDevice(TF_OperationDescription* desc, const char* device) {
  c::Describe(desc, [&](TF_OperationDescription& description) {
    description.spec.device = c::TextOf(device, "device");
  });
}

void TF_AddInput(TF_OperationDescription* desc, TF_Output input) {
  c::Describe(desc, [&](TF_OperationDescription& description) {
    description.spec.inputs.push_back(
        c::OutputIn(*description.graph->graph, input, "input"));
    description.spec.input_lengths.push_back(1);
  });
}

void TF_AddInputList(TF_OperationDescription* desc, const TF_Output* inputs,
                     int num_inputs) {
  c::Describe(desc, [&](TF_OperationDescription& description) {
    for (const minitf::Output& input :
         c::OutputsIn(*description.graph->graph, inputs, num_inputs, "inputs")) {
      description.spec.inputs.push_back(input);
    }
    description.spec.input_lengths.push_back(num_inputs);
  });
}

void TF_AddControlInput(TF_OperationDescription* desc, TF_Operation* input) {
  c::Describe(desc, [&](TF_OperationDescription& description) {
    description.spec.control_inputs.push_back(
        c::NodeIn(*description.graph->graph, input, "input"));
  });
}

void TF_ColocateWith(TF_OperationDescription* desc, TF_Operation* op) {
  c::Describe(desc, [&](TF_OperationDescription& description) {
    const minitf::Node* const other = c::NodeIn(*description.graph->graph, op, "op");
    std::vector<std::string> classes;
    if (const auto* value = description.spec.attrs.Find("_class")) {
      if (const auto* list = std::get_if<std::vector<std::string>>(value))
        classes = *list;
    }
    classes.push_back("loc:@" + other->name());
    description.spec.attrs.Set("_class", std::move(classes));
  });
}

// ---- Attributes -----------------------------------------------------------------------

void TF_SetAttrString(TF_OperationDescription* desc, const char* attr_name,
                      const void* value, size_t length) {
  c::SetAttr(desc, attr_name, [&] { return c::BytesAt(value, length); });
}

void TF_SetAttrStringList(TF_OperationDescription* desc, const char* attr_name,
                          const void* const* values, const size_t* lengths,
                          int num_values) {
  c::SetAttr(desc, attr_name, [&] {
    c::RequireList(lengths, num_values, "lengths");
    return c::ListOf<std::string>(
        values, num_values, [&](int i) { return c::BytesAt(values[i], lengths[i]); });
  });
}

void TF_SetAttrInt(TF_OperationDescription* desc, const char* attr_name, int64_t value) {
  c::SetAttr(desc, attr_name, [&] { return value; });
}

void TF_SetAttrIntList(TF_OperationDescription* desc, const char* attr_name,
                       const int64_t* values, int num_values) {
  c::SetAttr(desc, attr_name, [&] {
    return c::ListOf<int64_t>(values, num_values, [&](int i) { return values[i]; });
  });
}

void TF_SetAttrFloat(TF_OperationDescription* desc, const char* attr_name, float value) {
  c::SetAttr(desc, attr_name, [&] { return value; });
}

void TF_SetAttrFloatList(TF_OperationDescription* desc, const char* attr_name,
                         const float* values, int num_values) {
  c::SetAttr(desc, attr_name, [&] {
    return c::ListOf<float>(values, num_values, [&](int i) { return values[i]; });
  });
}

void TF_SetAttrBool(TF_OperationDescription* desc, const char* attr_name,
                    unsigned char value) {
  c::SetAttr(desc, attr_name, [&] { return value != 0; });
}

void TF_SetAttrBoolList(TF_OperationDescription* desc, const char* attr_name,
                        const unsigned char* values, int num_values) {
  c::SetAttr(desc, attr_name, [&] {
    return c::ListOf<bool>(values, num_values, [&](int i) { return values[i] != 0; });
  });
}

void TF_SetAttrType(TF_OperationDescription* desc, const char* attr_name,
                    TF_DataType value) {
  c::SetAttr(desc, attr_name, [&] { return c::DTypeOfC(value); });
}

void TF_SetAttrTypeList(TF_OperationDescription* desc, const char* attr_name,
                        const TF_DataType* values, int num_values) {
  c::SetAttr(desc, attr_name, [&] {
    return c::ListOf<minitf::DType>(values, num_values,
                                    [&](int i) { return c::DTypeOfC(values[i]); });
  });
}

void TF_SetAttrShape(TF_OperationDescription* desc, const char* attr_name,
                     const int64_t* dims, int num_dims) {
  c::SetAttr(desc, attr_name, [&] { return c::PartialShapeOfC(dims, num_dims); });
}

void TF_SetAttrShapeList(TF_OperationDescription* desc, const char* attr_name,
                         const int64_t* const* dims, const int* num_dims,
                         int num_shapes) {
  c::SetAttr(desc, attr_name, [&] {
    c::RequireList(num_dims, num_shapes, "num_dims");
    return c::ListOf<PartialShape>(dims, num_shapes, [&](int i) {
      return c::PartialShapeOfC(dims[i], num_dims[i]);
    });
  });
}

void TF_SetAttrTensorShapeProto(TF_OperationDescription* desc, const char* attr_name,
                                const void* proto, size_t proto_len, TF_Status* status) {
  c::SetAttr(desc, attr_name, status,
             [&](const auto&) { return c::ShapeOfMessage(proto, proto_len); });
}

void TF_SetAttrTensorShapeProtoList(TF_OperationDescription* desc, const char* attr_name,
                                    const void* const* protos, const size_t* proto_lens,
                                    int num_shapes, TF_Status* status) {
  c::SetAttr(desc, attr_name, status, [&](const auto&) {
    c::RequireList(proto_lens, num_shapes, "proto_lens");
    return c::ListOf<PartialShape>(protos, num_shapes, [&](int i) {
      return c::ShapeOfMessage(protos[i], proto_lens[i]);
    });
  });
}

void TF_SetAttrTensor(TF_OperationDescription* desc, const char* attr_name,
                      TF_Tensor* value, TF_Status* status) {
  // A copy: the caller may change the elements.
  c::SetAttr(desc, attr_name, status,
             [&](const auto&) { return c::TensorOfC(value, "value").Clone(); });
}

void TF_SetAttrValueProto(TF_OperationDescription* desc, const char* attr_name,
                          const void* proto, size_t proto_len, TF_Status* status) {
  c::SetAttr(desc, attr_name, status, [&](const TF_OperationDescription& description) {
    return c::AttrOfMessage(description, attr_name, proto, proto_len);
  });
}

TF_Operation* TF_FinishOperation(TF_OperationDescription* desc, TF_Status* status) {
  return c::Guarded<TF_Operation*>(status, nullptr, [&] {
    const auto description = c::Descriptions::Get(desc, "desc");
    Require(c::Descriptions::Remove(desc) != nullptr, "desc was finished");
    minitf::ThrowIfError(description->error);
    return c::OperOf(c::AddTo(description->graph.get(), std::move(description->spec)));
  });
}
