// Gradient functions: how an op passes a gradient from its outputs to its inputs.
//
// A gradient function computes nothing itself. It calls further ops, through an Emitter:
// that of a graph makes nodes of the calls, that of an eager tape runs them at once. So
// one gradient function serves both modes, and Python's @tf.RegisterGradient fills the
// same table.
//
// Notation: L is what is differentiated, y an output, and dy is short for dL/dy. A
// gradient that is zero because nothing depends on it is a Value that is not there:
// Value::None(). One in which few rows are not zero is a Value that stands for slices: a
// gradient function that hands dy on unchanged hands on the slices, and one that calls an
// op with it calls it with a dense tensor.
//
// Compare    tensorflow/cc/framework/grad_op_registry.h and
//            tensorflow/python/ops/math_grad.py, which TensorFlow keeps side by side
// Read next  minitf/ops/type_lists.h

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "minitf/framework/attrs.h"
#include "minitf/framework/op.h"
#include "minitf/framework/registry.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

/// A name for one value: an edge of a graph, or a tensor on a tape. Only its emitter can
/// tell which.
struct Value {
  int64_t id = -1;

  static Value None() { return {}; }
  bool is_none() const { return id < 0; }

  friend bool operator==(Value a, Value b) { return a.id == b.id; }
};

/// A gradient that is zero except in few rows, as that of a lookup: values[i] is added to
/// row indices[i] of zeros of the shape `dense_shape`. Called tf.IndexedSlices in Python.
struct IndexedSlices {
  Value values;       ///< [n,row...]
  Value indices;      ///< [n]
  Value dense_shape;  ///< [rank]: that of the whole gradient, as int32 or int64
};

class Emitter {
 public:
  virtual ~Emitter() = default;

  /// Calls an op, and returns its outputs. Throws what the op's definition, or in eager
  /// mode its kernel, has against the inputs. Inputs that are slices are made dense
  /// first, except where an op keeps zeros: AddN of slices only is the rows of all, and
  /// Cast, Identity and Neg change the rows.
  std::vector<Value> CallAll(std::string_view op, const std::vector<Value>& inputs,
                             Attrs attrs);

  /// A constant.
  virtual Value Constant(const Tensor& value) = 0;

  DType dtype(Value value) const { return DTypeOf(RowsOrAll(value)); }
  /// The shape as far as it is known; in eager mode all of it.
  PartialShape shape(Value value) const;
  /// The value itself where it is known already: in eager mode always, in a graph that of
  /// a constant. Empty otherwise, and for slices.
  std::optional<Tensor> KnownValue(Value value) const;

  /// A Value that stands for `slices`.
  Value Slices(const IndexedSlices& slices);
  /// What `value` stands for; null if it is an ordinary one.
  const IndexedSlices* FindSlices(Value value) const;
  /// `value` as an ordinary one: the sum of the slices in each row.
  Value Dense(Value value);
  /// What a caller gets of a gradient: nothing for none, `value` itself, or the three
  /// parts of slices.
  std::vector<Value> PartsOf(Value value) const;

  /// Told before the gradient of the node `name` is asked for, so that a graph can name
  /// the new nodes after it.
  void BeginGradientOf(std::string_view name);

  /// Told before the gradient of `value` is started or summed up, so that a graph with
  /// loops can do it in the iteration that `value` belongs to.
  void BeginSumFor(Value value);

  /// Calls an op that has one output.
  Value Call(std::string_view op, const std::vector<Value>& inputs, Attrs attrs = {}) {
    return CallAll(op, inputs, std::move(attrs))[0];
  }

 protected:
  // The same for ordinary values only.
  virtual std::vector<Value> EmitCall(std::string_view op,
                                      const std::vector<Value>& inputs, Attrs attrs) = 0;
  virtual DType DTypeOf(Value value) const = 0;
  virtual PartialShape ShapeOf(Value value) const = 0;
  virtual std::optional<Tensor> ConstantOf(Value value) const = 0;
  virtual void EnterGradientOf(std::string_view /*name*/) {}
  virtual void EnterSumFor(Value /*value*/) {}

 private:
  Value RowsOrAll(Value value) const;
  Value AppendedRows(const std::vector<Value>& terms);

  std::vector<IndexedSlices> slices_;
  // What Dense has made since the last Begin. Not longer: a node of a loop's body is of
  // no use outside of it.
  std::unordered_map<int64_t, Value> dense_;
};

/// All that a gradient function may look at.
struct GradientContext {
  Emitter& emitter;
  const OpDef& op;
  const Attrs& attrs;
  const std::vector<Value>& inputs;
  const std::vector<Value>& outputs;
  const std::vector<Value>& dy;  ///< dL/d(outputs[i]), or none
  std::string_view node_name;    ///< of the node that is differentiated; may be empty

  /// Short forms of the emitter's calls, so that a formula reads as one.
  Value Call(std::string_view name, const std::vector<Value>& values,
             Attrs settings = {}) const {
    return emitter.Call(name, values, std::move(settings));
  }
  template <typename T>
  const T& attr(std::string_view name) const {
    return attrs.Get<T>(name);
  }
};

/// Returns dL/d(inputs[i]) for every i, each of the shape of inputs[i], or none.
using GradientFn = std::function<std::vector<Value>(const GradientContext& ctx)>;

/// What is registered for an op: a function, or the statement that there is none because
/// its outputs do not depend smoothly on its inputs.
struct GradientEntry {
  GradientFn fn;  ///< null: not differentiable, all gradients are none
};

/// All gradient functions, by op name.
Registry<GradientEntry>& Gradients();

struct GradientRegistrar {
  GradientRegistrar(const std::string& op, GradientFn fn);
};

/// In place of a gradient function: REGISTER_GRADIENT("ArgMax", kNotDifferentiable);
constexpr std::nullptr_t kNotDifferentiable = nullptr;

/// Says of each of `ops` that it has no gradient.
struct NotDifferentiable {
  template <typename... Ops>
  explicit NotDifferentiable(const Ops&... ops) {
    (GradientRegistrar(ops, kNotDifferentiable), ...);
  }
};

}  // namespace minitf

/// Adds a gradient function to Gradients(): REGISTER_GRADIENT("Sin", SinGrad);
#define REGISTER_GRADIENT(op, fn)                                                       \
  static const ::minitf::GradientRegistrar MINITF_NAME(kGradRegistrar, __COUNTER__)(op, \
                                                                                    fn)
