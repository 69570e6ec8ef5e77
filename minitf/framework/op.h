// OpDef: what an op is, without saying how it is computed.
//
// The definition gives the op's name, inputs, outputs, attributes, documentation, and the
// rule from input shapes to output shapes. It is the single source for all of these: the
// graph checks its edges against it, the runtime infers shapes with it, and Python makes
// a documented function of it.
//
//   REGISTER_OP("Sin")
//       .Input("x: T")
//       .Output("y: T")
//       .Attr("T: {half, float, double}")
//       .SetShapeFn(UnchangedShape)
//       .Doc("The sine of x, element by element.");
//
// An OpKernel (minitf/framework/op_kernel.h) says how an op is computed, and a gradient
// function (minitf/framework/gradient.h) how it is differentiated.
//
// Compare    tensorflow/core/framework/op_def_builder.h, op_def.proto
// Read next  minitf/framework/op_def_parser.h

#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "minitf/framework/attrs.h"
#include "minitf/framework/op_facts.h"
#include "minitf/framework/registry.h"

namespace minitf {

class InferenceContext;

/// Sets the output shapes of a node from what is known of its inputs. Throws
/// InvalidArgument when the inputs do not fit each other. See shape_inference.h.
using ShapeFn = std::function<void(InferenceContext* ctx)>;

/// One input or output. Its element type is fixed, or that of an attribute; it is one
/// tensor, or a list of them.
///
///   "x: float"      type = kFloat32
///   "x: T"          type_attr = "T"
///   "xs: N * T"     number_attr = "N", type_attr = "T"
///   "xs: Ts"        type_list_attr = "Ts", an attribute of kind list(type)
struct ArgDef {
  std::string name;
  DType type = DType::kInvalid;
  std::string type_attr;
  std::string number_attr;
  std::string type_list_attr;

  bool is_list() const { return !number_attr.empty() || !type_list_attr.empty(); }
};

/// One attribute: its kind, its default if it has one, and what values are allowed.
struct AttrDef {
  std::string name;
  std::string kind;  ///< "bool", "list(int)", ...; see AttrValue
  std::optional<AttrValue> default_value;
  std::vector<DType> allowed_types;          ///< of "{half, float}"; empty: any
  std::vector<std::string> allowed_strings;  ///< of "{'SAME', 'VALID'}"; empty: any
  std::optional<int64_t> minimum;            ///< of an int, or of the length of a list
};

/// Throws InvalidArgument unless `value`, which is of the kind of `def`, is among the
/// values that it allows, and not below its minimum.
void CheckAllowedValue(const AttrDef& def, const AttrValue& value);

struct OpDef {
  std::string name;
  std::string doc;
  std::vector<ArgDef> inputs;
  std::vector<ArgDef> outputs;
  std::vector<AttrDef> attrs;
  ShapeFn shape_fn;
  bool is_commutative = false;  ///< op(x,y) equals op(y,x)
  OpFacts facts;
  const void* registered_at = nullptr;  ///< an address in the library that registers it

  /// Whether two equal calls may differ: then they are never folded or merged.
  bool is_stateful() const { return facts.state != StateUse::kNone; }

  // Not inline, as those of Attrs.
  OpDef();
  OpDef(const OpDef& other);
  OpDef(OpDef&& other) noexcept;
  OpDef& operator=(const OpDef& other);
  OpDef& operator=(OpDef&& other) noexcept;
  ~OpDef();

  /// The definition of attribute `attr`, or null.
  const AttrDef* FindAttr(std::string_view attr) const;
};

/// Puts an OpDef together from the short texts that REGISTER_OP is given, whose language
/// is that of op_def_parser.h.
class OpDefBuilder {
 public:
  explicit OpDefBuilder(std::string_view name);
  ~OpDefBuilder();

