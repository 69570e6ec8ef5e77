// What cases of lab 01 call in C++: views by scripts of steps, shapes that broadcast, and
// plans of loops. Element types do not matter to layouts, so most of it has no elements.

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "kernels/cpu/common/broadcast_plan.h"
#include "kernels/cpu/math/reduction_plan.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/tensor/copy_elements.h"
#include "minitf/tensor/resource_handle.h"
#include "minitf/tensor/tensor_view.h"
#include "tests/labs/common/arrays.h"

namespace minitf {
namespace {

namespace py = pybind11;

using Numbers = std::vector<int64_t>;
using Step = std::pair<std::string, Numbers>;  // such as slice, {axis, begin, step, size}
using MaybeSizes = std::optional<Numbers>;     // none: not even the rank is known

Numbers AsVector(std::span<const int64_t> numbers) {
  return {numbers.begin(), numbers.end()};
}

// The view after a step; nothing after a reshape that would have to copy.
template <typename View>
std::optional<View> After(const View& view, const Step& step) {
  const auto& [name, numbers] = step;
  if (name == "slice") {
    return view.Slice(static_cast<int>(numbers[0]), numbers[1], numbers[2], numbers[3]);
  }
  if (name == "reverse") return view.Reverse(static_cast<int>(numbers[0]));
  if (name == "transpose") {
    return view.Transpose(std::vector<int>(numbers.begin(), numbers.end()));
  }
  if (name == "expand") return view.Expand(Shape(numbers));
  if (name == "reshape") return view.Reshape(Shape(numbers));
  throw Error(errors::InvalidArgument("no step ", name));
}

template <typename View>
std::optional<View> AfterAll(View view, const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    std::optional<View> next = After(view, step);
    if (!next.has_value()) return std::nullopt;
    view = *std::move(next);
  }
  return view;
}

StridedLayout LayoutOf(const Numbers& shape, const std::vector<Step>& steps) {
  std::optional<StridedLayout> layout = AfterAll(StridedLayout(Shape(shape)), steps);
  if (!layout.has_value()) throw Error(errors::Internal("a reshape gave no layout"));
  return *std::move(layout);
}

Numbers Strides(const Numbers& shape) {
  return AsVector(RowMajorStrides(Shape(shape)).span());
}

// What ExpandedStrides writes, and two numbers on each side of it. All are `mark` before.
Numbers ExpandedStridesBetween(const Numbers& shape, const Numbers& expanded,
                               int64_t mark) {
  constexpr size_t kBeside = 2;
  Numbers written(expanded.size() + 2 * kBeside, mark);
  ExpandedStrides(Shape(shape), Shape(expanded), written.data() + kBeside);
  return written;
}

// Sizes, strides and offset; None if a reshape would have to copy.
py::object Layout(const Numbers& shape, const std::vector<Step>& steps) {
  const auto layout = AfterAll(StridedLayout(Shape(shape)), steps);
  if (!layout.has_value()) return py::none();
  return py::make_tuple(AsVector(layout->sizes()), AsVector(layout->strides()),
                        layout->offset());
}

int64_t PlaceOf(const Numbers& shape, const std::vector<Step>& steps,
                const Numbers& index) {
  return LayoutOf(shape, steps).PlaceOf(index);
}

bool IsContiguous(const Numbers& shape, const std::vector<Step>& steps) {
  return LayoutOf(shape, steps).IsContiguous();
}

TensorView ViewOf(const Tensor& tensor, const std::vector<Step>& steps) {
  std::optional<TensorView> view = AfterAll(TensorView(tensor), steps);
  if (!view.has_value()) throw Error(errors::Internal("a reshape gave no view"));
  return *std::move(view);
}

using Caller = std::shared_ptr<int>;

// A copy of `tensor` in memory of its own, in memory of a caller, who is held as long as
// somebody uses it, or in the middle of a larger tensor.
Tensor CopyIn(const std::string& memory, const Tensor& tensor, const Caller& caller) {
  const Tensor copy = tensor.Clone();
  if (memory == "own") return copy;
  const int64_t count = copy.num_elements();
  if (memory == "borrowed") {
    return Tensor::Borrowed(copy.dtype(), copy.shape(), Tensor(copy).mutable_data(),
                            [copy, caller] {});
  }
  Require(memory == "part", "no memory is called ", memory);
  Tensor larger(copy.dtype(), Shape{3, count});
  for (int64_t i = 0; i < count; ++i) {  // the rows around it are the other way round
    CopyElements(copy, count - 1 - i, 1, &larger, i);
    CopyElements(copy, i, 1, &larger, count + i);
    CopyElements(copy, count - 1 - i, 1, &larger, 2 * count + i);
  }
  return larger.Slice(1, 2).Reshaped(copy.shape());
}

// The elements after Compact, whether they are the tensor's own, and whether somebody
// still holds on to the tensor once all views are gone.
py::tuple Compact(const py::array& array, const std::vector<Step>& steps,
                  const std::string& memory) {
  const auto caller = std::make_shared<int>();
  Tensor tensor = CopyIn(memory, TensorFromArray(array), caller);
  py::object elements;
  bool is_shared = false;
  {
    const Tensor compact = ViewOf(tensor, steps).Compact();
    is_shared = compact.SharesBufferWith(tensor);
    elements = ArrayOf(compact);
  }
  py::object after = ArrayOf(tensor);
  bool is_free = tensor.OwnsBuffer();
  if (memory == "borrowed") {
    tensor.Reset();
    is_free = caller.use_count() == 1;
  }
  return py::make_tuple(elements, is_shared, is_free, after);
}

class Numbered : public Resource {
 public:
  explicit Numbered(int64_t number) : number_(number) {}
  int64_t number() const { return number_; }
  std::string DebugString() const override { return "a number"; }

