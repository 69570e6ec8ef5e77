// AddGradients: one sweep through a program, from its end to its beginning.
//
// Exercise   exercises/04_gradients
// Compare    tensorflow/python/ops/gradients_util.py, _GradientsHelper
// Read next  minitf/graph/gradients/graph_gradients.h

#include "minitf/gradients/add_gradients.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>

namespace minitf {
namespace {

using ValueSet = std::unordered_set<int64_t>;

/// What has been found so far: for every value, the gradients to be added up.
using Contributions = std::unordered_map<int64_t, std::vector<Value>>;

ValueSet AsSet(const std::vector<Value>& values) {
  ValueSet set;
  for (const Value value : values) set.insert(value.id);
  return set;
}

// The values through which L can depend on some x: the xs, and every output of a call
// with such an input. A value in `stopped` that is no x is none of them, and neither is
// one whose dtype has no gradients.
ValueSet DependOnXs(const std::vector<OpRecord>& program, const GradientRequest& request,
                    const Emitter& emitter) {
  ValueSet found;
  const ValueSet stopped = AsSet(request.stop_gradients);
  // LAB(04.7) begin: put into `found` the xs and, call by call, what is made from them
  for (const Value x : request.xs) {
    if (IsDifferentiable(emitter.dtype(x))) found.insert(x.id);
  }
  const auto is_found = [&found](Value value) { return found.contains(value.id); };
  for (const OpRecord& call : program) {
    if (!std::ranges::any_of(call.inputs, is_found)) continue;
    for (const Value output : call.outputs) {
      const bool counts = IsDifferentiable(emitter.dtype(output));
      if (counts && !stopped.contains(output.id)) found.insert(output.id);
    }
  }
  // LAB(04.7) end
  return found;
}

// The sum of all contributions to `value`, or none if there are none. The sum replaces
// them, so that asking again makes no second one.
Value TotalOf(Value value, Contributions* contributions, Emitter& emitter) {
  const auto found = contributions->find(value.id);
  if (found == contributions->end()) return Value::None();
  emitter.BeginSumFor(value);
  std::vector<Value>& terms = found->second;
  // LAB(04.8) begin: return the sum of `terms`: the one there is, or an AddN of all
  if (terms.size() > 1) terms = {emitter.Call("AddN", terms)};
  return terms[0];
  // LAB(04.8) end
}

// What the gradient of a call is registered as: the op's name, or another one that the
// call itself gives (tf.Graph.gradient_override_map, tf.custom_gradient).
std::string_view GradientTypeOf(const OpRecord& call) {
  const AttrValue* given =
      call.attrs == nullptr ? nullptr : call.attrs->Find("_gradient_op_type");
  const auto* type = given == nullptr ? nullptr : std::get_if<std::string>(given);
  return type == nullptr ? std::string_view(call.op->name) : *type;
}

// The gradient function of a call; null if its op is registered as not differentiable.
// All types such as "CustomGradient-5e2f" share what is registered as "CustomGradient".
const GradientFn& FindGradient(const OpRecord& call) {
  if (call.gradient != nullptr) return *call.gradient;
  const std::string_view type = GradientTypeOf(call);
  if (const GradientEntry* entry = Gradients().Find(type)) return entry->fn;
  const std::string_view family = type.substr(0, type.find('-'));
  if (const GradientEntry* entry = Gradients().Find(family)) return entry->fn;
  throw Error(errors::NotFound("No gradient defined for op: ", type,
                               call.node_name.empty() ? "" : " of node '", call.node_name,
                               call.node_name.empty() ? "" : "'",
                               DidYouMean(type, Gradients().Keys())));
}

// dL/d(inputs[i]) of a call, for every i, by its gradient function.
std::vector<Value> GradientsOfCall(const OpRecord& call, const std::vector<Value>& dy,
                                   Emitter& emitter) {
  const GradientFn& gradient = FindGradient(call);
  if (gradient == nullptr) return std::vector<Value>(call.inputs.size());
  emitter.BeginGradientOf(call.node_name);
  auto result = gradient(
      {emitter, *call.op, *call.attrs, call.inputs, call.outputs, dy, call.node_name});
  Require(result.size() == call.inputs.size(), "the gradient of ", call.op->name,
          " must be ", call.inputs.size(), " values, one for each input, it is ",
          result.size());
  return result;
}

// dL/dy for every y, where the caller has not given one: ones.
void StartAtYs(const GradientRequest& request, Contributions* contributions,
               Emitter& emitter) {
  for (size_t i = 0; i < request.ys.size(); ++i) {
    const Value y = request.ys[i];
    if (!IsDifferentiable(emitter.dtype(y))) continue;
    Value dy = request.dys.empty() ? Value::None() : request.dys[i];
    emitter.BeginSumFor(y);
    if (dy.is_none()) dy = emitter.Call("OnesLike", {y});
    (*contributions)[y.id].push_back(dy);
  }
}

}  // namespace

bool IsDifferentiable(DType dtype) {
  return IsFloating(dtype) || IsComplex(dtype) || dtype == DType::kResource;
}

std::vector<Value> AddGradients(const std::vector<OpRecord>& program,
                                const GradientRequest& request, Emitter& emitter) {
  Require(request.dys.empty() || request.dys.size() == request.ys.size(),
          request.dys.size(), " gradients given for ", request.ys.size(), " ys");
  const ValueSet dependent = DependOnXs(program, request, emitter);
  const ValueSet stopped = AsSet(request.stop_gradients);
  Contributions contributions;
  StartAtYs(request, &contributions, emitter);

  // LAB(04.9) begin: go through `program` backwards and add to `contributions`
  //
  // When the loop comes to a call, it has been at every call that uses its outputs, so
  // dL/d(output) is complete. A call is left out when L does not depend on it, or when
  // it does not depend on an x: then its op needs no gradient function either.
  const auto is_dependent = [&](Value value) { return dependent.contains(value.id); };
  for (auto call = program.rbegin(); call != program.rend(); ++call) {
    if (!std::ranges::any_of(call->inputs, is_dependent)) continue;
    std::vector<Value> dy;
    for (const Value output : call->outputs) {
      const bool flows = is_dependent(output) && !stopped.contains(output.id);
      dy.push_back(flows ? TotalOf(output, &contributions, emitter) : Value::None());
    }
    if (std::ranges::all_of(dy, &Value::is_none)) continue;

    const auto dx = GradientsOfCall(*call, dy, emitter);
    for (size_t i = 0; i < dx.size(); ++i) {
      const Value input = call->inputs[i];
      if (is_dependent(input) && !dx[i].is_none()) {
        contributions[input.id].push_back(dx[i]);
      }
    }
  }
  // LAB(04.9) end

  std::vector<Value> gradients;
  for (const Value x : request.xs) {
    gradients.push_back(TotalOf(x, &contributions, emitter));
  }
  return gradients;
}

}  // namespace minitf
