// Names of inputs in a GraphDef, and a translation of the GraphDef before its import.

#include "minitf/graph/graph_def_rewrite.h"

#include <charconv>

namespace minitf {
namespace {

GraphDefRewrite::Rewrite rewrite_before_import = nullptr;

}  // namespace

std::pair<std::string_view, int> ParseInput(std::string_view input) {
  if (input.starts_with('^')) return {input.substr(1), TensorName::kControl};
  const size_t colon = input.rfind(':');
  if (colon == std::string_view::npos) return {input, 0};
  int index = 0;
  const char* const end = input.data() + input.size();
  const auto [rest, error] = std::from_chars(input.data() + colon + 1, end, index);
  const bool is_index = error == std::errc() && rest == end && index >= 0;
  return is_index ? std::pair(input.substr(0, colon), index) : std::pair(input, 0);
}

GraphDefRewrite::GraphDefRewrite(Rewrite rewrite) { rewrite_before_import = rewrite; }

bool RewriteGraphDef(const proto::GraphDef& def, const ImportOptions& options,
                     proto::GraphDef* result) {
  return rewrite_before_import != nullptr && rewrite_before_import(def, options, result);
}

}  // namespace minitf
