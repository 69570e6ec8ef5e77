// Families: CMake says which there are.

#include "minitf/contrib/families.h"

#include <sstream>

namespace minitf {

namespace {

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream stream(text);
  for (std::string name; std::getline(stream, name, ',');) names.push_back(name);
  return names;
}

}  // namespace

std::vector<std::string> BuiltFamilies() { return SplitAtCommas(MINITF_FAMILIES_BUILT); }

std::vector<std::string> KnownFamilies() { return SplitAtCommas(MINITF_FAMILIES_KNOWN); }

}  // namespace minitf
