// The nearest name, by the edit distance of Levenshtein (1966).
//
// Exercise   exercises/02_registry

#include "minitf/base/text.h"

#include <algorithm>
#include <numeric>

#include "minitf/base/lab.h"

namespace minitf {
namespace {

// How many letters must be put in, taken out or replaced to make b of a.
size_t EditDistance(std::string_view a, std::string_view b) {
  // TODO(02.6) begin: return it
  MINITF_TODO("02.6");
  // TODO(02.6) end
}

}  // namespace

std::string NearestName(std::string_view name,
                        const std::vector<std::string>& candidates) {
  // TODO(02.6) begin: return the candidate
  MINITF_TODO("02.6");
  // TODO(02.6) end
}

std::string DidYouMean(std::string_view name,
                       const std::vector<std::string>& candidates) {
  const std::string nearest = NearestName(name, candidates);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

}  // namespace minitf
