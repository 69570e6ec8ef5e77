// Gradient functions: how an op passes a gradient from its outputs to its inputs.
//
// A gradient function computes nothing itself. It calls further ops, through an Emitter:
// that of a graph makes nodes of the calls, that of an eager tape runs them at once. So
// one gradient function serves both modes, and Python's @tf.RegisterGradient fills the
// same table.
//
// Notation: L is what is differentiated, y an output, and dy is short for dL/dy. A
// gradient that is zero because nothing depends on it is a Value that is not there:
// Value::None().
//
// Compare    tensorflow/cc/framework/grad_op_registry.h and
//            tensorflow/python/ops/math_grad.py, which TensorFlow keeps side by side
// Read next  minitf/gradients/math_grad.cc

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
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

class Emitter {
 public:
  virtual ~Emitter() = default;

  /// Calls an op, and returns its outputs. Throws what the op's definition, or in eager
  /// mode its kernel, has against the inputs.
  virtual std::vector<Value> CallAll(std::string_view op,
                                     const std::vector<Value>& inputs, Attrs attrs) = 0;

  /// A constant.
  virtual Value Constant(const Tensor& value) = 0;

  virtual DType dtype(Value value) const = 0;
  /// The shape as far as it is known; in eager mode all of it.
  virtual PartialShape shape(Value value) const = 0;
  /// The value itself where it is known already: in eager mode always, in a graph that of
  /// a constant. Empty otherwise.
  virtual std::optional<Tensor> KnownValue(Value value) const = 0;

  /// Told before the gradient of the node `name` is asked for, so that a graph can name
  /// the new nodes after it.
  virtual void BeginGradientOf(std::string_view /*name*/) {}

  /// Told before the gradient of `value` is started or summed up, so that a graph with
  /// loops can do it in the turn that `value` belongs to.
  virtual void BeginSumFor(Value /*value*/) {}

  /// Calls an op that has one output.
  Value Call(std::string_view op, const std::vector<Value>& inputs, Attrs attrs = {}) {
    return CallAll(op, inputs, std::move(attrs))[0];
  }
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

}  // namespace minitf

/// Adds a gradient function to Gradients(): REGISTER_GRADIENT("Sin", SinGrad);
#define REGISTER_GRADIENT(op, fn)                                                       \
  static const ::minitf::GradientRegistrar MINITF_NAME(kGradRegistrar, __COUNTER__)(op, \
                                                                                    fn)
