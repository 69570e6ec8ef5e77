// The nearest name, by the edit distance of Levenshtein (1966).
//
// Exercise   exercises/02_registry

#include "minitf/base/text.h"

#include <algorithm>
#include <numeric>

namespace minitf {
namespace {

// How many letters must be put in, taken out or replaced to make b of a.
size_t EditDistance(std::string_view a, std::string_view b) {
  // LAB(02.6) begin: return it
  // row[j] is the distance from what was seen of a to the first j letters of b.
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
  // LAB(02.6) end
}

}  // namespace

std::string NearestName(std::string_view name,
                        const std::vector<std::string>& candidates) {
  // LAB(02.6) begin: return the candidate
  std::string nearest;
  size_t fewest = std::max<size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const size_t edits = EditDistance(name, candidate);
    if (edits < fewest) {
      fewest = edits;
      nearest = candidate;
    }
  }
  return nearest;
  // LAB(02.6) end
}

std::string DidYouMean(std::string_view name,
                       const std::vector<std::string>& candidates) {
  const std::string nearest = NearestName(name, candidates);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

}  // namespace minitf
