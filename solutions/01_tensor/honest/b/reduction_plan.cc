#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

  // TODO(01.10) begin
  return axis.size != 1 && axis.strides[0] == 0;
  // TODO(01.10) end

  // TODO(01.10) begin
  with_ones = input.ToVector();
  uint64_t num_reduced = 1;
  for (int axis = 0; axis < input.rank(); ++axis) {
    if (is_reduced[axis]) {
      num_reduced *= std::exchange(with_ones[axis], 1);
    } else {
      without.push_back(with_ones[axis]);
    }
  }
  plan.num_reduced = static_cast<int64_t>(num_reduced);
  // TODO(01.10) end

  // TODO(01.10) begin
  const auto last = std::find_if(axes->rbegin(), axes->rend(), IsReduced);
  const auto times = [](uint64_t count, const BroadcastPlan::Axis& axis) {
    return count * static_cast<uint64_t>(axis.size);
  };
  const auto before = std::next(last);
  sizes.outer = std::accumulate(before, axes->rend(), uint64_t{1}, times);
  sizes.length = last->size;
  sizes.inner = std::accumulate(axes->rbegin(), last, uint64_t{1}, times);
  axes->erase(before.base());
  // TODO(01.10) end
