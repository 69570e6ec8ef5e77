// Findings, and what can be done about each kind.
//
// Read next  kernels/simt/check/profile.cc

#include "kernels/simt/check/findings.h"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "kernels/simt/check/symbols.h"
#include "kernels/simt/runtime/settings.h"
#include "kernels/simt/runtime/text.h"

namespace simt {
namespace {

struct Kind {
  std::string_view name;
  std::string_view title;
  std::string_view hint;
};

constexpr Kind kKinds[] = {
    {"race", "data race",
     "the order of the two decides the result: put a barrier between them, or use an "
     "atomic"},
    {"oob", "access out of bounds",
     "compare the index with the size before; the last block may have threads too many"},
    {"uninit", "read of memory that nobody has written",
     "write it first; cudaMalloc and __shared__ do not give zeros"},
    {"uninit-copy", "copy of memory that nobody has written",
     "the kernel does not write all elements; or it did not run"},
    {"use-after-free", "access to freed memory", "free it after the last use"},
    {"misaligned", "misaligned access",
     "a vector of 8 or 16 bytes begins at a multiple of its size"},
    {"null-pointer", "access through a null pointer", "did the cudaMalloc succeed?"},
    {"host-pointer", "kernel uses a pointer to host memory",
     "allocate it by cudaMalloc, and copy it by cudaMemcpy"},
    {"host-deref", "host code uses a pointer to device memory",
     "copy it by cudaMemcpy first; on a GPU this is a crash"},
    {"foreign-local", "access to a local variable of another thread",
     "share by __shared__ or by global memory"},
    {"barrier-divergence", "not all threads reach the same barrier",
     "call __syncthreads() where all threads of the block come by: not in an if, and "
     "before any return"},
    {"warp-mask", "lanes of a warp miss each other",
     "name in the mask just those lanes that make this call"},
    {"deadlock", "deadlock", "all threads of a block must reach each __syncthreads()"},
    {"leak", "memory that is never freed", "call cudaFree"},
    {"bad-free", "cudaFree of something else", "free what cudaMalloc returned, once"},
    {"bad-memcpy", "cudaMemcpy that cannot work",
     "check the order of the pointers, the kind, and the size in bytes"},
    {"bad-memset", "cudaMemset that cannot work",
     "check the pointer and the size in bytes"},
    {"bad-launch", "launch that no device accepts",
     "check the sizes of grid and block, and cudaGetLastError() after each launch"},
    {"host-call", "kernel calls a function of the host",
     "launch, allocate, copy and wait in the code of the host, before or after it"},
    {"exception", "kernel that fails", "see the message"},
    {"stack-overflow", "stack overflow", "use fewer local variables, or no recursion"},
    {"limit", "kernel without an end",
     "does the condition of the loop change? Threads that wait for other blocks by "
     "spinning wait for ever"},
};

constexpr Kind kOther = {"", "finding", ""};

const Kind& KindOf(const std::string& name) {
  for (const Kind& kind : kKinds) {
    if (kind.name == name) return kind;
  }
  return kOther;
}

// Each line with "simt: " before it.
std::string TextOf(const Finding& finding) {
  const Kind& kind = KindOf(finding.kind);
  std::string text = Text("simt: ", finding.is_note ? "NOTE " : "ERROR ", kind.title);
  if (!finding.space.empty()) text += Text(" (", finding.space, " memory)");
  std::string_view rest = finding.message;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    text += Text("\nsimt:   ", rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  for (const Site& site : finding.places) {
    if (site.file == nullptr) continue;
    text += Text("\nsimt:   at ", FileName(site.file), ":", site.line, "  | ",
                 SourceLine(site));
  }
  if (finding.is_note) {
    text += "\nsimt:   both write the same value, so the result does not depend on it";
  } else if (!kind.hint.empty()) {
    text += Text("\nsimt:   hint: ", kind.hint);
  }
  return text + "\n";
}

std::vector<int> LinesOf(const Finding& finding) {
  std::vector<int> lines;
  for (const Site& site : finding.places) {
    if (site.file != nullptr) lines.push_back(site.line);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string KeyOf(const Finding& finding) {
  std::string key = finding.kind + "|" + finding.space;
  for (const Site& site : finding.places) {
    if (site.file != nullptr) key += Text("|", FileName(site.file));
  }
  for (const int line : LinesOf(finding)) key += Text(":", line);
  return key;
}

}  // namespace

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      quoted += ' ';
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

void Findings::Add(Finding finding) {
  const auto [place, is_new] = places_.emplace(KeyOf(finding), all_.size());
  if (!is_new) {
    Counted& known = all_[place->second];
    ++known.count;
    known.finding.is_note &= finding.is_note;
    return;
  }
  const bool is_shown =
      !is_quiet_ && static_cast<int64_t>(all_.size()) < Settings::Get().max_reports;
  if (is_shown) std::fputs(TextOf(finding).c_str(), stderr);
  all_.push_back({std::move(finding), 1});
}

int Findings::num_errors() const {
  return static_cast<int>(std::count_if(
      all_.begin(), all_.end(), [](const Counted& one) { return !one.finding.is_note; }));
}

std::string Findings::text(bool with_notes) const {
  std::string text;
  for (const Counted& one : all_) {
    if (with_notes || !one.finding.is_note) text += TextOf(one.finding);
  }
  return text;
}

std::string Findings::json() const {
  std::vector<std::string> rows;
  for (const auto& [finding, count] : all_) {
    std::string lines;
    for (const int line : LinesOf(finding)) {
      lines += Text(lines.empty() ? "" : ",", line);
    }
    std::string file;
    for (const Site& site : finding.places) {
      if (file.empty() && site.file != nullptr) file = FileName(site.file);
    }
    rows.push_back(Text("{\"kind\":", Quoted(finding.kind),
                        ",\"space\":", Quoted(finding.space), ",\"file\":", Quoted(file),
                        ",\"lines\":[", lines, "],\"count\":", count,
                        ",\"note\":", finding.is_note ? "true" : "false", "}"));
  }
  std::sort(rows.begin(), rows.end());
  std::string text = "[";
  for (const std::string& row : rows) text += (text.size() > 1 ? "," : "") + row;
  return text + "]";
}

void Findings::Clear() {
  all_.clear();
  places_.clear();
}

}  // namespace simt
