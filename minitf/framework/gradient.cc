// The gradient table, and what an emitter does with slices.

#include "minitf/framework/gradient.h"

#include <algorithm>
#include <utility>

#include "minitf/base/status.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

// Ids of slices. No emitter counts its ordinary values so far.
constexpr int64_t kFirstSlices = int64_t{1} << 62;

// Ops of one input that make nothing but zeros of zeros.
bool KeepsZeros(std::string_view op) {
  return op == "Cast" || op == "Identity" || op == "Neg";
}

// Throws which input of a call is none, or nothing that the emitter knows.
void CheckInputs(const Emitter& emitter, std::string_view op,
                 const std::vector<Value>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    Require(!inputs[i].is_none(), op, ": input ", i, " is none");
    try {
      emitter.dtype(inputs[i]);
    } catch (const Error& error) {
      throw Error(error.status().WithPrefix(StrCat(op, ": input ", i, ": ")));
    }
  }
}

}  // namespace

Value Emitter::Slices(const IndexedSlices& slices) {
  slices_.push_back(slices);
  return {kFirstSlices + static_cast<int64_t>(slices_.size()) - 1};
}

const IndexedSlices* Emitter::FindSlices(Value value) const {
  if (value.id < kFirstSlices) return nullptr;
  const auto i = static_cast<size_t>(value.id - kFirstSlices);
  Require(i < slices_.size(), "slices ", i, " are used, there are ", slices_.size());
  return &slices_[i];
}

Value Emitter::RowsOrAll(Value value) const {
  const IndexedSlices* slices = FindSlices(value);
  return slices == nullptr ? value : slices->values;
}

std::vector<Value> Emitter::PartsOf(Value value) const {
  if (value.is_none()) return {};
  const IndexedSlices* slices = FindSlices(value);
  if (slices == nullptr) return {value};
  return {slices->values, slices->indices, slices->dense_shape};
}

std::optional<Tensor> Emitter::KnownValue(Value value) const {
  return FindSlices(value) == nullptr ? ConstantOf(value) : std::nullopt;
}

PartialShape Emitter::shape(Value value) const {
  const IndexedSlices* slices = FindSlices(value);
  if (slices == nullptr) return ShapeOf(value);
  if (const auto sizes = ConstantOf(slices->dense_shape)) {
    return PartialShape(IntegersOf(*sizes));
  }
  const PartialShape rows = ShapeOf(slices->values);
  if (!rows.has_rank() || rows.rank() == 0) return {};
  std::vector<int64_t> sizes(rows.sizes().begin(), rows.sizes().end());
  sizes[0] = PartialShape::kUnknown;
  return PartialShape(sizes);
}

Value Emitter::Dense(Value value) {
  const IndexedSlices* found = FindSlices(value);
  if (found == nullptr) return value;
  if (const auto made = dense_.find(value.id); made != dense_.end()) return made->second;

  const IndexedSlices slices = *found;
  const auto at = [this](int32_t i) { return Constant(Tensor::Of<int32_t>({1}, {i})); };
  const Value count = EmitCall("StridedSlice", {slices.dense_shape, at(0), at(1), at(1)},
                               {{"shrink_axis_mask", int64_t{1}}})[0];
  const Value dense =
      EmitCall("UnsortedSegmentSum", {slices.values, slices.indices, count}, {})[0];
  dense_.emplace(value.id, dense);
  return dense;
}

// The sum of slices: the rows of all, one after another. No row is added to another yet.
Value Emitter::AppendedRows(const std::vector<Value>& terms) {
  std::vector<Value> values;
  std::vector<Value> indices;
  bool is_wide = false;
  for (const Value term : terms) {
    values.push_back(FindSlices(term)->values);
    indices.push_back(FindSlices(term)->indices);
    is_wide = is_wide || DTypeOf(indices.back()) == DType::kInt64;
  }
  for (Value& places : indices) {
    if (!is_wide || DTypeOf(places) == DType::kInt64) continue;
    places = EmitCall("Cast", {places}, {{"DstT", DType::kInt64}})[0];
  }
  const Value axis = Constant(Tensor::Scalar(int32_t{0}));
  values.push_back(axis);
  indices.push_back(axis);
  return Slices({EmitCall("ConcatV2", values, {})[0],
                 EmitCall("ConcatV2", indices, {})[0],
                 FindSlices(terms[0])->dense_shape});
}

std::vector<Value> Emitter::CallAll(std::string_view op, const std::vector<Value>& inputs,
                                    Attrs attrs) {
  CheckInputs(*this, op, inputs);
  const auto is_slices = [this](Value input) { return FindSlices(input) != nullptr; };
  if (!std::ranges::any_of(inputs, is_slices)) {
    return EmitCall(op, inputs, std::move(attrs));
  }
  if (op == "AddN" && std::ranges::all_of(inputs, is_slices)) {
    return {AppendedRows(inputs)};
  }
  if (KeepsZeros(op)) {
    IndexedSlices slices = *FindSlices(inputs[0]);
    slices.values = EmitCall(op, {slices.values}, std::move(attrs))[0];
    return {Slices(slices)};
  }
  std::vector<Value> dense;
  for (const Value input : inputs) dense.push_back(Dense(input));
  return EmitCall(op, dense, std::move(attrs));
}

void Emitter::BeginGradientOf(std::string_view name) {
  dense_.clear();
  EnterGradientOf(name);
}

void Emitter::BeginSumFor(Value value) {
  dense_.clear();
  EnterSumFor(value);
}

Registry<GradientEntry>& Gradients() {
  static Registry<GradientEntry> gradients("gradient");
  return gradients;
}

GradientRegistrar::GradientRegistrar(const std::string& op, GradientFn fn) {
  Register([&] { Gradients().Add(op, {std::move(fn)}); });
}

}  // namespace minitf
