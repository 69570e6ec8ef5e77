  // TODO(02.2) begin
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

  // TODO(02.2) begin
  in->List("[", "]", [&] { list.push_back(read_one(in)); });
  // TODO(02.2) end

  // TODO(02.2) begin
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

  // TODO(02.3) begin
  if (in->IsNext({"{", "}"})) in->Fail("something that is allowed expected");
  if (in->IsNext({"{", "'"}) || in->IsNext({"{", "\""})) {
    attr->kind = "string";
    in->List("{", "}", [&] { attr->allowed_strings.push_back(in->Quoted()); });
  } else {
    attr->kind = "type";
    ReadAllowedTypes(in, attr);
  }
  // TODO(02.3) end

  // TODO(02.3) begin
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

  // TODO(02.3) begin
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

  // TODO(02.4) begin
  check(op.inputs);
  check(op.outputs);
  check(op.attrs);
  // TODO(02.4) end

  // TODO(02.4) begin
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

  // TODO(02.4) begin
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

  // TODO(02.4) begin
  for (const std::string& spec : attrs_) op.attrs.push_back(ParseAttrDef(spec));
  for (const std::string& spec : inputs_) op.inputs.push_back(ParseArgDef(spec, op));
  for (const std::string& spec : outputs_) op.outputs.push_back(ParseArgDef(spec, op));
  CheckNamesDiffer(op);
  Require(op.shape_fn != nullptr, "op ", op.name, " has no shape function");
  // TODO(02.4) end