  /// `spec` is "name: type", in the forms shown at ArgDef.
  OpDefBuilder& Input(std::string_view spec);
  OpDefBuilder& Output(std::string_view spec);
  /// `spec` is "name: kind", "name: kind = default", "name: kind >= 1",
  /// "name: {half, float} = float" or "name: {'SAME', 'VALID'}".
  OpDefBuilder& Attr(std::string_view spec);
  OpDefBuilder& SetShapeFn(ShapeFn shape_fn);
  OpDefBuilder& SetIsCommutative();
  // What follows sets the facts of op_facts.h.
  OpDefBuilder& SetIsStateful(StateUse use = StateUse::kChanges);
  OpDefBuilder& SetRole(OpRole role);
  OpDefBuilder& SetDependsOnOutside();
  OpDefBuilder& SetIsIdentity();
  OpDefBuilder& SetHandsOnInput();
  OpDefBuilder& SetLendsOutputs();
  OpDefBuilder& SetHasFreshOutputs();
  OpDefBuilder& SetForwardsInputs(int count);
  OpDefBuilder& SetReleasesInputs();
  OpDefBuilder& SetReadsShapesOnly();
  OpDefBuilder& SetIsHostOnly();
  OpDefBuilder& Doc(std::string_view doc);

  /// The definition. Throws InvalidArgument for a text that does not parse, and if two
  /// inputs, outputs or attributes have one name, or the shape function is missing.
  OpDef Build() const;

 private:
  OpDef def_;
  std::vector<std::string> inputs_;
  std::vector<std::string> outputs_;
  std::vector<std::string> attrs_;
};

/// All ops, by name.
Registry<OpDef>& Ops();

/// The op called `name`. Throws NotFound: "Op type not registered 'Foo'", with the
/// nearest name there is.
const OpDef& FindOp(std::string_view name);

[[noreturn]] void ThrowNoElement(size_t size, int64_t i, const char* what);

/// Returns list[i]. Throws InvalidArgument, such as "input 5 does not exist; number of
/// inputs: 2", if `i` is out of range. `what` is the noun for an element.
template <typename List>
auto& ElementAt(List& list, int64_t i, const char* what) {
  if (static_cast<size_t>(i) >= list.size()) [[unlikely]]
    ThrowNoElement(list.size(), i, what);
  return list[i];
}

/// Loads a shared library, unless it is loaded; its ops register themselves. Returns the
/// names of its ops. Throws NotFound if the system cannot load it, and the error of a
/// registration that failed. Safe to call from any thread.
std::set<std::string> LoadOpLibrary(const std::string& path);

struct OpRegistrar {
  OpRegistrar(const OpDefBuilder& builder);  // NOLINT: implicit, so that = can chain
};

/// How many tensors `arg` is made of in a call with `attrs`, which must be complete.
int64_t NumTensorsOf(const ArgDef& arg, const Attrs& attrs);

struct Signature {
  std::vector<DType> input_types;
  std::vector<DType> output_types;
};

/// Completes and checks the attributes of a call of `op` with inputs of `input_types`:
/// infers those that stand for an input's type or number, and sets defaults.
/// `input_lengths[i]` is how many tensors argument i is made of.
/// Throws InvalidArgument, naming the attribute, what it is and what is allowed.
Signature CompleteAttrs(const OpDef& op, const std::vector<DType>& input_types,
                        const std::vector<int>& input_lengths, Attrs* attrs);

/// As above, for calls whose list inputs can be told apart without being told: the op has
/// at most one list, or its lengths are attributes that are set.
Signature CompleteAttrs(const OpDef& op, const std::vector<DType>& input_types,
                        Attrs* attrs);

/// The definition as an entry of docs/ops.pbtxt, with TensorFlow's field names.
std::string OpDefText(const OpDef& op);

}  // namespace minitf

#define MINITF_NAME_2(prefix, number) prefix##number
#define MINITF_NAME(prefix, number) MINITF_NAME_2(prefix, number)

/// Adds an op to Ops(). Stands at file scope; .Input(...) and the like follow.
#define REGISTER_OP(name)                                                     \
  static const ::minitf::OpRegistrar MINITF_NAME(kOpRegistrar, __COUNTER__) = \
      ::minitf::OpDefBuilder(name)
