// Text: printing lists, and finding the known name nearest to one that is not known.
//
// Read next  minitf/base/name_table.h

#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace minitf {

/// The elements of `list`, printed, with `separator` between them.
template <typename List>
std::string Join(const List& list, std::string_view separator) {
  std::ostringstream text;
  bool first = true;
  for (const auto& element : list) {
    if (!first) text << separator;
    text << element;
    first = false;
  }
  return text.str();
}

/// The candidate with the fewest edits from `name`, the first of several; or "" when none
/// is near. An edit puts in, takes out or replaces one letter. Near is: at most a third
/// as many edits as `name` has letters, rounded down, but one is always allowed.
std::string NearestName(std::string_view name,
                        const std::vector<std::string>& candidates);

/// "; did you mean 'X'?" for the nearest candidate, or "".
std::string DidYouMean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace minitf