 private:
  int64_t number_;
};

// The compact copy of a view of a tensor of handles, of resources 0, 1, 2 and so on: the
// numbers of its resources; then how many handles each resource has, while the copy
// lives, and when copy and tensor are gone.
py::tuple CompactHandles(const Numbers& shape, const std::vector<Step>& steps) {
  using Pointer = std::shared_ptr<Resource>;
  Tensor tensor(DType::kResource, Shape(shape));
  std::vector<Pointer> resources;
  for (ResourceHandle& handle : tensor.mutable_flat<ResourceHandle>()) {
    resources.push_back(std::make_shared<Numbered>(resources.size()));
    handle = ResourceHandle(resources.back());
  }
  const int64_t most = ViewOf(tensor, steps).shape().num_elements() + 1;
  // Where references are not counted, these keep the resources; then they are lost.
  auto spare = std::make_unique<std::vector<Pointer>>();
  for (int64_t i = 0; i < most; ++i) {
    spare->insert(spare->end(), resources.begin(), resources.end());
  }
  const auto users = [&] {
    Numbers counts;
    for (const Pointer& one : resources) counts.push_back(one.use_count() - most - 1);
    return counts;
  };
  Tensor compact = ViewOf(tensor, steps).Compact();
  Numbers numbers;
  for (const ResourceHandle& handle : compact.flat<ResourceHandle>()) {
    numbers.push_back(static_cast<const Numbered&>(*handle.get()).number());
  }
  const Numbers alive = users();
  compact = Tensor();
  tensor = Tensor();
  const Numbers gone = users();
  if (std::ranges::any_of(gone, [](int64_t count) { return count < 0; })) {
    static_cast<void>(spare.release());
  }
  return py::make_tuple(numbers, alive, gone);
}

// Writes `value` at `index` of one view, and gives the tensor, and another view of it.
py::tuple WriteThrough(const Numbers& shape, const std::vector<Step>& steps,
                       const Numbers& index, int64_t value,
                       const std::vector<Step>& others) {
  Tensor tensor(DType::kInt64, Shape(shape));
  int64_t next = 0;
  for (int64_t& element : tensor.mutable_flat<int64_t>()) element = next++;
  const TensorView view = ViewOf(tensor, steps);
  const int64_t place = view.layout().PlaceOf(index);
  Require(0 <= place && place < tensor.num_elements(), "the place of [", index.size(),
          " numbers] is ", place, ", outside of the tensor");
  Tensor written = view.tensor();
  written.mutable_flat<int64_t>()[place] = value;
  const Tensor other = ViewOf(tensor, others).Compact();
  return py::make_tuple(ArrayFromTensor(tensor, Sharing::kNever), ArrayOf(other));
}

PartialShape PartialOf(const MaybeSizes& sizes) {
  return sizes.has_value() ? PartialShape(*sizes) : PartialShape();
}

// What shapes broadcast to, from the first to the last.
Numbers Broadcast(const std::vector<Numbers>& shapes) {
  Shape result(shapes[0]);
  for (const Numbers& shape : shapes) result = BroadcastShapes(result, Shape(shape));
  return result.ToVector();
}

MaybeSizes BroadcastPartial(const MaybeSizes& x, const MaybeSizes& y) {
  const PartialShape result = BroadcastShapes(PartialOf(x), PartialOf(y));
  if (!result.has_rank()) return std::nullopt;
  return AsVector(result.sizes());
}

// Blocks of zeros, of which the last one, given back, lay right behind another. While the
// others live, the next block of as many bytes is there: whoever looks at what is before
// its first axis finds one that stands still.
std::vector<std::vector<char>> ZerosBefore(size_t num_bytes) {
  const size_t num_zeros = num_bytes + sizeof(size_t);  // all of what malloc gives
  std::vector<std::vector<char>> blocks;
  const char* expected = nullptr;  // where a neighbour of the last block is
  for (int i = 0; i < 100; ++i) {
    const char* block = blocks.emplace_back(num_zeros).data();
    if (block == expected) break;
    expected = block + num_zeros + sizeof(size_t);
  }
  blocks.pop_back();
  return blocks;
}

// For the elements [begin,end) of the output, where the inputs' elements lie: an array
// [element, input]; how many elements each piece of a row has; and the sizes of all axes.
py::tuple Plan(const Numbers& output, const std::vector<Numbers>& inputs, int64_t begin,
               int64_t end) {
  std::vector<Shape> shapes;
  for (const Numbers& input : inputs) shapes.emplace_back(input);
  std::vector<const Shape*> pointers;
  for (const Shape& shape : shapes) pointers.push_back(&shape);
  const auto zeros = ZerosBefore(output.size() * sizeof(BroadcastPlan::Axis));
  const BroadcastPlan plan(Shape(output), pointers);
  std::vector<Numbers> places;
  Numbers counts;
  plan.ForEachRow(begin, end, [&](const auto& offsets, int64_t, int64_t count) {
    counts.push_back(count);
    for (int64_t k = 0; k < count; ++k) {
      Numbers& of_element = places.emplace_back();
      for (size_t i = 0; i < inputs.size(); ++i) {
        of_element.push_back(offsets[i] + k * plan.row().strides[i]);
      }
    }
  });
  Numbers sizes;
  for (const BroadcastPlan::Axis& axis : plan.axes()) sizes.push_back(axis.size);
  return py::make_tuple(places, counts, sizes);
}

// Of each axis of a plan its size, and 1 if it is reduced.
std::vector<Numbers> SizesAndKinds(const std::vector<BroadcastPlan::Axis>& axes) {
  std::vector<Numbers> found;
  for (const auto& axis : axes) found.push_back({axis.size, IsReduced(axis)});
  return found;
}

// The shape of the result, how many elements make one of it, the merged axes, the steps,
// and the axes that each step leaves.
py::tuple ReductionSteps(const Numbers& shape, const py::array& axes, bool keep_dims) {
  ReductionPlan plan = PlanReduction(Shape(shape), TensorFromArray(axes), keep_dims);
  const std::vector<Numbers> merged = SizesAndKinds(plan.axes);
  std::vector<Numbers> steps;
  std::vector<std::vector<Numbers>> left;  // the axes after each step
  while (std::ranges::any_of(plan.axes, IsReduced)) {
    const ReductionSizes sizes = NextStep(&plan.axes);
    steps.push_back({sizes.outer, sizes.length, sizes.inner});
    left.push_back(SizesAndKinds(plan.axes));
    Require(steps.size() <= shape.size(), "the steps come to no end");
  }
  return py::make_tuple(plan.output.ToVector(), plan.num_reduced, merged, steps, left);
}

}  // namespace
}  // namespace minitf

PYBIND11_MODULE(lab_01_driver, module) {
  module.def("strides", &minitf::Strides);
  module.def("expanded_strides", &minitf::ExpandedStridesBetween);
  module.def("layout", &minitf::Layout);
  module.def("place_of", &minitf::PlaceOf);
  module.def("is_contiguous", &minitf::IsContiguous);
  module.def("compact", &minitf::Compact);
  module.def("compact_handles", &minitf::CompactHandles);
  module.def("write_through", &minitf::WriteThrough);
  module.def("broadcast", &minitf::Broadcast);
  module.def("broadcast_partial", &minitf::BroadcastPartial);
  module.def("plan", &minitf::Plan);
  module.def("reduction_steps", &minitf::ReductionSteps);
}
