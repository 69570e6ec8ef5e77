#include <algorithm>
#include <array>
#include <string_view>

  // TODO(02.2) begin
  if (in->Consume("<unknown>")) return {};
  std::vector<int64_t> sizes;
  in->List("[", "]", [&] {
    sizes.push_back(in->Consume("?") ? PartialShape::kUnknown : in->Integer());
    if (sizes.back() < PartialShape::kUnknown) {
      in->Fail(StrCat(sizes.back(), " is no size,"));
    }
  });
  return PartialShape(sizes);
  // TODO(02.2) end

  // TODO(02.2) begin
  in->List("[", "]", [&list, in, read_one] { list.push_back(read_one(in)); });
  // TODO(02.2) end

  // TODO(02.2) begin
  constexpr std::string_view kListOf = "list(";
  if (kind.starts_with(kListOf) && kind.ends_with(')')) {
    return ReadListValue(in, kind.substr(kListOf.size(), kind.size() - 6));
  }
  if (kind == "shape") return ReadShape(in);
  if (kind == "type") return ReadType(in);
  if (kind == "string") return in->Quoted();
  if (kind == "float") return in->Float();
  if (kind == "int") return in->Integer();
  if (kind == "bool") return ReadBool(in);
  in->Fail(StrCat("no value of kind '", kind, "' can be written,"));
  // TODO(02.2) end

  // TODO(02.3) begin
  const bool are_strings = in->IsNext({"{", "'"}) || in->IsNext({"{", "\""});
  attr->kind = are_strings ? "string" : "type";
  if (!are_strings) return ReadAllowedTypes(in, attr);
  in->List("{", "}", [&] { attr->allowed_strings.push_back(in->Quoted()); });
  // TODO(02.3) end

  // TODO(02.3) begin
  const bool is_list = in->IsNext({"list", "("});
  if (is_list) {
    in->Expect("list");
    in->Expect("(");
  }
  const bool has_allowed = is_list && in->IsNext({"{"});
  if (has_allowed) ReadAllowedTypes(in, attr);
  std::string kind = has_allowed ? "type" : ReadSimpleKind(in);
  if (is_list) {
    if (kind == "tensor") in->Fail("there are no lists of tensors,");
    in->Expect(")");
    kind = StrCat("list(", kind, ")");
  }
  attr->kind = std::move(kind);
  // TODO(02.3) end

  // TODO(02.3) begin
  if (in->Consume(">=")) {
    const bool may_have_one = attr->kind == "int" || attr->kind.starts_with("list(");
    if (!may_have_one) in->Fail(StrCat("a ", attr->kind, " has no minimum,"));
    attr->minimum = in->Integer();
  }
  if (!in->Consume("=")) return;
  attr->default_value.emplace(ReadValue(in, attr->kind));
  try {
    CheckAllowedValue(*attr, *attr->default_value);
  } catch (const Error& error) {
    in->Fail(error.status().message());
  }
  // TODO(02.3) end

  // TODO(02.4) begin
  check(op.attrs);
  check(op.outputs);
  check(op.inputs);
  // TODO(02.4) end

  // TODO(02.4) begin
  if (in.Consume("*")) arg.number_attr = std::exchange(word, in.Word());
  // TODO(02.4) end

  // TODO(02.4) begin
  const auto kind_of = [&op](const std::string& name) -> std::string {
    const AttrDef* attr = op.FindAttr(name);
    return attr == nullptr ? "no attribute" : attr->kind;
  };
  const std::string& number = arg.number_attr;
  if (!number.empty() && kind_of(number) != "int") {
    in.Fail(StrCat('\'', number, "' must be an int, is ", kind_of(number), ','));
  }
  arg.type = DTypeFromName(word);
  if (arg.type != DType::kInvalid) return arg;
  if (kind_of(word) == "type") {
    arg.type_attr = word;
  } else if (kind_of(word) == "list(type)" && number.empty()) {
    arg.type_list_attr = word;
  } else {
    in.Fail(StrCat('\'', word, "' must be a type, is ", kind_of(word), ','));
  }
  // TODO(02.4) end

  // TODO(02.4) begin
  std::ranges::transform(attrs_, std::back_inserter(op.attrs), ParseAttrDef);
  const auto parse = [&op](const std::string& spec) { return ParseArgDef(spec, op); };
  std::ranges::transform(inputs_, std::back_inserter(op.inputs), parse);
  std::ranges::transform(outputs_, std::back_inserter(op.outputs), parse);
  CheckNamesDiffer(op);
  Require(op.shape_fn != nullptr, "op ", op.name, " has no shape function");
  // TODO(02.4) end
