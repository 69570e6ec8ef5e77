// Reading the short texts of REGISTER_OP.
//
// Exercise   exercises/02_registry

#include "minitf/framework/op_def_parser.h"

#include <set>
#include <utility>

#include "minitf/base/scanner.h"

namespace minitf {
namespace {

// ---- Values ---------------------------------------------------------------------------

DType ReadType(Scanner* in) {
  const std::string name = in->Word();
  const DType dtype = DTypeFromName(name);
  if (dtype == DType::kInvalid) in->Fail(StrCat("no type is called '", name, "',"));
  return dtype;
}

bool ReadBool(Scanner* in) {
  if (in->Consume("true")) return true;
  in->Expect("false");
  return false;
}

// "[2, ?]", or "<unknown>".
PartialShape ReadShape(Scanner* in) {
  // LAB(02.2) begin: return the shape
  if (in->Consume("<unknown>")) return {};
  std::vector<int64_t> sizes;
  in->List("[", "]", [&] {
    sizes.push_back(in->Consume("?") ? PartialShape::kUnknown : in->Integer());
    if (sizes.back() < PartialShape::kUnknown) in->Fail("a size expected");
  });
  return PartialShape(sizes);
  // LAB(02.2) end
}

// A list of values of one kind, read by `read_one`.
template <typename T, typename ReadOne>
AttrValue ReadListOf(Scanner* in, ReadOne read_one) {
  std::vector<T> list;
  // LAB(02.2) begin: fill the list
  in->List("[", "]", [&] { list.push_back(read_one(in)); });
  // LAB(02.2) end
  return list;
}

AttrValue ReadListValue(Scanner* in, const std::string& element) {
  if (element == "bool") return ReadListOf<bool>(in, ReadBool);
  if (element == "type") return ReadListOf<DType>(in, ReadType);
  if (element == "shape") return ReadListOf<PartialShape>(in, ReadShape);
  if (element == "int") {
    return ReadListOf<int64_t>(in, [](Scanner* s) { return s->Integer(); });
  }
  if (element == "float") {
    return ReadListOf<float>(in, [](Scanner* s) { return s->Float(); });
  }
  if (element == "string") {
    return ReadListOf<std::string>(in, [](Scanner* s) { return s->Quoted(); });
  }
  in->Fail(StrCat("a list of '", element, "' cannot be written"));
}

// "uint8 [255, 0]": a vector.
Tensor ReadTensor(Scanner* in) {
  const DType dtype = ReadType(in);
  if (dtype != DType::kUint8) in->Fail("a tensor of uint8 expected");
  std::vector<uint8_t> elements;
  in->List("[", "]", [&] {
    const int64_t element = in->Integer();
    if (element < 0 || element > 255) in->Fail("a number up to 255 expected");
    elements.push_back(static_cast<uint8_t>(element));
  });
  return Tensor::Of(Shape{static_cast<int64_t>(elements.size())}, elements);
}

AttrValue ReadValue(Scanner* in, const std::string& kind) {
  if (kind == "tensor") return ReadTensor(in);
  // LAB(02.2) begin: return the value for each other kind of op_def_parser.h, or Fail
  if (kind == "bool") return ReadBool(in);
  if (kind == "int") return in->Integer();
  if (kind == "float") return in->Float();
  if (kind == "string") return in->Quoted();
  if (kind == "type") return ReadType(in);
  if (kind == "shape") return ReadShape(in);
  if (!kind.starts_with("list(") || !kind.ends_with(')')) {
    in->Fail(StrCat("a value of kind '", kind, "' cannot be written"));
  }
  return ReadListValue(in, kind.substr(5, kind.size() - 6));
  // LAB(02.2) end
}

// ---- Kinds ----------------------------------------------------------------------------

void ReadAllowedTypes(Scanner* in, AttrDef* attr) {
  in->List("{", "}", [&] { attr->allowed_types.push_back(ReadType(in)); });
  if (attr->allowed_types.empty()) in->Fail("a type between { and } expected");
}

// "{half, float}" or "{'SAME', 'VALID'}": sets the kind, and what is allowed.
void ReadAllowed(Scanner* in, AttrDef* attr) {
  // LAB(02.3) begin: the kind follows from the first element
  const bool are_texts = in->IsNext({"{", "'"}) || in->IsNext({"{", "\""});
  attr->kind = are_texts ? "string" : "type";
  if (!are_texts) return ReadAllowedTypes(in, attr);
  in->List("{", "}", [&] { attr->allowed_strings.push_back(in->Quoted()); });
  // LAB(02.3) end
}

// The name of a kind that is no list.
std::string ReadSimpleKind(Scanner* in) {
  static const std::set<std::string> kinds = {"bool", "int",   "float", "string",
                                              "type", "shape", "tensor"};
  std::string kind = in->Word();
  if (!kinds.contains(kind)) in->Fail(StrCat("no kind is called '", kind, "',"));
  return kind;
}

// "int", "list(int)" or "list({float, int64})".
void ReadKind(Scanner* in, AttrDef* attr) {
  // LAB(02.3) begin: set the kind, and the allowed types
  if (!in->IsNext({"list", "("})) {
    attr->kind = ReadSimpleKind(in);
    return;
  }
  in->Expect("list");
  in->Expect("(");
  const bool is_enumeration = in->IsNext({"{"});
  if (is_enumeration) ReadAllowedTypes(in, attr);
  const std::string element = is_enumeration ? "type" : ReadSimpleKind(in);
  if (element == "tensor") in->Fail("an element's kind other than tensor expected");
  in->Expect(")");
  attr->kind = "list(" + element + ")";
  // LAB(02.3) end
}

// ">= 1", "= 3", or both.
void ReadMinimumAndDefault(Scanner* in, AttrDef* attr) {
  // LAB(02.3) begin: set what is there; only ints and lists have a minimum
  if (in->Consume(">=")) {
    const bool has_minimum = attr->kind == "int" || attr->kind.starts_with("list(");
    if (!has_minimum) {
      in->Fail(StrCat("an attribute of kind ", attr->kind, " has no minimum"));
    }
    attr->minimum = in->Integer();
  }
  if (in->Consume("=")) {
    attr->default_value = ReadValue(in, attr->kind);
    try {
      CheckAllowedValue(*attr, *attr->default_value);
    } catch (const Error& error) {  // whose message does not show the text
      in->Fail(error.status().message());
    }
  }
  // LAB(02.3) end
}

// ---- Definitions ----------------------------------------------------------------------

// Throws InvalidArgument for a name that two inputs, outputs or attributes have.
void CheckNamesDiffer(const OpDef& op) {
  std::set<std::string> names;
  const auto check = [&](const auto& parts) {
    for (const auto& part : parts) {
      Require(names.insert(part.name).second, "op ", op.name, " has '", part.name,
              "' twice among its inputs, outputs and attributes");
    }
  };
  // LAB(02.4) begin: check all three
  check(op.inputs);
  check(op.outputs);
  check(op.attrs);
  // LAB(02.4) end
}

}  // namespace

AttrDef ParseAttrDef(const std::string& spec) {
  Scanner in(spec);
  AttrDef attr;
  attr.name = in.Word();
  in.Expect(":");
  if (in.IsNext({"{"})) {
    ReadAllowed(&in, &attr);
  } else {
    ReadKind(&in, &attr);
  }
  ReadMinimumAndDefault(&in, &attr);
  if (!in.AtEnd()) in.Fail("the end expected");
  return attr;
}

ArgDef ParseArgDef(const std::string& spec, const OpDef& op) {
  Scanner in(spec);
  ArgDef arg;
  arg.name = in.Word();
  in.Expect(":");
  std::string word = in.Word();
  // LAB(02.4) begin: of "N * T", set number_attr; `word` becomes "T"
  if (in.Consume("*")) {
    arg.number_attr = std::exchange(word, in.Word());
    const AttrDef* number = op.FindAttr(arg.number_attr);
    if (number == nullptr || number->kind != "int") {
      in.Fail(StrCat("'", arg.number_attr, "' is no attribute of kind int,"));
    }
  }
  // LAB(02.4) end
  if (!in.AtEnd()) in.Fail("the end expected");

  // LAB(02.4) begin: set type, type_attr or type_list_attr, as `word` says
  arg.type = DTypeFromName(word);
  if (arg.type != DType::kInvalid) return arg;
  const AttrDef* attr = op.FindAttr(word);
  if (attr == nullptr || (attr->kind != "type" && attr->kind != "list(type)")) {
    in.Fail(StrCat("'", word, "' is neither a type nor an attribute that holds one,"));
  }
  const bool is_list = attr->kind == "list(type)";
  if (is_list && !arg.number_attr.empty()) {
    in.Fail(StrCat("'", word, "' is a list of types already,"));
  }
  (is_list ? arg.type_list_attr : arg.type_attr) = word;
  // LAB(02.4) end
  return arg;
}

AttrValue ParseAttrValue(const std::string& kind, const std::string& text) {
  Scanner in(text);
  AttrValue value = ReadValue(&in, kind);
  if (!in.AtEnd()) in.Fail("the end expected");
  return value;
}

OpDef OpDefBuilder::Build() const {
  OpDef op = def_;
  // LAB(02.4) begin: read attrs_, inputs_ and outputs_, and check op
  for (const std::string& spec : attrs_) op.attrs.push_back(ParseAttrDef(spec));
  for (const std::string& spec : inputs_) op.inputs.push_back(ParseArgDef(spec, op));
  for (const std::string& spec : outputs_) op.outputs.push_back(ParseArgDef(spec, op));
  CheckNamesDiffer(op);
  Require(op.shape_fn != nullptr, "op ", op.name, " has no shape function");
  // LAB(02.4) end
  return op;
}

}  // namespace minitf
