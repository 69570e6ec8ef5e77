// Checker: what it knows of memory, and what it is told besides accesses.
//
// Read next  kernels/simt/check/checker_reports.cc

#include "kernels/simt/check/checker.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>

#include "kernels/simt/runtime/device_memory.h"
#include "kernels/simt/runtime/errors.h"
#include "kernels/simt/runtime/limits.h"
#include "kernels/simt/runtime/settings.h"
#include "kernels/simt/runtime/text.h"

namespace simt {
namespace {

constexpr size_t kMostFilled = size_t{4} << 20;  // bytes

// At the end of a program: what was asked for by the environment.
void Finish() {
  checker->ReportLeaks();
  const Settings& settings = Settings::Get();
  if (settings.profile) std::fputs(checker->profile().text().c_str(), stderr);
  const size_t found = checker->findings().all().size();
  if (found > 0) std::fprintf(stderr, "simt: %zu finding(s)\n", found);
  if (!settings.json.empty()) {
    std::ofstream(settings.json) << "{\"findings\":" << checker->findings().json()
                                 << ",\"profile\":" << checker->profile().json() << "}\n";
  }
}

}  // namespace

Checker& Checker::Get() {
  static auto& one = *new Checker;
  return one;
}

Checker::Checker()
    : access_limit_(Settings::Get().access_limit),
      seed_(Settings::Get().seed),
      preempt_(static_cast<int>(Settings::Get().preempt)) {
  profile_.set_enabled(Settings::Get().profile);
  const DeviceMemory& memory = DeviceMemory::Get();
  arena_ = memory.begin();
  arena_size_ = memory.reserved();
  regions_of_pages_ = ZeroArray<Region*>(arena_size_ / kPage + 1);
  dynamic_shared_.space = Space::kShared;
  dynamic_shared_.cells = ZeroArray<Cell>(limits::kSharedMost / 4 + 1);
  dynamic_shared_.written = ZeroArray<uint8_t>(limits::kSharedMost / 4 + 1);
}

void Checker::AddCode(uintptr_t address) {
  code_.push_back(address);
  knows_modules_ = false;
  if (observer() != nullptr) return;
  checker = this;
  SetObserver(this);
  std::atexit(Finish);
}

void Checker::SetSchedule(uint64_t seed, int preempt) {
  seed_ = seed;
  preempt_ = preempt;
}

// ---- Modules --------------------------------------------------------------------------

// The __shared__ and __device__ variables of all code in check mode, for this thread.
void Checker::FindShared() {
  if (knows_modules_ && position_of_thread_ == &position) return;
  shared_.clear();
  shared_size_ = 0;
  variables_.clear();
  code_ranges_.clear();
  for (Module& module : FindModules(code_)) {
    code_ranges_.push_back(module.code);
    for (const Range& range : module.writable) {
      const uintptr_t begin = range.begin & ~uintptr_t{3};
      variables_.push_back(
          std::make_unique<Region>(begin, range.end - begin, Space::kModule));
    }
    const Range memory = module.thread_local_;
    if (memory.begin == 0 || module.shared.empty()) continue;
    Shared shared;
    const uintptr_t begin = memory.begin & ~uintptr_t{3};
    shared.region = Region(begin, memory.end - begin, Space::kShared);
    constexpr size_t kMostBytes = 16;  // of an access, which may go on past the end
    shared.variable_of = ZeroArray<uint16_t>(memory.end - begin + kMostBytes);
    shared.variables = std::move(module.shared);
    for (size_t i = 0; i < shared.variables.size(); ++i) {
      const SharedVariable& variable = shared.variables[i];
      for (size_t byte = 0; byte < variable.size; ++byte) {
        shared.variable_of[variable.begin - begin + byte] =
            variable.name.empty() ? kUnwatched : static_cast<uint16_t>(i + 1);
      }
    }
    shared_.push_back(std::move(shared));
  }
  if (!shared_.empty()) {
    first_shared_ = shared_.data();
    shared_begin_ = first_shared_->region.begin;
    shared_size_ = first_shared_->region.size;
  }
  if (!code_ranges_.empty()) first_code_ = code_ranges_[0];
  knows_modules_ = true;
  position_of_thread_ = &position;
}

uint32_t Checker::PackOther(uintptr_t code) const {
  for (size_t i = 0; i < code_ranges_.size(); ++i) {
    if (code_ranges_[i].Contains(code)) {
      return static_cast<uint32_t>(i << 28 | (code - code_ranges_[i].begin));
    }
  }
  return 0;
}

uintptr_t Checker::Unpack(uint32_t code) const {
  return code_ranges_[code >> 28].begin + (code & 0xfffffff);
}

// ---- Launches -------------------------------------------------------------------------

void Checker::LaunchBegins(const LaunchInfo& launch) {
  mutex_.lock();  // until the launch ends
  const auto kernel = reinterpret_cast<uintptr_t>(launch.kernel);
  if (PackOther(kernel) == 0) AddCode(kernel);
  FindShared();
  launch_ = launch;
  kernel_.clear();
  first_block_ = block_ + 1;
  accesses_ = 0;
  shared_in_use_ = 0;
  random_ = seed_ + 1;
  known_races_.clear();
  releases_.LaunchBegins();
}

void Checker::LaunchEnds() {
  SettleDoubt();
  if (profile_.is_enabled()) {
    profile_.LaunchEnds(Kernel(), launch_, shared_in_use_,
                        [this](uint32_t code) { return SiteOf(Unpack(code)); });
  }
  mutex_.unlock();
}

size_t Checker::SharedInUse() const {
  size_t bytes = 0;
  for (const Shared& shared : shared_) {
    for (const SharedVariable& variable : shared.variables) {
      const bool is_ours = !variable.name.empty();
      if (is_ours && shared.region.HasWritten(variable.begin, variable.size)) {
        bytes += variable.size;
      }
    }
  }
  return bytes;
}

void Checker::BlockBegins(size_t number, const void* dynamic_shared) {
  block_ = first_block_ + static_cast<uint32_t>(number);
  for (Shared& shared : shared_) shared.region.ForgetWritten();
  dynamic_shared_.begin = reinterpret_cast<uintptr_t>(dynamic_shared);
  dynamic_shared_.size = launch_.dynamic_shared;
  std::memset(dynamic_shared_.written.data(), 0, launch_.dynamic_shared / 4 + 1);
  releases_.BlockBegins();
  profile_.BlockBegins(number, launch_.blocks());
  is_slow_ = profile_.is_recording() || preempt_ > 0;
}

void Checker::BlockEnds() {
  SettleDoubt();
  profile_.Flush();
  if (profile_.is_recording()) {
    shared_in_use_ = std::max(shared_in_use_, SharedInUse());
  }
}

void Checker::BarrierReleased() {
  SettleDoubt();
  profile_.Flush();
}

void Checker::Fenced() {
  if (Block::current() != nullptr) releases_.Fenced(Block::current()->thread());
}

// ---- Memory ---------------------------------------------------------------------------

void Checker::Allocated(void* memory, size_t size, Site site) {
  const std::lock_guard lock(mutex_);
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  try {
    Region* const region = &global_.emplace_back(begin, size, Space::kGlobal, site);
    for (size_t page = 0; page * kPage < size; ++page) {
      regions_of_pages_[(begin - arena_) / kPage + page] = region;
    }
  } catch (const std::bad_alloc&) {
    Found({"limit",
           "global",
           {site},
           Text("there is no memory left to watch ", size, " bytes")});
  }
  // Nobody shall take it for zeros. All of a large piece would take long.
  std::memset(memory, 0xcb, std::min(size, kMostFilled));
}

void Checker::Freed(void* memory) {
  const std::lock_guard lock(mutex_);
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  Region* const region = regions_of_pages_[(begin - arena_) / kPage];
  if (region == nullptr) return;
  const size_t pages = (region->size + kPage - 1) / kPage;
  std::fill_n(&regions_of_pages_[(begin - arena_) / kPage], pages, nullptr);
  *region = Region();
}

void Checker::Set(const void* to, size_t size) {
  const std::lock_guard lock(mutex_);
  const auto begin = reinterpret_cast<uintptr_t>(to);
  Region* const region = regions_of_pages_[(begin - arena_) / kPage];
  if (region != nullptr) region->MarkWritten(begin, size);
}

void Checker::Copied(const void* to, const void* from, size_t size, Site site) {
  const std::lock_guard lock(mutex_);
  const auto target = reinterpret_cast<uintptr_t>(to);
  const auto source = reinterpret_cast<uintptr_t>(from);
  if (source - arena_ < arena_size_) {
    const Region* const region = regions_of_pages_[(source - arena_) / kPage];
    const size_t first = region == nullptr ? size : region->FindUnwritten(source, size);
    if (first < size) {
      Found({"uninit-copy",
             "global",
             {site},
             Text("of ", size, " bytes, the first that nobody has written is\n",
                  Describe(source + first))});
    }
  }
  if (target - arena_ < arena_size_) Set(to, size);
}

std::string Checker::TakeErrors() {
  const std::lock_guard lock(mutex_);
  std::string text = findings_.text(/*with_notes=*/false);
  findings_.Clear();
  return text;
}

void Checker::ReportLeaks() {
  if (!finds_leaks_) return;
  for (const Allocation& one : DeviceMemory::Get().Live()) {
    Found({"leak",
           "global",
           {one.site},
           Text(one.size, " bytes of device memory, allocated here")});
  }
}

}  // namespace simt
