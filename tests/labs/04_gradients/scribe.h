// Programs of calls that compute nothing, differentiated: what is asked of their gradient
// functions, and what is made of the answers, is written down.

#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "minitf/framework/attrs.h"
#include "minitf/framework/gradient.h"
#include "minitf/framework/op.h"
#include "minitf/gradients/add_gradients.h"
#include "minitf/tensor/dtype.h"
#include "minitf/tensor/shape.h"

namespace minitf {

namespace py = pybind11;

using Ids = std::vector<int64_t>;

inline Ids IdsOf(const std::vector<Value>& values) {
  Ids ids;
  for (const Value value : values) ids.push_back(value.id);
  return ids;
}

inline std::vector<Value> ValuesOf(const Ids& ids) {
  std::vector<Value> values;
  for (const int64_t id : ids) values.push_back({id});
  return values;
}

/// An emitter of values that have a type and nothing else.
class Scribe final : public Emitter {
 public:
  explicit Scribe(const std::vector<std::string>& types) {
    for (const std::string& type : types) Add(DTypeFromName(type));
  }

  Value Add(DType type) {
    types_.push_back(type);
    return {static_cast<int64_t>(types_.size()) - 1};
  }

  Value Constant(const Tensor& value) override { return Add(value.dtype()); }

  /// Of every call: the op, its inputs, its output.
  const py::list& emitted() const { return emitted_; }

 protected:
  std::vector<Value> EmitCall(std::string_view op, const std::vector<Value>& inputs,
                              Attrs /*attrs*/) override {
    const DType type = inputs.empty() ? DType::kFloat32 : DTypeOf(inputs[0]);
    const Value output = Add(type);
    emitted_.append(py::make_tuple(std::string(op), IdsOf(inputs), output.id));
    return {output};
  }

  DType DTypeOf(Value value) const override {
    const auto count = static_cast<int64_t>(types_.size());
    Require(0 <= value.id && value.id < count, "value ", value.id, " is used, there are ",
            count);
    return types_[value.id];
  }

  PartialShape ShapeOf(Value /*value*/) const override { return {}; }
  std::optional<Tensor> ConstantOf(Value /*value*/) const override { return {}; }

 private:
  std::vector<DType> types_;
  py::list emitted_;
};

/// A gradient function that answers as it was told: for each input with "none", "new",
/// "rows", which are slices, or the gradient of an output, such as "dy0".
class Answers {
 public:
  explicit Answers(Scribe* scribe) : scribe_(scribe) {}

  GradientFn Of(const std::string& name, const std::vector<std::string>& told) {
    return [this, name, told](const GradientContext& ctx) {
      py::list dys;
      for (const Value dy : ctx.dy) dys.append(IdsOf(scribe_->PartsOf(dy)));
      asked.append(py::make_tuple(name, dys));
      std::vector<Value> result;
      for (size_t i = 0; i < told.size(); ++i) {
        result.push_back(Answer(ctx, name, told[i], i));
      }
      return result;
    };
  }

  py::list asked;  ///< the name of every call that was asked, and its dys
  py::list made;   ///< of every new gradient: its id, the call, the number of the input

 private:
  Value Answer(const GradientContext& ctx, const std::string& name,
               const std::string& told, size_t i) {
    if (told == "none") return Value::None();
    if (told.starts_with("dy")) return ctx.dy[std::stoi(told.substr(2))];
    const Value value = scribe_->Add(scribe_->dtype(ctx.inputs[i]));
    made.append(py::make_tuple(value.id, name, i));
    if (told == "new") return value;
    return scribe_->Slices(
        {value, scribe_->Add(DType::kInt32), scribe_->Add(DType::kInt32)});
  }

  Scribe* scribe_;
};

/// A program of such calls. Each is a dict of name, inputs, outputs and answers: a list,
/// None for a call that brings an empty function, "flat" for one of an op that is
/// registered as having no gradient, or "missing" where nothing is registered.
class Script {
 public:
  Script(const py::list& calls, Answers* answers) {
    for (const py::handle call : calls) Add(call, answers);
  }

  const std::vector<OpRecord>& program() const { return program_; }

 private:
  void Add(const py::handle& call, Answers* answers) {
    const auto name = call["name"].cast<std::string>();
    OpRecord record;
    record.op = &ops_.emplace_back();
    ops_.back().name = "Op_" + name;
    record.attrs = &attrs_;
    record.inputs = ValuesOf(call["inputs"].cast<Ids>());
    record.outputs = ValuesOf(call["outputs"].cast<Ids>());
    const py::object told = call["answers"];
    if (py::isinstance<py::str>(told)) {
      if (told.cast<std::string>() == "flat") ops_.back().name = "Floor";
    } else {
      GradientFn& function = functions_.emplace_back();
      if (!told.is_none()) {
        function = answers->Of(name, told.cast<std::vector<std::string>>());
      }
      record.gradient = &function;
    }
    program_.push_back(std::move(record));
  }

  const Attrs attrs_;
  std::deque<OpDef> ops_;
  std::deque<GradientFn> functions_;
  std::vector<OpRecord> program_;
};

/// Goes back through `calls`, for a request of lists of ids.
inline py::dict SweepOver(const std::vector<std::string>& types, const py::list& calls,
                          const py::dict& request) {
  Scribe scribe(types);
  Answers answers(&scribe);
  const Script script(calls, &answers);
  const auto values = [&request](const char* key) {
    return ValuesOf(request[key].cast<Ids>());
  };
  const std::vector<Value> gradients = AddGradients(
      script.program(), {values("ys"), values("xs"), values("dys"), values("stopped")},
      scribe);
  py::list parts;
  for (const Value gradient : gradients) parts.append(IdsOf(scribe.PartsOf(gradient)));
  py::dict result;
  result["gradients"] = parts;
  result["asked"] = answers.asked;
  result["made"] = answers.made;
  result["emitted"] = scribe.emitted();
  return result;
}

}  // namespace minitf
