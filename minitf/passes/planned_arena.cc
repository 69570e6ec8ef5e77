// PlannedArena: one block, with a list of what is alive in it.

#include "minitf/passes/planned_arena.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "minitf/base/logging.h"
#include "minitf/base/status.h"

namespace minitf {
namespace {

constexpr std::align_val_t kAlignment{kPlanAlignment};
constexpr int kPoison = 0xFF;

}  // namespace

void PlannedArena::AlignedDelete::operator()(char* memory) const {
  ::operator delete(memory, kAlignment);
}

PlannedArena::PlannedArena(int64_t bytes, bool poisons)
    : size_(bytes),
      poisons_(poisons),
      memory_(
          static_cast<char*>(::operator new(std::max<int64_t>(bytes, 1), kAlignment))) {
  Poison({0, size_});
}

void PlannedArena::Expect(int64_t offset, int64_t bytes) {
  const bool is_inside = offset >= 0 && bytes >= 0 && bytes <= size_ - offset &&
                         offset % kPlanAlignment == 0;
  Require(is_inside, "there is no place for ", bytes, " bytes at ", offset,
          " in an arena of ", size_);
  expected_.push_back({offset, bytes});
}

bool PlannedArena::IsFree(const Place& place) const {
  const auto next = alive_.lower_bound(place.offset);
  if (next != alive_.end() && next->first < place.offset + place.bytes) return false;
  if (next == alive_.begin()) return true;
  const auto before = std::prev(next);
  return before->first + before->second <= place.offset;
}

void* PlannedArena::Allocate(size_t bytes) {
  const auto wanted = static_cast<int64_t>(bytes);
  const auto found = std::ranges::find(expected_, wanted, &Place::bytes);
  if (found == expected_.end() || bytes == 0) return CpuAllocator().Allocate(bytes);
  const Place place = *found;
  expected_.erase(found);
  if (!IsFree(place)) {
    ++num_conflicts_;
    VLOG(2) << "no place for " << bytes << " bytes at " << place.offset;
    return CpuAllocator().Allocate(bytes);
  }
  alive_.emplace(place.offset, place.bytes);
  ++num_planned_;
  ++stats_.num_allocations;
  stats_.bytes_in_use += wanted;
  stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
  return memory_.get() + place.offset;
}

void PlannedArena::Free(void* memory, size_t bytes) {
  const auto* address = static_cast<const char*>(memory);
  const bool is_mine = memory_.get() <= address && address < memory_.get() + size_;
  if (!is_mine) return CpuAllocator().Free(memory, bytes);
  const auto found = alive_.find(address - memory_.get());
  Poison({found->first, found->second});
  stats_.bytes_in_use -= found->second;
  alive_.erase(found);
}

void PlannedArena::Poison(const Place& place) {
  if (!poisons_ || place.bytes == 0) return;
  std::memset(memory_.get() + place.offset, kPoison, place.bytes);
}

void ExpectOutputs(const Node& node, const PlannedStep& step, const MemoryPlan& plan,
                   PlannedArena* arena) {
  arena->ExpectNothing();
  for (const PlannedTensor& planned : step.tensors) {
    if (planned.tensor.node != &node) continue;
    const BufferLife& life = step.buffers[planned.buffer];
    const bool is_fetched = life.last_use == static_cast<int>(step.order.size());
    if (!is_fetched) arena->Expect(plan.offsets[planned.buffer], life.size);
  }
}

}  // namespace minitf
