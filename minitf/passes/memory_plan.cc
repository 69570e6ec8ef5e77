// MemoryPlan: packing boxes, and finding the boxes of a graph.
//
// Exercise   exercises/07_passes

#include "minitf/passes/memory_plan.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>

#include "minitf/base/status.h"

namespace minitf {
namespace {

// Up to so many buffers, random orders are tried too; more would take longer than the
// step that is planned.
constexpr size_t kFewBuffers = 64;
constexpr int kRandomOrders = 200;

using Order = std::vector<int>;

int64_t RoundedUp(int64_t size, int64_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

// Refuses what memory_plan.h says that PlanMemory refuses.
void Check(std::span<const BufferLife> buffers, int64_t alignment) {
  Require(alignment >= 1, "alignment is ", alignment);
  int64_t total = 0;
  for (const BufferLife& buffer : buffers) {
    // LAB(07.15) begin: refuse the buffer, or add its size
    Require(buffer.size >= 0, "a buffer has size ", buffer.size);
    Require(buffer.first_use <= buffer.last_use, "a buffer lives from ", buffer.first_use,
            " to ", buffer.last_use);
    constexpr int64_t kMax = int64_t{1} << 62;
    const bool fits = buffer.size <= (kMax - 1 - total) / alignment * alignment;
    Require(fits, "the sizes of all buffers add up to more than 2^62");
    total += RoundedUp(buffer.size, alignment);
    // LAB(07.15) end
  }
}

// Places boxes one by one, in a given order, each in the gap that it fills best.
class Packing {
 public:
  Packing(std::span<const BufferLife> buffers, int64_t alignment)
      : buffers_(buffers), alignment_(alignment) {
    plan_.offsets.assign(buffers.size(), 0);
  }

  // Stops early once the arena is not smaller than `limit`.
  MemoryPlan Pack(const Order& order, int64_t limit) {
    for (const int buffer : order) {
      Place(buffer);
      if (plan_.arena_size >= limit) break;
    }
    return std::move(plan_);
  }

 private:
  void Place(int buffer) {
    const int64_t size = RoundedUp(buffers_[buffer].size, alignment_);
    int64_t best_offset = -1;
    int64_t best_gap = std::numeric_limits<int64_t>::max();
    int64_t end = 0;  // of what lies below, as far as it has been looked at
    // LAB(07.14) begin: set best_offset
    for (const auto& [offset, placed] : placed_) {  // from the bottom up
      if (!buffers_[placed].Overlaps(buffers_[buffer])) continue;
      const int64_t gap = offset - end;
      if (gap >= size && gap < best_gap) {
        best_gap = gap;
        best_offset = end;
      }
      end = std::max(end, offset + RoundedUp(buffers_[placed].size, alignment_));
    }
    if (best_offset < 0) best_offset = end;
    // LAB(07.14) end
    plan_.offsets[buffer] = best_offset;
    plan_.arena_size = std::max(plan_.arena_size, best_offset + size);
    const std::pair<int64_t, int> entry = {best_offset, buffer};
    placed_.insert(std::ranges::upper_bound(placed_, entry), entry);
  }

  std::span<const BufferLife> buffers_;
  const int64_t alignment_;
  MemoryPlan plan_;
  std::vector<std::pair<int64_t, int>> placed_;  // by offset
};

// 0, 1, 2, ... sorted by what `key` says, smallest first.
template <typename Key>
Order SortedBy(size_t count, Key key) {
  Order order(count);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, key);
  return order;
}

// Orders that have done well: large first, long-lived first, by area, by birth, and from
// the busiest moment outward.
std::vector<Order> GoodOrders(std::span<const BufferLife> buffers) {
  const auto length = [&](int i) {
    return int64_t{buffers[i].last_use} - buffers[i].first_use + 1;
  };
  const size_t n = buffers.size();
  std::vector<Order> orders;
  orders.push_back(
      SortedBy(n, [&](int i) { return std::pair(-buffers[i].size, -length(i)); }));
  orders.push_back(
      SortedBy(n, [&](int i) { return std::pair(-length(i), -buffers[i].size); }));
  orders.push_back(SortedBy(n, [&](int i) {
    return -static_cast<double>(buffers[i].size) * static_cast<double>(length(i));
  }));
  orders.push_back(SortedBy(
      n, [&](int i) { return std::pair(buffers[i].first_use, -buffers[i].size); }));
  orders.push_back(SortedBy(
      n, [&](int i) { return std::pair(-buffers[i].last_use, -buffers[i].size); }));
  return orders;
}

}  // namespace

MemoryPlan PlanMemory(std::span<const BufferLife> buffers, int64_t alignment) {
  Check(buffers, alignment);
  const int64_t lower_bound = PeakOfLives(buffers, alignment);
  MemoryPlan best;
  best.offsets.assign(buffers.size(), 0);
  best.arena_size = std::numeric_limits<int64_t>::max();
  const auto try_order = [&](const Order& order) {
    MemoryPlan plan = Packing(buffers, alignment).Pack(order, best.arena_size);
    if (plan.arena_size < best.arena_size) best = std::move(plan);
  };

  for (const Order& order : GoodOrders(buffers)) {
    if (best.arena_size > lower_bound) try_order(order);
  }
  if (buffers.size() <= kFewBuffers) {
    std::minstd_rand random(1);  // the same plan for the same buffers
    Order order = SortedBy(buffers.size(), [&](int i) { return -buffers[i].size; });
    for (int i = 0; i < kRandomOrders && best.arena_size > lower_bound; ++i) {
      for (size_t j = order.size(); j > 1; --j) {
        std::swap(order[j - 1], order[random() % j]);
      }
      try_order(order);
    }
  }
  return best;
}

int64_t PeakOfLives(std::span<const BufferLife> buffers, int64_t alignment) {
  // LAB(07.15) begin: return the peak
  // Size comes when a life begins, and goes after it has ended. At one time what goes
  // goes first.
  std::vector<std::tuple<int64_t, int, int64_t>> changes;
  for (const BufferLife& life : buffers) {
    const int64_t size = RoundedUp(life.size, alignment);
    changes.emplace_back(life.first_use, 1, size);
    changes.emplace_back(int64_t{life.last_use} + 1, 0, -size);
  }
  std::ranges::sort(changes);
  int64_t alive = 0;
  int64_t peak = 0;
  for (const auto& [time, is_birth, change] : changes) {
    alive += change;
    peak = std::max(peak, alive);
  }
  return peak;
  // LAB(07.15) end
}

}  // namespace minitf
