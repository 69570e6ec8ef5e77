// Profile: sectors and wavefronts, counted.
//
// Compare    CUDA C++ Programming Guide, sections 5.3.2 (device memory accesses) and
//            16.4.3 (shared memory); CUDA Occupancy Calculator
// Read next  kernels/simt/check/shadow.cc

#include "kernels/simt/check/profile.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <tuple>
#include <utility>

#include "kernels/simt/check/findings.h"
#include "kernels/simt/check/symbols.h"
#include "kernels/simt/runtime/block.h"
#include "kernels/simt/runtime/limits.h"
#include "kernels/simt/runtime/text.h"

namespace simt {
namespace {

constexpr unsigned kSector = 32;  // bytes
constexpr unsigned kBank = 4;     // bytes
constexpr unsigned kBanks = 32;
constexpr size_t kMaxBlocks = 64;  // of a launch that are recorded
constexpr size_t kExamples = 2;    // requests of a line that are kept

// The sectors or words that lanes touch, each once, by their numbers.
std::set<uint64_t> Units(const Request& request, unsigned unit) {
  std::set<uint64_t> units;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((request.mask >> lane & 1) == 0) continue;
    const uint64_t first = request.offsets[lane];
    for (uint64_t i = first / unit; i <= (first + request.size - 1) / unit; ++i) {
      units.insert(i);
    }
  }
  return units;
}

// The most different words that are wanted of one bank.
uint64_t Wavefronts(const Request& request) {
  std::array<uint64_t, kBanks> words = {};
  for (const uint64_t word : Units(request, kBank)) ++words[word % kBanks];
  return *std::max_element(words.begin(), words.end());
}

// A request as JSON. Offsets count from the beginning of a sector, or of shared memory:
// so they are the same in every run.
std::string Example(const Request& request, bool is_shared) {
  uint64_t first = UINT64_MAX;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if ((request.mask >> lane & 1) != 0) first = std::min(first, request.offsets[lane]);
  }
  first = is_shared ? 0 : first / kSector * kSector;
  std::string text = Text("{\"size\":", request.size, ",\"lanes\":[");
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (lane > 0) text += ',';
    const bool takes_part = (request.mask >> lane & 1) != 0;
    text += takes_part ? Text(request.offsets[lane] - first) : "null";
  }
  return text + "]}";
}

std::string Rounded(double number, const char* format) {
  char text[32];
  std::snprintf(text, sizeof(text), format, number);
  return text;
}

}  // namespace

void Profile::BlockBegins(size_t number, size_t blocks) {
  const size_t step = std::max<size_t>(1, blocks / kMaxBlocks);
  is_recording_ = is_enabled_ && number % step == 0;
}

void Profile::Record(uint64_t offset, unsigned size, bool is_shared, bool is_write,
                     uint32_t code, int thread) {
  const int lane = thread % kWarpSize;
  const uint64_t key = uint64_t{code} * 4 + is_shared * 2 + is_write;
  Instruction& instruction = warps_[thread / kWarpSize][key];
  const uint32_t time = instruction.times[lane]++;
  if (instruction.requests.size() <= time) instruction.requests.resize(time + 1);
  Request& request = instruction.requests[time];
  request.mask |= 1U << lane;
  request.size = size;
  request.offsets[lane] = offset;
}

void Profile::Flush() {
  if (!is_recording_) return;
  for (auto& warp : warps_) {
    for (auto& [key, instruction] : warp) {
      for (const Request& request : instruction.requests) {
        Add(request, (key & 2) != 0, &sums_[key]);
      }
    }
    warp.clear();
  }
}

void Profile::Add(const Request& request, bool is_shared, ProfileLine* line) const {
  if (request.mask == 0) return;
  const auto lanes = static_cast<uint64_t>(__builtin_popcount(request.mask));
  const uint64_t bytes = lanes * request.size;
  const unsigned unit = is_shared ? kBank * kBanks : kSector;
  ++line->requests;
  if (line->first.size() < kExamples) line->first.push_back(request);
  line->lanes += lanes;
  line->bytes += bytes;
  line->units += is_shared ? Wavefronts(request) : Units(request, kSector).size();
  line->ideal += (bytes + unit - 1) / unit;
}

