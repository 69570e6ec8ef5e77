// Gradient functions: how an op passes a gradient from its outputs to its inputs.
//
// A gradient function calls further ops through an Emitter. The emitter of a graph adds
// nodes, that of a tape runs the ops. One gradient function serves both modes, and
// Python's @tf.RegisterGradient fills the same table.
//
// Notation: L is what is differentiated, y an output, and dy is short for dL/dy. The
// gradient of what L does not depend on is Value::None(). A gradient with few nonzero
// rows is a Value that stands for slices; an op gets it as a dense tensor.
//
// Compare    tensorflow/cc/framework/grad_op_registry.h and
//            tensorflow/python/ops/math_grad.py, which TensorFlow keeps side by side
// Read next  minitf/ops/type_lists.h

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "minitf/framework/attrs.h"
#include "minitf/framework/op.h"
#include "minitf/framework/registry.h"
#include "minitf/tensor/tensor.h"

namespace minitf {

/// An edge of a graph, or a tensor on a tape.
struct Value {
  int64_t id = -1;

  static Value None() { return {}; }
  bool is_none() const { return id < 0; }

  friend bool operator==(Value a, Value b) { return a.id == b.id; }
};

/// tf.IndexedSlices: zeros of the shape `dense_shape`, with values[i] added to row
/// indices[i].
struct IndexedSlices {
  Value values;       ///< [n,row...]
  Value indices;      ///< [n]
  Value dense_shape;  ///< [rank]: that of the whole gradient, as int32 or int64
};

class Emitter {
 public:
  virtual ~Emitter() = default;

  /// Calls an op, and returns its outputs. Throws what its definition throws, or in eager
  /// mode its kernel. Slices are made dense, but not for Cast, Identity, Neg and AddN of
  /// slices only.
  std::vector<Value> CallAll(std::string_view op, const std::vector<Value>& inputs,
                             Attrs attrs);

  /// A constant.
  virtual Value Constant(const Tensor& value) = 0;

  DType dtype(Value value) const { return DTypeOf(RowsOrAll(value)); }
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
  /// Nothing for none, `value` itself, or the three parts of slices.
  std::vector<Value> PartsOf(Value value) const;

  /// Called before the gradient of the node `name`, after which a graph names new nodes.
  void BeginGradientOf(std::string_view name);

  /// Called before the gradient of `value` is summed, for graphs with loops.
  void BeginSumFor(Value value);

  /// Calls an op that has one output.
  Value Call(std::string_view op, const std::vector<Value>& inputs, Attrs attrs = {}) {
    const std::vector<Value> outputs = CallAll(op, inputs, std::move(attrs));
    return ElementAt(outputs, 0, "output");
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

inline constexpr char kInput[] = "input";
inline constexpr char kOutput[] = "output";

/// The values of a node's inputs or outputs. A wrong index throws InvalidArgument.
template <const char* kNoun>
struct NodeValues : std::span<const Value> {
  NodeValues(const std::vector<Value>& values) : span(values) {}    // NOLINT: implicit
  operator std::vector<Value>() const { return {begin(), end()}; }  // NOLINT: implicit

  Value operator[](size_t i) const {
    const std::span<const Value>& values = *this;
    return ElementAt(values, static_cast<int64_t>(i), kNoun);
  }
};

/// All that a gradient function may look at.
struct GradientContext {
  Emitter& emitter;
  const OpDef& op;
  const Attrs& attrs;
  NodeValues<kInput> inputs;
  NodeValues<kOutput> outputs;
  NodeValues<kOutput> dy;      ///< dL/d(outputs[i]), or none
  std::string_view node_name;  ///< of the node that is differentiated; may be empty

  Value Call(std::string_view name, const std::vector<Value>& values,
             Attrs settings = {}) const {
    return emitter.Call(name, values, std::move(settings));
  }
  template <typename T>
  const T& attr(std::string_view name) const {
    return attrs.Get<T>(name);
  }
};

/// Returns dL/d(inputs[i]) for every i, or none.
using GradientFn = std::function<std::vector<Value>(const GradientContext& ctx)>;

/// The registered gradient of an op.
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
