// Which families the library was built with.
//
// Read next  docs/adding_a_family.md

#pragma once

#include <string>
#include <vector>

namespace minitf {

/// The families in the library, such as "image", in the order in which they were built.
std::vector<std::string> BuiltFamilies();

/// All families that the sources have, built or not.
std::vector<std::string> KnownFamilies();

}  // namespace minitf
