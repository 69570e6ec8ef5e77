// Checker: what is said of an access.
//
// Read next  kernels/simt/check/hooks.cc

#include <cstring>
#include <utility>

#include "kernels/simt/check/checker.h"
#include "kernels/simt/runtime/device_memory.h"
#include "kernels/simt/runtime/errors.h"
#include "kernels/simt/runtime/text.h"

namespace simt {
namespace {

// Two writes that wrote the same so often are taken to do so always.
constexpr int kDoubts = 64;

const char* TextOf(Space space) {
  switch (space) {
    case Space::kGlobal: return "global";
    case Space::kShared: return "shared";
    case Space::kModule: return "module";
  }
  return "";
}

// "byte 8 (float element 2)"
std::string Place(int64_t byte) {
  return Text("byte ", byte,
              byte % 4 == 0 ? Text(" (element ", byte / 4, " of 4 bytes)") : "");
}

std::string AllocatedAt(Site site) {
  return Text("cudaMalloc at ", FileName(site.file), ":", site.line);
}

}  // namespace

// ---- Names ----------------------------------------------------------------------------

std::string Checker::Running() const { return NameOf(position.thread, position.block); }

// It takes time to find it, so programs without findings never ask.
const std::string& Checker::Kernel() const {
  if (kernel_.empty()) {
    kernel_ = launch_.name != nullptr ? launch_.name : NameOfFunction(launch_.kernel);
  }
  return kernel_;
}

std::string Checker::DescribeGlobal(uintptr_t address) const {
  const Allocation one = DeviceMemory::Get().Nearest(reinterpret_cast<void*>(address));
  if (one.begin == nullptr) return "device memory, of which nothing is allocated";
  const auto byte = static_cast<int64_t>(address) - reinterpret_cast<int64_t>(one.begin);
  const auto size = static_cast<int64_t>(one.size);
  const std::string what = Text(one.is_freed ? "a freed " : "an ", "allocation of ",
                                one.size, " bytes (", AllocatedAt(one.site), ")");
  if (byte < 0) return Text(-byte, " bytes before ", what);
  if (byte < size) return Text(Place(byte), " of ", what);
  // It may be nearer to the one that follows.
  const auto* const far = reinterpret_cast<char*>(address) + 2 * (byte - size);
  const Allocation next = DeviceMemory::Get().Nearest(far);
  if (next.begin > reinterpret_cast<char*>(address)) {
    return Text(next.begin - reinterpret_cast<char*>(address),
                " bytes before an allocation of ", next.size, " bytes (",
                AllocatedAt(next.site), ")");
  }
  return Text(byte - size, " bytes past the end of ", what, ": ", Place(byte));
}

std::string Checker::Describe(uintptr_t address) const {
  if (address - arena_ < arena_size_) return DescribeGlobal(address);
  for (const Shared& shared : shared_) {
    if (!shared.region.Contains(address, 1)) continue;
    const int number = shared.variable_of[address - shared.region.begin];
    if (number == 0 || number == kUnwatched) return "shared memory between the variables";
    const SharedVariable& variable = shared.variables[number - 1];
    const auto byte = static_cast<int64_t>(address - variable.begin);
    return Text(Place(byte), " of __shared__ ", variable.name, " in ", variable.function,
                " (", variable.size, " bytes)");
  }
  const auto byte = static_cast<int64_t>(address - dynamic_shared_.begin);
  if (byte >= -static_cast<int64_t>(kPage) &&
      byte < static_cast<int64_t>(dynamic_shared_.size) + 65536 &&
      dynamic_shared_.begin != 0) {
    return Text(Place(byte), " of dynamic shared memory (", dynamic_shared_.size,
                " bytes)");
  }
  for (const auto& region : variables_) {
    if (region->Contains(address, 1)) return "a __device__ or __constant__ variable";
  }
  return Text("address ", Hex(address));
}

// ---- Findings -------------------------------------------------------------------------

void Checker::Found(Finding finding) {
  const std::lock_guard lock(mutex_);
  if (Block::current() != nullptr) finding.message += Text("\nin ", Kernel());
  findings_.Add(std::move(finding));
}

void Checker::ReportRace(const Access& earlier, bool was_write, bool is_write,
                         uintptr_t address, uintptr_t code, Space space) {
  const bool is_of_others = earlier.block() != block_;
  if (is_of_others && releases_.IsOrdered(earlier)) return;
  const bool is_doubted = was_write && is_write && !earlier.is_atomic();
  const uint64_t pair = uint64_t{earlier.code()} << 32 | Pack(code);
  const auto [known, is_new] = known_races_.emplace(pair, is_doubted ? kDoubts : 1);
  if (known->second == 0) return;  // it was told
  --known->second;

  const int thread = Block::current()->thread();
  std::string message =
      Text(was_write ? "write" : "read", " by ",
           NameOf(IndexOf(earlier.thread(), launch_.block),
                  IndexOf(earlier.block() - first_block_, launch_.grid)),
           "\n", is_write ? "write" : "read", " by ", Running(), "\non ",
           Describe(address), "\n");
  if (is_of_others) {
    message += "the blocks of a launch run in any order";
  } else {
    message += Text("no __syncthreads() between the two: both come after ",
                    earlier.interval(), " barriers");
    if (earlier.thread() / kWarpSize == thread / kWarpSize) {
      message += "; they are of one warp, so __syncwarp() is enough";
    }
  }
  Finding finding = {"race",
                     TextOf(space),
                     {SiteOf(Unpack(earlier.code())), SiteOf(code)},
                     std::move(message)};
  if (!is_doubted) return Found(std::move(finding));
  SettleDoubt();
  doubt_.address = address;
  doubt_.size = doubt_.before.size();
  doubt_.pair = pair;
  std::memcpy(doubt_.before.data(), reinterpret_cast<void*>(address & ~uintptr_t{3}), 4);
  doubt_.finding = std::move(finding);
}

// The second of two writes is done: was it the same value?
void Checker::SettleDoubt() {
  if (doubt_.size == 0) return;
  const auto* const now = reinterpret_cast<void*>(doubt_.address & ~uintptr_t{3});
  doubt_.finding.is_note = std::memcmp(doubt_.before.data(), now, doubt_.size) == 0;
  doubt_.size = 0;
  if (!doubt_.finding.is_note) known_races_[doubt_.pair] = 0;
  Found(std::move(doubt_.finding));
}

void Checker::ReportUnwritten(uintptr_t address, size_t size, uintptr_t code,
                              Space space) {
  Found({"uninit",
         TextOf(space),
         {SiteOf(code)},
         Text("read of ", size, " bytes by ", Running(), "\non ", Describe(address))});
}

void Checker::Refuse(const char* kind, const char* space, uintptr_t address, size_t size,
                     bool is_write, uintptr_t code) {
  SettleDoubt();
  const bool is_misaligned = std::strcmp(kind, "misaligned") == 0;
  Block::current()->GiveUp(
      {kind,
       space,
       {SiteOf(code)},
       Text(is_write ? "write" : "read", " of ", size, " bytes\nby ", Running(), "\non ",
            Describe(address), "\nthe launch ends here, as on a GPU")},
      is_misaligned ? cudaErrorMisalignedAddress : cudaErrorIllegalAddress);
}

void Checker::OutOfBounds(Site site, const char* type, int64_t index) {
  if (Block::current() == nullptr) {
    return Found(
        {"oob", "host", {site}, Text("index ", index, " in host code, of ", type)});
  }
  Block::current()->EnterEmulator();
  SettleDoubt();
  Block::current()->GiveUp(
      {"oob",
       "shared",
       {site},
       Text("index ", index, " of an array ", type, "\nby ", Running())},
      cudaErrorIllegalAddress);
}

void Checker::ReportHostAccess(uintptr_t address, uintptr_t code) {
  Found({"host-deref", "global", {SiteOf(code)}, Text("on ", Describe(address))});
}

}  // namespace simt
