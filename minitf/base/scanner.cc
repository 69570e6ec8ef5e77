// Words, numbers, quoted texts and lists.
//
// Exercise   exercises/02_registry

#include "minitf/base/scanner.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "minitf/base/status.h"

namespace minitf {
namespace {

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The number at the start of *rest, which then starts behind it; false if there is none.
template <typename Number>
bool TakeNumber(std::string_view* rest, Number* number) {
  const auto [end, error] = std::from_chars(rest->begin(), rest->end(), *number);
  if (error != std::errc()) return false;
  rest->remove_prefix(end - rest->begin());
  return true;
}

}  // namespace

bool Scanner::AtEnd() {
  SkipBlanks();
  return rest_.empty();
}

bool Scanner::Consume(std::string_view token) {
  SkipBlanks();
  // LAB(02.1) begin: move rest_ behind `token` if it starts with it
  if (!rest_.starts_with(token)) return false;
  rest_.remove_prefix(token.size());
  return true;
  // LAB(02.1) end
}

bool Scanner::IsNext(std::initializer_list<std::string_view> tokens) const {
  Scanner ahead = *this;
  return std::ranges::all_of(tokens, [&](auto token) { return ahead.Consume(token); });
}

void Scanner::Expect(std::string_view token) {
  if (!Consume(token)) Fail(StrCat("'", token, "' expected"));
}

std::string Scanner::Word() {
  SkipBlanks();
  // LAB(02.1) begin: Take the characters of a word, or Fail("a name expected")
  const auto end = std::ranges::find_if_not(rest_, IsWordCharacter);
  if (end == rest_.begin()) Fail("a name expected");
  return Take(end - rest_.begin());
  // LAB(02.1) end
}

std::string Scanner::Quoted() {
  // LAB(02.1) begin: return what is between the quotes; a text has no quote of its kind
  const std::string_view quote = Consume("'") ? "'" : "\"";
  if (quote == "\"") Expect(quote);
  const size_t size = rest_.find(quote);
  if (size == std::string_view::npos) Fail("a closing quote expected");
  std::string between = Take(size);
  Take(1);
  return between;
  // LAB(02.1) end
}

int64_t Scanner::Integer() {
  SkipBlanks();
  int64_t number = 0;
  if (!TakeNumber(&rest_, &number)) Fail("a number expected");
  return number;
}

float Scanner::Float() {
  SkipBlanks();
  float number = 0;
  if (!TakeNumber(&rest_, &number)) Fail("a number expected");
  return number;
}

void Scanner::List(std::string_view open, std::string_view close,
                   const std::function<void()>& read_one) {
  // LAB(02.1) begin: pass the list
  Expect(open);
  if (Consume(close)) return;
  do {
    read_one();
  } while (Consume(","));
  Expect(close);
  // LAB(02.1) end
}

void Scanner::Fail(const std::string& what) const {
  throw Error(
      errors::InvalidArgument("in \"", text_, "\": ", what, " at \"", rest_, '"'));
}

void Scanner::SkipBlanks() {
  while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front()))) {
    rest_.remove_prefix(1);
  }
}

// The next `size` characters, which are passed.
std::string Scanner::Take(size_t size) {
  std::string result(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return result;
}

}  // namespace minitf
