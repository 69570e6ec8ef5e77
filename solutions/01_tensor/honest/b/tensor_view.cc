#include <functional>
#include <iterator>
#include <numeric>
#include <ranges>

    // TODO(01.7) begin
  int axis = layout_.rank() - 1;
  for (; axis >= 0 && index_[axis] + 1 == layout_.sizes()[axis]; --axis) {
    place_ -= index_[axis] * layout_.strides()[axis];
    index_[axis] = 0;
  }
  if (axis < 0) return;
  ++index_[axis];
  place_ += layout_.strides()[axis];
    // TODO(01.7) end

  // TODO(01.6) begin
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    const Run next{sizes[axis], strides[axis]};
    if (next.size == 1) continue;
    if (!runs.empty() && runs.back().stride == next.size * next.stride) {
      runs.back() = {runs.back().size * next.size, next.stride};
    } else {
      runs.push_back(next);
    }
  }
  // TODO(01.6) end

  // TODO(01.1) begin
  const std::span<const int64_t> sizes = shape.sizes();
  if (shape.num_elements() == 0) {
    std::fill_n(strides, sizes.size(), 0);
  } else {
    std::exclusive_scan(sizes.rbegin(), sizes.rend(),
                        std::reverse_iterator(strides + sizes.size()), int64_t{1},
                        std::multiplies<int64_t>());
  }
  // TODO(01.1) end

  // TODO(01.4) begin
  const std::span<const int64_t> wanted = shape.sizes();
  const auto may_become = [](int64_t from, int64_t to) { return from == to || from == 1; };
  if (sizes.size() <= wanted.size() &&
      std::ranges::equal(sizes, wanted.last(sizes.size()), may_become)) {
    return static_cast<int>(wanted.size() - sizes.size());
  }
  // TODO(01.4) end

  // TODO(01.4) begin
  const size_t added = shape.rank() - sizes.size();
  std::fill_n(strides, added, 0);
  std::ranges::transform(sizes, std::span(strides + added, sizes.size()), strides + added,
                         [](int64_t size, int64_t stride) { return size == 1 ? 0 : stride; });
  // TODO(01.4) end

  // TODO(01.2) begin
  if (size <= 0) return size == 0;
  if (begin < 0 || begin >= limit) return false;
  if (size == 1) return true;
  if (step == 0) return false;
  const auto distance = static_cast<uint64_t>(step);
  const uint64_t num_steps = step > 0 ? (limit - 1 - begin) / distance : begin / -distance;
  return static_cast<uint64_t>(size - 1) <= num_steps;
  // TODO(01.2) end

  // TODO(01.1) begin
  const auto is_on_axis = [](int64_t i, int64_t size) { return 0 <= i && i < size; };
  if (std::ranges::equal(index, sizes(), is_on_axis)) {
    return std::inner_product(index.begin(), index.end(), strides().begin(), offset_);
  }
  // TODO(01.1) end

  // TODO(01.5) begin
  const auto is_row_major = [this](const auto& self, int axis, int64_t expected) -> bool {
    if (axis < 0) return true;
    const int64_t size = sizes()[axis];
    return (size == 1 || strides()[axis] == expected) &&
           self(self, axis - 1, expected * size);
  };
  return IsEmpty() || is_row_major(is_row_major, rank() - 1, 1);
  // TODO(01.5) end

  // TODO(01.2) begin
  int64_t& stride = result.strides_.data()[axis];
  if (size > 0) result.offset_ += begin * stride;
  if (size > 1) stride *= step;
  result.sizes_.data()[axis] = size;
  // TODO(01.2) end

  // TODO(01.2) begin
  const int64_t size = sizes()[axis];
  return Slice(axis, size - 1, -1, size);
  // TODO(01.2) end

  // TODO(01.3) begin
  if (std::ranges::is_permutation(perm, std::views::iota(0, rank()))) {
    StridedLayout result = *this;
    const auto permute = [perm](std::span<const int64_t> from, int64_t* to) {
      std::ranges::transform(perm, to, [from](int axis) { return from[axis]; });
    };
    permute(sizes(), result.sizes_.data());
    permute(strides(), result.strides_.data());
    return result;
  }
  // TODO(01.3) end

  // TODO(01.6) begin
  auto run = runs.crbegin();
  int64_t behind = 1;  // how many elements a step along `run` passes over
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const int64_t size = shape.dim(axis);
    if (size == 1) continue;
    int64_t& stride = result.strides_.data()[axis];  // still that of a tensor of `shape`
    if (stride == behind * run->size) {
      behind = stride;
      ++run;
    }
    if (stride * size > behind * run->size) return std::nullopt;
    stride = stride / behind * run->stride;
  }
  // TODO(01.6) end

  // TODO(01.7) begin
  if (count > 0 && layout_.IsContiguous()) {
    const Tensor row = tensor_.Reshaped(Shape{tensor_.num_elements()});
    return row.Slice(layout_.offset(), layout_.offset() + count).Reshaped(shape);
  }
  Tensor result(tensor_.dtype(), shape);
  PlaceIterator from(layout_);
  for (int64_t to = 0; to < count; ++to, from.Next()) {
    CopyElements(tensor_, from.place(), 1, &result, to);
  }
  return result;
  // TODO(01.7) end
