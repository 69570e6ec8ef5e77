  // TODO(02.1) begin
  if (!rest_.starts_with(token)) return false;
  rest_.remove_prefix(token.size());
  return true;
  // TODO(02.1) end

  // TODO(02.1) begin
  size_t length = 0;
  while (length < rest_.size() && IsWordCharacter(rest_[length])) ++length;
  if (length == 0) Fail("a name expected");
  return Take(length);
  // TODO(02.1) end

  // TODO(02.1) begin
  SkipBlanks();
  const char quote = rest_.empty() ? ' ' : rest_.front();
  if (quote != '\'' && quote != '"') Fail("a text in quotes expected");
  const size_t end = rest_.find(quote, 1);
  if (end == std::string_view::npos) Fail(StrCat("no closing ", quote));
  Take(1);
  std::string result = Take(end - 1);
  Take(1);
  return result;
  // TODO(02.1) end

  // TODO(02.1) begin
  Expect(open);
  if (Consume(close)) return;
  do {
    read_one();
  } while (Consume(","));
  Expect(close);
  // TODO(02.1) end
