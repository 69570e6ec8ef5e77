// Reading the short texts of REGISTER_OP.

#include "minitf/framework/op_def_parser.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>

namespace minitf {
namespace {

// Walks over a text from left to right. Blanks between words do not count.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text), rest_(text) {}

  bool AtEnd() {
    SkipBlanks();
    return rest_.empty();
  }

  bool Consume(std::string_view token) {
    SkipBlanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  bool ConsumeAll(std::initializer_list<std::string_view> tokens) {
    return std::ranges::all_of(tokens, [this](auto token) { return Consume(token); });
  }

  void Expect(std::string_view token) {
    if (!Consume(token)) Fail(StrCat("'", token, "' expected"));
  }

  // Letters, digits, underscores.
  std::string Word() {
    SkipBlanks();
    size_t size = 0;
    while (size < rest_.size() && (std::isalnum(rest_[size]) || rest_[size] == '_'))
      ++size;
    if (size == 0) Fail("a name expected");
    return Take(size);
  }

  // The text between two quotes of one kind.
  std::string Quoted() {
    const std::string quote = Consume("'") ? "'" : (Expect("\""), "\"");
    const size_t size = rest_.find(quote);
    if (size == std::string_view::npos) Fail("a closing quote expected");
    std::string result = Take(size);
    Expect(quote);
    return result;
  }

  template <typename Number>
  Number ReadNumber() {
    SkipBlanks();
    Number number{};
    const auto [end, error] = std::from_chars(rest_.begin(), rest_.end(), number);
    if (error != std::errc()) Fail("a number expected");
    rest_.remove_prefix(end - rest_.begin());
    return number;
  }

  [[noreturn]] void Fail(const std::string& what) const {
    throw Error(
        errors::InvalidArgument("in \"", text_, "\": ", what, " at \"", rest_, '"'));
  }

 private:
  void SkipBlanks() {
    while (!rest_.empty() && std::isspace(rest_.front())) rest_.remove_prefix(1);
  }

  std::string Take(size_t size) {
    std::string result(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return result;
  }

  std::string_view text_;
  std::string_view rest_;
};

// Calls `read` for each element of "[a, b, c]" or "{a, b, c}".
template <typename Read>
void ReadList(Scanner* in, std::string_view open, std::string_view close, Read read) {
  in->Expect(open);
  if (in->Consume(close)) return;
  do {
    read();
  } while (in->Consume(","));
  in->Expect(close);
}

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

PartialShape ReadShape(Scanner* in) {
  if (in->Consume("<unknown>")) return {};
  std::vector<int64_t> sizes;
  ReadList(in, "[", "]", [&] {
    sizes.push_back(in->Consume("?") ? PartialShape::kUnknown
                                     : in->ReadNumber<int64_t>());
  });
  return PartialShape(sizes);
}

AttrValue ReadValue(Scanner* in, const std::string& kind);

// A list of values of one kind, read by `read_one`.
template <typename T, typename ReadOne>
AttrValue ReadListOf(Scanner* in, ReadOne read_one) {
  std::vector<T> list;
  ReadList(in, "[", "]", [&] { list.push_back(read_one(in)); });
  return list;
}

AttrValue ReadListValue(Scanner* in, const std::string& element) {
  if (element == "bool") return ReadListOf<bool>(in, ReadBool);
  if (element == "type") return ReadListOf<DType>(in, ReadType);
  if (element == "shape") return ReadListOf<PartialShape>(in, ReadShape);
  if (element == "int") {
    return ReadListOf<int64_t>(in, [](Scanner* s) { return s->ReadNumber<int64_t>(); });
  }
  if (element == "float") {
    return ReadListOf<float>(in, [](Scanner* s) { return s->ReadNumber<float>(); });
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
  ReadList(in, "[", "]",
           [&] { elements.push_back(static_cast<uint8_t>(in->ReadNumber<int64_t>())); });
  return Tensor::Of(Shape{static_cast<int64_t>(elements.size())}, elements);
}

AttrValue ReadValue(Scanner* in, const std::string& kind) {
  if (kind == "tensor") return ReadTensor(in);
  if (kind == "bool") return ReadBool(in);
  if (kind == "int") return in->ReadNumber<int64_t>();
  if (kind == "float") return in->ReadNumber<float>();
  if (kind == "string") return in->Quoted();
  if (kind == "type") return ReadType(in);
  if (kind == "shape") return ReadShape(in);
  if (kind.starts_with("list("))
    return ReadListValue(in, kind.substr(5, kind.size() - 6));
  in->Fail(StrCat("a value of kind '", kind, "' cannot be written"));
}

void ReadAllowedTypes(Scanner* in, AttrDef* attr) {
  ReadList(in, "{", "}", [&] { attr->allowed_types.push_back(ReadType(in)); });
}

// "{half, float}" or "{'SAME', 'VALID'}": the kind follows from the first element.
void ReadAllowed(Scanner* in, AttrDef* attr) {
  if (!Scanner(*in).ConsumeAll({"{", "'"})) {
    attr->kind = "type";
    return ReadAllowedTypes(in, attr);
  }
  attr->kind = "string";
  ReadList(in, "{", "}", [&] { attr->allowed_strings.push_back(in->Quoted()); });
}

void ReadKind(Scanner* in, AttrDef* attr) {
  static const std::set<std::string> kinds = {"bool", "int",   "float", "string",
                                              "type", "shape", "tensor"};
  if (in->Consume("list(")) {
    const bool is_enumeration = Scanner(*in).Consume("{");
    if (is_enumeration) ReadAllowedTypes(in, attr);
    const std::string element = is_enumeration ? "type" : in->Word();
    if (!kinds.contains(element)) in->Fail(StrCat("no kind is called '", element, "',"));
    in->Expect(")");
    attr->kind = "list(" + element + ")";
    return;
  }
  attr->kind = in->Word();
  if (!kinds.contains(attr->kind)) {
    in->Fail(StrCat("no kind is called '", attr->kind, "',"));
  }
}

}  // namespace

AttrDef ParseAttrDef(const std::string& spec) {
  Scanner in(spec);
  AttrDef attr;
  attr.name = in.Word();
  in.Expect(":");
  const bool is_enumeration = Scanner(spec.substr(spec.find(':') + 1)).Consume("{");
  if (is_enumeration) {
    ReadAllowed(&in, &attr);
  } else {
    ReadKind(&in, &attr);
  }
  if (in.Consume(">=")) attr.minimum = in.ReadNumber<int64_t>();
  if (in.Consume("=")) attr.default_value = ReadValue(&in, attr.kind);
  if (!in.AtEnd()) in.Fail("the end expected");
  return attr;
}

ArgDef ParseArgDef(const std::string& spec, const OpDef& op) {
  Scanner in(spec);
  ArgDef arg;
  arg.name = in.Word();
  in.Expect(":");
  std::string word = in.Word();
  if (in.Consume("*")) {
    arg.number_attr = std::exchange(word, in.Word());
    const AttrDef* number = op.FindAttr(arg.number_attr);
    if (number == nullptr || number->kind != "int") {
      in.Fail(StrCat("'", arg.number_attr, "' is no attribute of kind int,"));
    }
  }
  if (!in.AtEnd()) in.Fail("the end expected");

  arg.type = DTypeFromName(word);
  if (arg.type != DType::kInvalid) return arg;
  const AttrDef* attr = op.FindAttr(word);
  if (attr == nullptr || (attr->kind != "type" && attr->kind != "list(type)")) {
    in.Fail(StrCat("'", word, "' is neither a type nor an attribute that holds one,"));
  }
  (attr->kind == "type" ? arg.type_attr : arg.type_list_attr) = word;
  return arg;
}

AttrValue ParseAttrValue(const std::string& kind, const std::string& text) {
  Scanner in(text);
  AttrValue value = ReadValue(&in, kind);
  if (!in.AtEnd()) in.Fail("the end expected");
  return value;
}

}  // namespace minitf
