// Definitions of ops in C.
//
// The texts are those of TensorFlow, so two things are rewritten for op_def_parser.h:
// types such as DT_FLOAT, and kinds that stand for many types.
//
// Compare    tensorflow/c/ops.cc

#include "minitf/c/ops.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "minitf/c/internal.h"
#include "minitf/c/kernels/registration.h"
#include "minitf/c/kernels/shape_context.h"
#include "minitf/framework/op.h"

using minitf::ArgDef;
using minitf::AttrDef;
using minitf::Error;
using minitf::OpDef;
using minitf::Require;
using minitf::Status;
using minitf::c::Changed;
using minitf::c::Guarded;
using minitf::c::GuardedRegistration;
using minitf::c::NotNull;
using minitf::c::TextOf;

struct TF_OpDefinitionBuilder {
  std::string name;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> attrs;
  std::string doc;
  bool is_commutative = false;
  bool is_aggregate = false;
  bool is_stateful = false;
  bool allows_uninitialized_input = false;
  void (*shape_fn)(TF_ShapeInferenceContext* ctx, TF_Status* status) = nullptr;
  Status error;  // the first error of a function without a status
};

namespace {

constexpr const char* kRealNumberTypes =
    "float, double, int32, int64, uint8, int16, int8, uint16, half, uint32, uint64, "
    "bfloat16";
constexpr const char* kComplexTypes = ", complex64, complex128";

// "DT_FLOAT" as "float"; a kind that stands for many types as a list of them. `depth` is
// the number of open braces.
std::string RewrittenWord(const std::string& word, int depth) {
  if (word.starts_with("DT_")) {
    std::string type = word.substr(3);
    std::ranges::transform(type, type.begin(),
                           [](unsigned char letter) { return std::tolower(letter); });
    return type;
  }
  if (word != "numbertype" && word != "realnumbertype") return word;
  std::string types = kRealNumberTypes;
  if (word == "numbertype") types += kComplexTypes;
  return depth > 0 ? types : "{" + types + "}";
}

// The text of an attribute in the language of op_def_parser.h. Quoted text stays.
std::string RewrittenSpec(const std::string& spec) {
  std::string result;
  std::string word;
  int depth = 0;
  char quote = 0;
  // A NUL at the end completes the last word.
  for (const char letter : spec + '\0') {
    if (quote == 0 &&
        (std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_')) {
      word += letter;
      continue;
    }
    result += RewrittenWord(std::exchange(word, ""), depth);
    if (letter == '\0') break;
    result += letter;
    if (quote != 0) {
      if (letter == quote) quote = 0;
    } else if (letter == '\'' || letter == '"') {
      quote = letter;
    } else if (letter == '{' || letter == '}') {
      depth += letter == '{' ? 1 : -1;
    }
  }
  return result;
}

void CheckName(const std::string& name) {
  const bool is_good = !name.empty() &&
                       std::isupper(static_cast<unsigned char>(name[0])) != 0 &&
                       std::ranges::all_of(name, [](unsigned char letter) {
                         return std::isalnum(letter) != 0 || letter == '_';
                       });
  Require(is_good, "the name of an op is '", name,
          "'; expected a capital letter, then letters, digits and underscores");
}

void CheckProperties(const TF_OpDefinitionBuilder& builder) {
  const auto refuse = [&builder](bool is_set, const char* property) {
    if (!is_set) return;
    throw Error(minitf::errors::Unimplemented("op ", builder.name, ": ", property,
                                              " is true, which minitf does not "
                                              "implement; expected false"));
  };
  refuse(builder.is_aggregate, "is_aggregate");
  refuse(builder.allows_uninitialized_input, "allows_uninitialized_input");
}

// A list input or output has at least one tensor, unless its text says otherwise.
void SetMinimums(OpDef* op) {
  for (const std::vector<ArgDef>* args : {&op->inputs, &op->outputs}) {
    for (const ArgDef& arg : *args) {
      for (AttrDef& attr : op->attrs) {
        const bool is_length =
            attr.name == arg.number_attr || attr.name == arg.type_list_attr;
        if (is_length && !attr.minimum) attr.minimum = 1;
      }
    }
  }
}

int64_t NumOutputs(const OpDef& op, const minitf::Attrs& attrs) {
  int64_t count = 0;
  for (const ArgDef& output : op.outputs) count += minitf::NumTensorsOf(output, attrs);
  return count;
}

// A shape function that calls one in C.
minitf::ShapeFn ShapeFnOf(const TF_OpDefinitionBuilder& builder) {
  if (builder.shape_fn == nullptr) return &minitf::UnknownShape;
  return [name = builder.name,
          function = builder.shape_fn](minitf::InferenceContext* inference) {
    TF_ShapeInferenceContext ctx{
        inference, NumOutputs(minitf::FindOp(name), inference->attrs()), {}};
    TF_Status status;
    function(&ctx, &status);
    minitf::ThrowIfError(minitf::c::StatusOfC(status));
    minitf::ThrowIfError(ctx.error);
  };
}

OpDef Build(const TF_OpDefinitionBuilder& builder) {
  minitf::ThrowIfError(builder.error);
  CheckName(builder.name);
  CheckProperties(builder);
  minitf::OpDefBuilder op(builder.name);
  for (const std::string& spec : builder.attrs) op.Attr(RewrittenSpec(spec));
  for (const std::string& spec : builder.inputs) op.Input(spec);
  for (const std::string& spec : builder.outputs) op.Output(spec);
  if (builder.is_commutative) op.SetIsCommutative();
  if (builder.is_stateful) op.SetIsStateful();
  op.SetShapeFn(ShapeFnOf(builder)).Doc(builder.doc);
  OpDef def = op.Build();
  SetMinimums(&def);
  return def;
}

}  // namespace

TF_OpDefinitionBuilder* TF_NewOpDefinitionBuilder(const char* op_name) {
  return Guarded<TF_OpDefinitionBuilder*>(nullptr, nullptr, [&] {
    auto builder = std::make_unique<TF_OpDefinitionBuilder>();
    Changed(builder.get(),
            [&](auto& target) { target.name = TextOf(op_name, "op_name"); });
    return builder.release();
  });
}

void TF_RegisterOpDefinition(TF_OpDefinitionBuilder* builder, TF_Status* status) {
  const void* const caller = __builtin_return_address(0);
  GuardedRegistration(status, [&] {
    NotNull(builder, "builder");
    const std::unique_ptr<TF_OpDefinitionBuilder> owned(builder);
    OpDef op = Build(*owned);
    op.registered_at = caller;
    minitf::Ops().Add(owned->name, std::move(op));
  });
}

void TF_DeleteOpDefinitionBuilder(TF_OpDefinitionBuilder* builder) { delete builder; }

void TF_OpDefinitionBuilderAddAttr(TF_OpDefinitionBuilder* builder,
                                   const char* attr_spec) {
  Changed(builder, [&](auto& op) { op.attrs.push_back(TextOf(attr_spec, "attr_spec")); });
}

void TF_OpDefinitionBuilderAddInput(TF_OpDefinitionBuilder* builder,
                                    const char* input_spec) {
  Changed(builder,
          [&](auto& op) { op.inputs.push_back(TextOf(input_spec, "input_spec")); });
}

void TF_OpDefinitionBuilderAddOutput(TF_OpDefinitionBuilder* builder,
                                     const char* output_spec) {
  Changed(builder,
          [&](auto& op) { op.outputs.push_back(TextOf(output_spec, "output_spec")); });
}

void TF_OpDefinitionBuilderSetIsCommutative(TF_OpDefinitionBuilder* builder,
                                            bool is_commutative) {
  Changed(builder, [&](auto& op) { op.is_commutative = is_commutative; });
}

void TF_OpDefinitionBuilderSetIsAggregate(TF_OpDefinitionBuilder* builder,
                                          bool is_aggregate) {
  Changed(builder, [&](auto& op) { op.is_aggregate = is_aggregate; });
}

void TF_OpDefinitionBuilderSetIsStateful(TF_OpDefinitionBuilder* builder,
                                         bool is_stateful) {
  Changed(builder, [&](auto& op) { op.is_stateful = is_stateful; });
}

void TF_OpDefinitionBuilderSetAllowsUninitializedInput(TF_OpDefinitionBuilder* builder,
                                                       bool allows_uninitialized_input) {
  Changed(builder,
          [&](auto& op) { op.allows_uninitialized_input = allows_uninitialized_input; });
}

void TF_OpDefinitionBuilderDeprecated(TF_OpDefinitionBuilder* builder, int version,
                                      const char* explanation) {
  Changed(builder, [&](auto& op) {
    op.doc = minitf::StrCat("Deprecated since version ", version, ". ",
                            TextOf(explanation, "explanation"));
  });
}

void TF_OpDefinitionBuilderSetShapeInferenceFunction(
    TF_OpDefinitionBuilder* builder,
    void (*shape_inference_func)(TF_ShapeInferenceContext* ctx, TF_Status* status)) {
  Changed(builder, [&](auto& op) {
    op.shape_fn = &NotNull(shape_inference_func, "shape_inference_func");
  });
}
