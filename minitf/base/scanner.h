// Scanner: reads a short text from left to right, word by word. Blanks between words do
// not count. An error shows the text and the place where the reading stopped.
//
// Read next  minitf/base/logging.h

#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

namespace minitf {

class Scanner {
 public:
  /// `text` must outlive the scanner. A copy of a scanner looks ahead.
  explicit Scanner(std::string_view text) : text_(text), rest_(text) {}

  /// Whether there are only blanks left.
  bool AtEnd();

  /// Passes `token` if it comes next, after blanks. Whether it did.
  bool Consume(std::string_view token);

  /// Whether these come next, in this order; nothing is passed.
  bool IsNext(std::initializer_list<std::string_view> tokens) const;

  /// Passes `token`. Throws InvalidArgument "'=' expected" if something else comes next.
  void Expect(std::string_view token);

  /// Passes letters, digits and underscores, and returns them. Throws InvalidArgument if
  /// there are none.
  std::string Word();

  /// Passes a text between two quotes, both ' or both ", and returns what is between.
  std::string Quoted();

  /// Passes a number, such as -3 or 1e-3.
  int64_t Integer();
  float Float();

  /// Passes `open`, elements with commas between them, and `close`. Calls `read_one` for
  /// each element, which must pass it. There may be none.
  void List(std::string_view open, std::string_view close,
            const std::function<void()>& read_one);

  /// Throws InvalidArgument with the whole text, `what`, and what is left to read.
  [[noreturn]] void Fail(const std::string& what) const;

 private:
  void SkipBlanks();
  std::string Take(size_t size);

  std::string_view text_;
  std::string_view rest_;
};

}  // namespace minitf
