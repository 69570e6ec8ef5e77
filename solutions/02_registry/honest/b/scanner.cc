  // TODO(02.1) begin
  const bool is_next = rest_.substr(0, token.size()) == token;
  if (is_next) rest_ = rest_.substr(token.size());
  return is_next;
  // TODO(02.1) end

  // TODO(02.1) begin
  const auto end = std::ranges::find_if_not(rest_, IsWordCharacter);
  if (end == rest_.begin()) Fail("a name expected");
  return Take(end - rest_.begin());
  // TODO(02.1) end

  // TODO(02.1) begin
  SkipBlanks();
  const char quote = rest_.empty() ? ' ' : rest_.front();
  if (quote != '\'' && quote != '"') Fail("a text in quotes expected");
  const size_t size = rest_.substr(1).find(quote);
  if (size == std::string_view::npos) Fail(StrCat("a second ", quote, " expected"));
  return Take(size + 2).substr(1, size);
  // TODO(02.1) end

  // TODO(02.1) begin
  Expect(open);
  for (bool has_more = !Consume(close); has_more;) {
    read_one();
    has_more = Consume(",");
    if (!has_more) Expect(close);
  }
  // TODO(02.1) end
