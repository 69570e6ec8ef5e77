// Ops on text: numbers as text and back, splitting, joining, substrings, hashes.
//
// A string is a list of bytes. Ops with the attribute `unit` may count the characters of
// UTF-8 instead.
//
// Kernels    minitf/contrib/strings/as_string.cc, split_strings.cc, join_strings.cc,
//            string_elements.cc, string_hash.cc
// Compare    tensorflow/core/ops/string_ops.cc, parsing_ops.cc
// Read next  minitf/contrib/strings/as_string.cc

#include <set>
#include <string>
#include <vector>

#include "minitf/contrib/families.h"
#include "minitf/framework/gradient.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"

namespace minitf {
namespace {

const FamilyRegistrar kStringsFamily("strings");

// ---- Numbers --------------------------------------------------------------------------

REGISTER_OP("AsString")
    .Input("input: T")
    .Output("output: string")
    .Attr(
        "T: {int8, int16, int32, int64, complex64, complex128, float, double, bool, "
        "uint8, uint16, uint32, uint64, half, bfloat16}")
    .Attr("precision: int = -1")
    .Attr("scientific: bool = false")
    .Attr("shortest: bool = false")
    .Attr("width: int = -1")
    .Attr("fill: string = ''")
    .SetShapeFn(UnchangedShape)
    .Doc("Each number as text, in the way of C's printf.");

REGISTER_OP("StringToNumber")
    .Input("string_tensor: string")
    .Output("output: out_type")
    .Attr("out_type: {float, double, int32, int64} = float")
    .SetShapeFn(UnchangedShape)
    .Doc("Each text as a number.");

// ---- Splitting and joining ------------------------------------------------------------

void SplitShape(InferenceContext* ctx) {
  ctx->WithRank(0, 1, "input");
  ctx->WithRank(1, 0, "the separator");
  ctx->set_output(0, {kUnknown, 2});
  ctx->set_output(1, {kUnknown});
  ctx->set_output(2, {2});
}

REGISTER_OP("StringSplit")
    .Input("input: string")
    .Input("delimiter: string")
    .Output("indices: int64")
    .Output("values: string")
    .Output("shape: int64")
    .Attr("skip_empty: bool = true")
    .SetShapeFn(SplitShape)
    .Doc(
        "The words of each text, as a sparse matrix. Every byte of `delimiter` ends a "
        "word; without a delimiter each byte is a word.");

REGISTER_OP("StringSplitV2")
    .Input("input: string")
    .Input("sep: string")
    .Output("indices: int64")
    .Output("values: string")
    .Output("shape: int64")
    .Attr("maxsplit: int = -1")
    .SetShapeFn(SplitShape)
    .Doc(
        "The words of each text, as a sparse matrix, as Python's str.split: `sep` as a "
        "whole ends a word; without one, whitespace does.");

REGISTER_OP("StringJoin")
    .Input("inputs: N * string")
    .Output("output: string")
    .Attr("N: int >= 1")
    .Attr("separator: string = ''")
    .SetShapeFn([](InferenceContext* ctx) {
      // Scalars fit all shapes.
      PartialShape shape{};
      bool all_scalars = true;
      for (int i = 0; i < ctx->num_inputs(); ++i) {
        const PartialShape& input = ctx->input(i);
        if (input.has_rank() && input.rank() == 0) continue;
        Require(shape.IsCompatibleWith(input),
                "inputs must be scalars or have one shape, have ", shape, " and ", input);
        // An input of unknown rank may be a scalar.
        if (input.has_rank()) shape = shape.MergedWith(input);
        all_scalars = false;
      }
      ctx->set_output(0, all_scalars ? PartialShape(Shape{}) : shape);
    })
    .Doc("The texts of all inputs joined, element by element.");

// The axes that input 1 lists, if they and the rank are known.
void ReduceJoinShape(InferenceContext* ctx) {
  const PartialShape& input = ctx->input(0);
  const auto given = KnownIntegers(ctx, 1);
  if (!given || !input.has_rank()) return;
  std::set<int> axes;
  for (const int64_t axis : *given) {
    Require(axes.insert(NormalizedAxis(axis, input.rank())).second,
            "reduction_indices has axis ", axis, " twice");
  }
  std::vector<int64_t> sizes;
  for (int axis = 0; axis < input.rank(); ++axis) {
    if (!axes.contains(axis)) sizes.push_back(input.dim(axis));
    if (axes.contains(axis) && ctx->attr<bool>("keep_dims")) sizes.push_back(1);
  }
  ctx->set_output(0, PartialShape(sizes));
}

REGISTER_OP("ReduceJoin")
    .Input("inputs: string")
    .Input("reduction_indices: int32")
    .Output("output: string")
    .Attr("keep_dims: bool = false")
    .Attr("separator: string = ''")
    .SetShapeFn(ReduceJoinShape)
    .Doc("The texts along axes joined. The first axis listed runs fastest.");

// ---- One text from one text -----------------------------------------------------------

OpDefBuilder TextOp(const std::string& name, const std::string& doc) {
  OpDefBuilder builder(name);
  builder.Input("input: string")
      .Output("output: string")
      .SetShapeFn(UnchangedShape)
      .Doc(doc);
  return builder;
}

const OpRegistrar kTextOps[] = {
    TextOp("StringLower", "Letters become lower-case: of ASCII, or of UTF-8.")
        .Attr("encoding: string = ''"),
    TextOp("StringUpper", "Letters become upper-case: of ASCII, or of UTF-8.")
        .Attr("encoding: string = ''"),
    TextOp("StringStrip", "Without whitespace at both ends."),
};

constexpr char kUnit[] = "unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'";

REGISTER_OP("StringLength")
    .Input("input: string")
    .Output("output: int32")
    .Attr(kUnit)
    .SetShapeFn(UnchangedShape)
    .Doc("How many bytes or characters each text has.");

REGISTER_OP("Substr")
    .Input("input: string")
    .Input("pos: T")
    .Input("len: T")
    .Output("output: string")
    .Attr("T: {int32, int64}")
    .Attr(kUnit)
    .SetShapeFn([](InferenceContext* ctx) {
      const PartialShape& pos = ctx->input(1);
      Require(pos.IsCompatibleWith(ctx->input(2)),
              "pos and len must have one shape, have ", pos, " and ", ctx->input(2));
      ctx->set_output(0, BroadcastShapes(ctx->input(0), pos.MergedWith(ctx->input(2))));
    })
    .Doc(
        "`len` bytes or characters of each text from `pos` on; a negative `pos` counts "
        "from the end.");

// ---- Hashes ---------------------------------------------------------------------------

OpDefBuilder BucketOp(const std::string& name, const std::string& input,
                      const std::string& doc) {
  OpDefBuilder builder(name);
  builder.Input(input)
      .Output("output: int64")
      .Attr("num_buckets: int >= 1")
      .SetShapeFn(UnchangedShape)
      .Doc(doc);
  return builder;
}

const OpRegistrar kBucketOps[] = {
    BucketOp("StringToHashBucket", "string_tensor: string",
             "A number in [0, num_buckets) for each text, by TensorFlow's Hash64."),
    BucketOp("StringToHashBucketFast", "input: string",
             "A number in [0, num_buckets) for each text, by FarmHash."),
    BucketOp("StringToHashBucketStrong", "input: string",
             "A number in [0, num_buckets) for each text, by SipHash with a key of two "
             "numbers.")
        .Attr("key: list(int)"),
};

const NotDifferentiable kStringsWithoutGradient(
    "AsString", "ReduceJoin", "StringJoin", "StringLength", "StringLower", "StringSplit",
    "StringSplitV2", "StringStrip", "StringToHashBucket", "StringToHashBucketFast",
    "StringToHashBucketStrong", "StringToNumber", "StringUpper", "Substr");

}  // namespace
}  // namespace minitf
