// InferenceContext: what a shape function sees, and the rules that many of them share.
//
// A shape function runs when a node is made, before there are values. It sees the known
// parts of the inputs' shapes, the attributes, and the values of constants. It sets what
// is known about the outputs, and throws if the inputs do not fit. An eager call runs the
// same function on real shapes.
//
// Compare    tensorflow/core/framework/shape_inference.h, common_shape_fns.h
// Read next  minitf/framework/shapes/array_shapes.h

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "minitf/framework/attrs.h"
#include "minitf/framework/op.h"
#include "minitf/tensor/shape.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

class InferenceContext {
 public:
  /// `values[i]` is the value of input i, or null where it is not known; `values` may be
  /// empty. `value_shapes[i]` is the shape that input i, taken as a list of sizes, is
  /// known to hold, in part; it may be empty too.
  InferenceContext(std::span<const PartialShape> inputs, std::span<const DType> types,
                   const Attrs& attrs, std::span<const Tensor* const> values,
                   std::span<const PartialShape> value_shapes = {})
      : inputs_(inputs),
        types_(types),
        attrs_(attrs),
        values_(values),
        value_shapes_(value_shapes) {}

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  const PartialShape& input(int i) const { return ElementAt(inputs_, i, "input"); }
  DType input_type(int i) const { return ElementAt(types_, i, "input"); }
  /// The value of input i, or null when it is not known yet.
  const Tensor* input_value(int i) const {
    return values_.empty() ? nullptr : ElementAt(values_, i, "input");
  }
  /// The known part of the shape whose sizes input i lists, or of a variable's shape.
  PartialShape InputAsShape(int i) const;

  const Attrs& attrs() const { return attrs_; }
  template <typename T>
  const T& attr(std::string_view name) const {
    return attrs_.Get<T>(name);
  }

  /// Throws InvalidArgument for a negative `i`. Finish throws if `i` is too large.
  void set_output(int i, PartialShape shape);
  const std::vector<PartialShape>& outputs() const { return outputs_; }
  /// Makes `count` outputs; a shape that is not set is unknown. Throws InvalidArgument if
  /// more are set.
  void Finish(int count);

  /// Input i. Throws if its rank is known and is not `rank`; `what` names the input.
  const PartialShape& WithRank(int i, int rank, std::string_view what) const;

 private:
  std::span<const PartialShape> inputs_;
  std::span<const DType> types_;
  const Attrs& attrs_;
  std::span<const Tensor* const> values_;
  std::span<const PartialShape> value_shapes_;
  std::vector<PartialShape> outputs_;
};

// ---- Rules that many ops share --------------------------------------------------------

/// Output 0 has the shape of input 0.
void UnchangedShape(InferenceContext* ctx);
/// All inputs have one shape, and output 0 has it too.
void MergedShape(InferenceContext* ctx);
/// Output 0 is what inputs 0 and 1 broadcast to.
void BroadcastShapeFn(InferenceContext* ctx);
/// Output 0 is a scalar.
void ScalarShape(InferenceContext* ctx);
/// Nothing is known of any output.
void UnknownShape(InferenceContext* ctx);
/// No outputs at all.
void NoOutputs(InferenceContext* ctx);

/// The shape that `x` and `y` broadcast to: sizes are aligned at the last axis, and a
/// size of 1 stretches. Throws InvalidArgument when two sizes differ and neither is 1.
PartialShape BroadcastShapes(const PartialShape& x, const PartialShape& y);
Shape BroadcastShapes(const Shape& x, const Shape& y);

/// The elements of an int32 or int64 tensor.
std::vector<int64_t> IntegersOf(const Tensor& tensor);
/// Those of input i, if its value is known.
std::optional<std::vector<int64_t>> KnownIntegers(InferenceContext* ctx, int i);

/// `axis`, counted from the end if negative, as one of [0, rank). Throws InvalidArgument.
int NormalizedAxis(int64_t axis, int rank);

}  // namespace minitf