void Profile::LaunchEnds(const std::string& kernel, const LaunchInfo& launch,
                         size_t static_shared,
                         const std::function<Site(uint32_t)>& site_of) {
  if (!is_enabled_) return;
  // Instructions of one line are one row.
  std::map<std::tuple<std::string, int, std::string>, ProfileLine> rows;
  for (auto& [key, sum] : sums_) {
    const Site site = site_of(static_cast<uint32_t>(key / 4));
    const char* const memory = (key & 2) != 0 ? "shared" : "global";
    const std::string kind = Text(memory, (key & 1) != 0 ? "-store" : "-load");
    ProfileLine& row = rows[{site.file == nullptr ? "" : site.file, site.line, kind}];
    row.kernel = kernel;
    row.kind = kind;
    row.site = site;
    row.requests += sum.requests;
    row.lanes += sum.lanes;
    row.bytes += sum.bytes;
    row.units += sum.units;
    row.ideal += sum.ideal;
    for (const Request& request : sum.first) {
      if (row.first.size() < kExamples) row.first.push_back(request);
    }
  }
  for (auto& [place, row] : rows) lines_.push_back(std::move(row));
  sums_.clear();

  const auto warps = static_cast<int>((launch.threads() + kWarpSize - 1) / kWarpSize);
  const size_t shared = static_shared + launch.dynamic_shared + limits::kSharedReserved;
  const int by_threads = limits::kThreadsOfProcessor / (warps * kWarpSize);
  const auto by_shared = static_cast<int>(limits::kSharedOfProcessor / shared);
  occupancy_.static_shared = static_shared;
  occupancy_.dynamic_shared = launch.dynamic_shared;
  occupancy_.blocks = std::min({by_threads, by_shared, limits::kBlocksOfProcessor});
  occupancy_.percent =
      occupancy_.blocks * warps * 100 / (limits::kThreadsOfProcessor / kWarpSize);
  occupancy_.limit = occupancy_.blocks == by_shared                    ? "shared memory"
                     : occupancy_.blocks == limits::kBlocksOfProcessor ? "blocks"
                                                                       : "threads";
}

std::string Profile::text() const {
  std::string text;
  std::string kernel;
  for (const ProfileLine& line : lines_) {
    if (line.kernel != kernel) text += Text("simt: profile of ", line.kernel, "\n");
    kernel = line.kernel;
    const bool is_shared = line.kind.starts_with("shared");
    const double lanes = static_cast<double>(line.lanes) / line.requests;
    text +=
        Text("simt:   ", FileName(line.site.file), ":", line.site.line, "  ", line.kind,
             "  ", line.requests, " requests, ", Rounded(lanes, "%.1f"), " lanes, ",
             Rounded(line.per_request(), "%.2f"), is_shared ? " wavefronts" : " sectors",
             " each (ideal ", Rounded(line.ideal_per_request(), "%.2f"), ")  | ",
             SourceLine(line.site), "\n");
  }
  if (!lines_.empty()) {
    text += Text("simt:   at most ", occupancy_.blocks, " blocks on a processor, ",
                 occupancy_.percent, "% of its warps, limited by ", occupancy_.limit,
                 " (", occupancy_.static_shared, " + ", occupancy_.dynamic_shared,
                 " bytes of shared memory; registers not counted). Counts, not times.\n");
  }
  return text;
}

std::string Profile::json() const {
  std::string text = "[";
  for (const ProfileLine& line : lines_) {
    text +=
        Text(text.size() > 1 ? "," : "", "{\"kernel\":", Quoted(line.kernel),
             ",\"kind\":", Quoted(line.kind),
             ",\"file\":", Quoted(FileName(line.site.file)), ",\"line\":", line.site.line,
             ",\"requests\":", line.requests, ",\"bytes\":", line.bytes,
             ",\"per_request\":", Rounded(line.per_request(), "%.3f"),
             ",\"ideal\":", Rounded(line.ideal_per_request(), "%.3f"), ",\"first\":[");
    for (const Request& request : line.first) {
      if (&request != line.first.data()) text += ',';
      text += Example(request, line.kind.starts_with("shared"));
    }
    text += "]}";
  }
  return text + "]";
}

void Profile::Clear() {
  lines_.clear();
  sums_.clear();
  for (auto& warp : warps_) warp.clear();
  occupancy_ = {};
}

}  // namespace simt
