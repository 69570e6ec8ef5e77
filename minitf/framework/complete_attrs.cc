// CompleteAttrs: from a call as the user wrote it to one whose attributes are all known.
//
// The types of the inputs say what T is, their number says what N is; what they leave
// open has a default or must have been given.

#include <algorithm>

#include "minitf/base/text.h"
#include "minitf/framework/op.h"

namespace minitf {
namespace {

// More than programs need, and few enough to have a tensor for each.
constexpr int64_t kMostOutputs = 100'000;

// Sets attribute `name` to `value`, which follows from input `input`. If the caller has
// set it as well, both must agree.
void SetInferred(Attrs* attrs, const std::string& name, const AttrValue& value,
                 const std::string& input) {
  const AttrValue* given = attrs->Find(name);
  if (given == nullptr) return attrs->Set(name, value);
  Require(AttrEquals(*given, value), "input '", input, "' makes attribute '", name, "' ",
          value, ", but it is ", *given);
}

// How many tensors make up each input, if the caller has not said so: each that is not
// a list is one, and the lists whose length is not an attribute that is set share the
// rest. They can do so if they are one list, or lists of one length by definition.
std::vector<int> InferLengths(const OpDef& op, int num_inputs, const Attrs& attrs) {
  constexpr int kOpen = -1;
  std::vector<int> lengths;
  lengths.reserve(op.inputs.size());
  const ArgDef* open = nullptr;
  int known = 0;
  for (const ArgDef& input : op.inputs) {
    int length = 1;
    if (const AttrValue* number = attrs.Find(input.number_attr)) {
      const int64_t given = std::get<int64_t>(*number);
      Require(0 <= given && given <= num_inputs, "attribute '", input.number_attr,
              "' is ", given, ", but there are ", num_inputs, " inputs");
      length = static_cast<int>(given);
    } else if (const AttrValue* types = attrs.Find(input.type_list_attr)) {
      length = static_cast<int>(std::get<std::vector<DType>>(*types).size());
    } else if (input.is_list()) {
      const bool has_own_length =
          open != nullptr &&
          (input.number_attr.empty() || input.number_attr != open->number_attr);
      Require(!has_own_length, "the lengths of its lists must be given");
      open = &input;
      length = kOpen;
    }
    lengths.push_back(length);
    known += length == kOpen ? 0 : length;
  }
  const auto num_open = static_cast<int>(std::ranges::count(lengths, kOpen));
  const int share = num_open == 0 ? 0 : std::max(0, num_inputs - known) / num_open;
  std::ranges::replace(lengths, kOpen, share);
  return lengths;
}

// Works out the attributes that one input stands for. `types` are those of its tensors.
void InferFromInput(const ArgDef& input, std::span<const DType> types, Attrs* attrs) {
  if (!input.number_attr.empty()) {
    SetInferred(attrs, input.number_attr, static_cast<int64_t>(types.size()), input.name);
  }
  if (!input.type_list_attr.empty()) {
    SetInferred(attrs, input.type_list_attr,
                std::vector<DType>(types.begin(), types.end()), input.name);
    return;
  }
  for (const DType type : types) {
    if (!input.type_attr.empty()) {
      SetInferred(attrs, input.type_attr, type, input.name);
    } else {
      Require(type == input.type, "input '", input.name, "' must be ", input.type,
              ", is ", type);
    }
  }
}

void CheckMinimum(const AttrDef& def, const AttrValue& value) {
  if (!def.minimum) return;
  int64_t size = 0;
  if (const auto* number = std::get_if<int64_t>(&value)) {
    size = *number;
  } else {
    std::visit(
        [&size](const auto& held) {
          if constexpr (requires { held.size(); })
            size = static_cast<int64_t>(held.size());
        },
        value);
  }
  Require(size >= *def.minimum, "attribute '", def.name, "' is ", value,
          ", which is less than the minimum ", *def.minimum);
}

[[noreturn]] void ThrowNotAllowed(const AttrDef& def, const AttrValue& value,
                                  const std::string& allowed) {
  throw Error(errors::InvalidArgument("attribute '", def.name, "' is ", value,
                                      ", allowed are ", allowed));
}

void CheckAllowed(const AttrDef& def, const AttrValue& value) {
  if (!def.allowed_types.empty()) {
    const auto is_allowed = [&def](DType type) {
      return std::ranges::count(def.allowed_types, type) > 0;
    };
    const auto* list = std::get_if<std::vector<DType>>(&value);
    const bool are_allowed = list == nullptr ? is_allowed(std::get<DType>(value))
                                             : std::ranges::all_of(*list, is_allowed);
    if (!are_allowed) ThrowNotAllowed(def, value, Join(def.allowed_types, ", "));
  }
  if (!def.allowed_strings.empty()) {
    const auto& text = std::get<std::string>(value);
    const bool is_allowed = std::ranges::count(def.allowed_strings, text) > 0;
    if (!is_allowed) {
      ThrowNotAllowed(def, value, StrCat('\'', Join(def.allowed_strings, "', '"), '\''));
    }
  }
}

// An empty list of any kind may come as an empty list of another: Python's [] has none.
void FixKind(const AttrDef& def, AttrValue* value) {
  if (KindOf(*value) == def.kind) return;
  const auto* ints = std::get_if<std::vector<int64_t>>(value);
  if (ints != nullptr && ints->empty()) {
    if (def.kind == "list(type)") *value = std::vector<DType>{};
    if (def.kind == "list(shape)") *value = std::vector<PartialShape>{};
    if (def.kind == "list(string)") *value = std::vector<std::string>{};
    if (def.kind == "list(float)") *value = std::vector<float>{};
    if (def.kind == "list(bool)") *value = std::vector<bool>{};
  }
  if (const auto* number = std::get_if<int64_t>(value); number && def.kind == "float") {
    *value = static_cast<float>(*number);
  }
  Require(KindOf(*value) == def.kind, "attribute '", def.name, "' must be of kind ",
          def.kind, ", is ", *value, ", of kind ", KindOf(*value));
}

void CompleteOne(const AttrDef& def, Attrs* attrs) {
  const AttrValue* value = attrs->Find(def.name);
  if (value == nullptr) {
    Require(def.default_value.has_value(), "attribute '", def.name, "' is not set");
    attrs->Set(def.name, *def.default_value);
    return;
  }
  if (KindOf(*value) != def.kind) {
    AttrValue fixed = *value;
    FixKind(def, &fixed);
    attrs->Set(def.name, std::move(fixed));
    value = attrs->Find(def.name);
  }
  CheckAllowedValue(def, *value);
}

// Attributes whose name starts with "_" are hints to the runtime: any node may have them.
void CheckNamesAreKnown(const OpDef& op, const Attrs& attrs) {
  for (const auto& [name, value] : attrs) {
    if (name.starts_with('_') || op.FindAttr(name) != nullptr) continue;
    std::vector<std::string> names;
    for (const AttrDef& def : op.attrs) names.push_back(def.name);
    throw Error(errors::InvalidArgument("has no attribute '", name, "'",
                                        DidYouMean(name, names)));
  }
}

void AppendOutputTypes(const ArgDef& output, const Attrs& attrs,
                       std::vector<DType>* types) {
  if (!output.type_list_attr.empty()) {
    const auto& list = attrs.Get<std::vector<DType>>(output.type_list_attr);
    types->insert(types->end(), list.begin(), list.end());
    return;
  }
  const DType type =
      output.type_attr.empty() ? output.type : attrs.Get<DType>(output.type_attr);
  const int64_t count = NumTensorsOf(output, attrs);
  Require(0 <= count && count <= kMostOutputs, "attribute '", output.number_attr, "' is ",
          count, ", but an op can have at most ", kMostOutputs, " outputs");
  types->insert(types->end(), count, type);
}

}  // namespace

void CheckAllowedValue(const AttrDef& def, const AttrValue& value) {
  CheckMinimum(def, value);
  CheckAllowed(def, value);
}

int64_t NumTensorsOf(const ArgDef& arg, const Attrs& attrs) {
  if (!arg.type_list_attr.empty()) {
    return static_cast<int64_t>(attrs.Get<std::vector<DType>>(arg.type_list_attr).size());
  }
  return arg.number_attr.empty() ? 1 : attrs.Get<int64_t>(arg.number_attr);
}

Signature CompleteAttrs(const OpDef& op, const std::vector<DType>& input_types,
                        const std::vector<int>& input_lengths, Attrs* attrs) {
  CheckNamesAreKnown(op, *attrs);
  for (const ArgDef& input : op.inputs) {
    const AttrDef* number = op.FindAttr(input.number_attr);
    if (const AttrValue* value = attrs->Find(input.number_attr)) {
      Require(std::holds_alternative<int64_t>(*value), "attribute '", number->name,
              "' must be of kind int, is ", *value);
    }
    if (const AttrValue* value = attrs->Find(input.type_list_attr)) {
      AttrValue fixed = *value;
      FixKind(*op.FindAttr(input.type_list_attr), &fixed);
      attrs->Set(input.type_list_attr, std::move(fixed));
    }
  }
  const auto num_inputs = static_cast<int>(input_types.size());
  const std::vector<int> lengths =
      input_lengths.empty() ? InferLengths(op, num_inputs, *attrs) : input_lengths;
  int64_t total = 0;
  for (const int length : lengths) {
    Require(length >= 0, "a list of ", length, " inputs makes no sense");
    total += length;
  }
  const bool fits = lengths.size() == op.inputs.size();
  const auto wanted = fits ? total : static_cast<int64_t>(op.inputs.size());
  Require(fits && total == num_inputs, "needs ", wanted, " inputs, got ", num_inputs);

  auto next = input_types.begin();
  for (size_t i = 0; i < op.inputs.size(); next += lengths[i], ++i) {
    InferFromInput(op.inputs[i], {next, next + lengths[i]}, attrs);
  }
  for (const AttrDef& def : op.attrs) CompleteOne(def, attrs);

  Signature signature{input_types, {}};
  for (const ArgDef& output : op.outputs) {
    AppendOutputTypes(output, *attrs, &signature.output_types);
  }
  return signature;
}

Signature CompleteAttrs(const OpDef& op, const std::vector<DType>& input_types,
                        Attrs* attrs) {
  return CompleteAttrs(op, input_types, {}, attrs);
}

}  // namespace minitf
