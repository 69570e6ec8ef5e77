// OpDefText: a definition in the text format of protocol buffers.
//
// Compare    tensorflow/core/ops/ops.pbtxt
// Read next  minitf/framework/op.h

#include <cctype>
#include <string>
#include <type_traits>

#include "minitf/framework/op.h"

namespace minitf {
namespace {

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return quoted + '"';
}

// "DT_FLOAT": the names of the enumeration differ from those that users see.
std::string EnumName(DType dtype) {
  std::string name = "DT_";
  const std::string_view user_name = dtype == DType::kFloat32   ? "float"
                                     : dtype == DType::kFloat64 ? "double"
                                     : dtype == DType::kFloat16 ? "half"
                                                                : NameOf(dtype);
  for (const char c : user_name) name += static_cast<char>(std::toupper(c));
  return name;
}

// One value as the field of an AttrValue that holds values of its type.
void PrintField(std::ostream& out, bool value) {
  out << "b: " << (value ? "true" : "false");
}
void PrintField(std::ostream& out, int64_t value) { out << "i: " << value; }
void PrintField(std::ostream& out, float value) { out << "f: " << value; }
void PrintField(std::ostream& out, const std::string& value) {
  out << "s: " << Quoted(value);
}
void PrintField(std::ostream& out, DType value) { out << "type: " << EnumName(value); }
// A vector of bytes: definitions have no other tensors.
void PrintField(std::ostream& out, const Tensor& value) {
  out << "tensor { dtype: " << EnumName(value.dtype())
      << " tensor_shape { dim { size: " << value.num_elements() << " } }";
  for (const uint8_t element : value.flat<uint8_t>()) out << " int_val: " << int{element};
  out << " }";
}
void PrintField(std::ostream& out, const PartialShape& shape) {
  out << "shape {";
  for (const int64_t size : shape.sizes()) out << " dim { size: " << size << " }";
  out << (shape.has_rank() ? " }" : " unknown_rank: true }");
}
template <typename T>
void PrintField(std::ostream& out, const std::vector<T>& list) {
  out << "list {";
  for (const auto& element : list) {
    out << ' ';
    PrintField(out, T(element));
  }
  out << " }";
}

template <typename T>
void PrintValue(std::ostream& out, const char* field, const T& value) {
  out << "    " << field << " { ";
  PrintField(out, value);
  out << " }\n";
}

void PrintArg(std::ostream& out, const char* field, const ArgDef& arg) {
  out << "  " << field << " {\n    name: " << Quoted(arg.name) << '\n';
  if (arg.type != DType::kInvalid) out << "    type: " << EnumName(arg.type) << '\n';
  if (!arg.type_attr.empty()) out << "    type_attr: " << Quoted(arg.type_attr) << '\n';
  if (!arg.number_attr.empty()) {
    out << "    number_attr: " << Quoted(arg.number_attr) << '\n';
  }
  if (!arg.type_list_attr.empty()) {
    out << "    type_list_attr: " << Quoted(arg.type_list_attr) << '\n';
  }
  out << "  }\n";
}

void PrintAttr(std::ostream& out, const AttrDef& attr) {
  out << "  attr {\n    name: " << Quoted(attr.name)
      << "\n    type: " << Quoted(attr.kind) << '\n';
  if (attr.default_value) {
    std::visit([&](const auto& held) { PrintValue(out, "default_value", held); },
               *attr.default_value);
  }
  if (attr.minimum)
    out << "    has_minimum: true\n    minimum: " << *attr.minimum << '\n';
  if (!attr.allowed_types.empty()) PrintValue(out, "allowed_values", attr.allowed_types);
  if (!attr.allowed_strings.empty()) {
    PrintValue(out, "allowed_values", attr.allowed_strings);
  }
  out << "  }\n";
}

}  // namespace

std::string OpDefText(const OpDef& op) {
  std::ostringstream out;
  out << "op {\n  name: " << Quoted(op.name) << '\n';
  for (const ArgDef& input : op.inputs) PrintArg(out, "input_arg", input);
  for (const ArgDef& output : op.outputs) PrintArg(out, "output_arg", output);
  for (const AttrDef& attr : op.attrs) PrintAttr(out, attr);
  out << "  summary: " << Quoted(op.doc) << '\n';
  if (op.is_commutative) out << "  is_commutative: true\n";
  if (op.is_stateful()) out << "  is_stateful: true\n";
  out << "}\n";
  return out.str();
}

}  // namespace minitf
