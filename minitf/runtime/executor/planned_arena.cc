// PlannedArena: one block, with a list of what is alive in it.

#include "minitf/runtime/executor/planned_arena.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "minitf/base/logging.h"
#include "minitf/base/status.h"

namespace minitf {
namespace {

constexpr int kPoison = 0xFF;

}  // namespace

PlannedArena::PlannedArena(int64_t bytes, bool poisons, Allocator* outside)
    : size_(bytes),
      poisons_(poisons),
      outside_(*outside),
      memory_(static_cast<char*>(outside->Allocate(static_cast<size_t>(bytes)))) {
  if (memory_ == nullptr && bytes > 0) {
    throw Error(errors::ResourceExhausted("the memory plan of a step needs ", bytes,
                                          " bytes on ", outside_.name(),
                                          RoomLeft(outside_)));
  }
  Poison({0, size_});
}

PlannedArena::~PlannedArena() {
  if (memory_ != nullptr) outside_.Free(memory_, static_cast<size_t>(size_));
}

void PlannedArena::Release() {
  {
    const std::lock_guard lock(mutex_);
    is_released_ = true;
    if (!IsDone()) return;  // Free will be called
  }
  delete this;
}

// Whether the arena can be destroyed: it is released, and none of its memory is in use.
// Frees the block as soon as no tensor lies in it. Requires: mutex_ is held.
bool PlannedArena::IsDone() {
  if (!is_released_ || !alive_.empty()) return false;
  if (memory_ != nullptr) outside_.Free(memory_, static_cast<size_t>(size_));
  memory_ = nullptr;
  return num_outside_ == 0;
}

void PlannedArena::Expect(int64_t offset, int64_t bytes) {
  const bool is_inside = offset >= 0 && bytes >= 0 && bytes <= size_ - offset &&
                         offset % kPlanAlignment == 0;
  Require(is_inside, "there is no place for ", bytes, " bytes at ", offset,
          " in an arena of ", size_);
  const std::lock_guard lock(mutex_);
  expected_.push_back({offset, bytes});
}

void PlannedArena::ExpectNothing() {
  const std::lock_guard lock(mutex_);
  expected_.clear();
}

bool PlannedArena::IsFree(const Place& place) const {
  const auto next = alive_.lower_bound(place.offset);
  if (next != alive_.end() && next->first < place.offset + place.bytes) return false;
  if (next == alive_.begin()) return true;
  const auto before = std::prev(next);
  return before->first + before->second <= place.offset;
}

void* PlannedArena::Allocate(size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    const auto wanted = static_cast<int64_t>(bytes);
    const auto found = std::ranges::find(expected_, wanted, &Place::bytes);
    if (found != expected_.end() && bytes > 0) {
      const Place place = *found;
      expected_.erase(found);
      if (IsFree(place)) return Take(place);
      ++num_conflicts_;
      VLOG(2) << "no place for " << bytes << " bytes at " << place.offset;
    }
    ++num_outside_;
  }
  void* const memory = outside_.Allocate(bytes);
  if (memory == nullptr) {
    const std::lock_guard lock(mutex_);
    --num_outside_;
  }
  return memory;
}

void* PlannedArena::Take(const Place& place) {
  alive_.emplace(place.offset, place.bytes);
  ++num_planned_;
  ++stats_.num_allocations;
  stats_.bytes_in_use += place.bytes;
  stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
  return memory_ + place.offset;
}

void PlannedArena::Free(void* memory, size_t bytes) {
  if (memory == nullptr) return;
  const auto* address = static_cast<const char*>(memory);
  {
    const std::lock_guard lock(mutex_);
    const bool is_inside =
        memory_ != nullptr && memory_ <= address && address < memory_ + size_;
    if (is_inside) {
      GiveBack(address);
    } else {
      outside_.Free(memory, bytes);
      --num_outside_;
    }
    if (!IsDone()) return;
  }
  delete this;
}

void PlannedArena::GiveBack(const char* memory) {
  const auto found = alive_.find(memory - memory_);
  Poison({found->first, found->second});
  stats_.bytes_in_use -= found->second;
  alive_.erase(found);
}

void PlannedArena::Poison(const Place& place) {
  if (!poisons_ || place.bytes == 0) return;
  std::memset(memory_ + place.offset, kPoison, static_cast<size_t>(place.bytes));
}

Allocator::Stats PlannedArena::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

int64_t PlannedArena::num_planned() const {
  const std::lock_guard lock(mutex_);
  return num_planned_;
}

int64_t PlannedArena::num_conflicts() const {
  const std::lock_guard lock(mutex_);
  return num_conflicts_;
}

}  // namespace minitf
