// Reading the short texts of REGISTER_OP.
//
// Exercise   exercises/02_registry

#include "minitf/framework/op_def_parser.h"

#include <set>
#include <utility>

#include "minitf/base/lab.h"
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
  // TODO(02.2) begin: return the shape
  if (in->Consume("<unknown>")) return {};
  std::vector<int64_t> sizes;
  in->List("[", "]", [&] {
    if (in->Consume("?")) {
      sizes.push_back(kUnknown);
      return;
    }
    const int64_t size = in->Integer();
    if (size < kUnknown) in->Fail(StrCat(size, " is no size: at least 0, or ? expected"));
    sizes.push_back(size);
  });
  return PartialShape(sizes);
  // TODO(02.2) end
}

// A list of values of one kind, read by `read_one`.
template <typename T, typename ReadOne>
AttrValue ReadListOf(Scanner* in, ReadOne read_one) {
  std::vector<T> list;
  // TODO(02.2) begin: fill the list
  in->List("[", "]", [&] { list.push_back(read_one(in)); });
  // TODO(02.2) end
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
  // TODO(02.2) begin: return the value for each other kind of op_def_parser.h, or Fail
  if (kind == "bool") return ReadBool(in);
  if (kind == "int") return in->Integer();
  if (kind == "float") return in->Float();
  if (kind == "string") return in->Quoted();
  if (kind == "type") return ReadType(in);
  if (kind == "shape") return ReadShape(in);
  constexpr std::string_view kList = "list(";
  if (kind.starts_with(kList) && kind.ends_with(")")) {
    return ReadListValue(in, kind.substr(kList.size(), kind.size() - kList.size() - 1));
  }
  in->Fail(StrCat("no value can be written for the kind '", kind, "',"));
  // TODO(02.2) end
}

// ---- Kinds ----------------------------------------------------------------------------

void ReadAllowedTypes(Scanner* in, AttrDef* attr) {
  in->List("{", "}", [&] { attr->allowed_types.push_back(ReadType(in)); });
  if (attr->allowed_types.empty()) in->Fail("a type between { and } expected");
}

// "{half, float}" or "{'SAME', 'VALID'}": sets the kind, and what is allowed.
void ReadAllowed(Scanner* in, AttrDef* attr) {
  // TODO(02.3) begin: the kind follows from the first element
  if (in->IsNext({"{", "}"})) in->Fail("something that is allowed expected");
  if (in->IsNext({"{", "'"}) || in->IsNext({"{", "\""})) {
    attr->kind = "string";
    in->List("{", "}", [&] { attr->allowed_strings.push_back(in->Quoted()); });
  } else {
    attr->kind = "type";
    ReadAllowedTypes(in, attr);
  }
  // TODO(02.3) end
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
  // TODO(02.3) begin: set the kind, and the allowed types
  if (!in->IsNext({"list", "("})) {
    attr->kind = ReadSimpleKind(in);
    return;
  }
  in->Expect("list");
  in->Expect("(");
  if (in->IsNext({"{"})) {
    ReadAllowedTypes(in, attr);
    attr->kind = "list(type)";
  } else {
    const std::string element = ReadSimpleKind(in);
    if (element == "tensor") in->Fail("there are no lists of tensors, another kind expected");
    attr->kind = "list(" + element + ")";
  }
  in->Expect(")");
  // TODO(02.3) end
}

// ">= 1", "= 3", or both.
void ReadMinimumAndDefault(Scanner* in, AttrDef* attr) {
  // TODO(02.3) begin: set what is there; only ints and lists have a minimum
  if (in->Consume(">=")) {
    if (attr->kind != "int" && !attr->kind.starts_with("list(")) {
      in->Fail(StrCat("the kind '", attr->kind, "' has no minimum,"));
    }
    attr->minimum = in->Integer();
  }
  if (in->Consume("=")) {
    attr->default_value = ReadValue(in, attr->kind);
    try {
      CheckAllowedValue(*attr, *attr->default_value);
    } catch (const Error& error) {
      in->Fail(error.status().message());
    }
  }
  // TODO(02.3) end
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
  // TODO(02.4) begin: check all three
  check(op.inputs);
  check(op.outputs);
  check(op.attrs);
  // TODO(02.4) end
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
  // TODO(02.4) begin: of "N * T", set number_attr; `word` becomes "T"
  if (in.Consume("*")) {
    const AttrDef* number = op.FindAttr(word);
    if (number == nullptr) in.Fail(StrCat("the op has no attribute '", word, "',"));
    if (number->kind != "int") {
      in.Fail(StrCat("attribute '", word, "' is a number of tensors, so kind int expected, not ",
                     number->kind, ","));
    }
    arg.number_attr = word;
    word = in.Word();
  }
  // TODO(02.4) end
  if (!in.AtEnd()) in.Fail("the end expected");

  // TODO(02.4) begin: set type, type_attr or type_list_attr, as `word` says
  if (const AttrDef* attr = op.FindAttr(word)) {
    if (attr->kind == "type") {
      arg.type_attr = word;
    } else if (attr->kind == "list(type)" && arg.number_attr.empty()) {
      arg.type_list_attr = word;
    } else {
      in.Fail(StrCat("attribute '", word, "' of kind ", attr->kind, " is no type here,"));
    }
  } else {
    arg.type = DTypeFromName(word);
    if (arg.type == DType::kInvalid) {
      in.Fail(StrCat("'", word, "' is neither a type nor an attribute,"));
    }
  }
  // TODO(02.4) end
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
  // TODO(02.4) begin: read attrs_, inputs_ and outputs_, and check op
  for (const std::string& spec : attrs_) op.attrs.push_back(ParseAttrDef(spec));
  for (const std::string& spec : inputs_) op.inputs.push_back(ParseArgDef(spec, op));
  for (const std::string& spec : outputs_) op.outputs.push_back(ParseArgDef(spec, op));
  CheckNamesDiffer(op);
  Require(op.shape_fn != nullptr, "op ", op.name, " has no shape function");
  // TODO(02.4) end
  return op;
}

}  // namespace minitf
