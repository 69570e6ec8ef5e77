// SequenceExamples: features of a context, and lists of features with an axis of steps.
//
// Kernels    minitf/contrib/sequence/parse_sequence_example.cc
// Compare    tensorflow/core/ops/parsing_ops.cc
// Read next  minitf/contrib/sequence/sequence_parser.h

#include "minitf/contrib/families.h"
#include "minitf/framework/gradient.h"
#include "minitf/framework/op.h"
#include "minitf/framework/shape_inference.h"
#include "minitf/ops/data/example_shapes.h"

namespace minitf {
namespace {

const FamilyRegistrar kSequenceFamily("sequence");

// The outputs of the ops for SequenceExamples. With `records`, the size of an axis in
// front of all others, the lengths of the dense lists follow.
void SetSequenceOutputs(InferenceContext* ctx, const int64_t* records) {
  const auto number = [ctx](std::string_view name) {
    return static_cast<int>(ctx->attr<int64_t>(name));
  };
  const int context_sparse = number("Ncontext_sparse");
  const int context_dense = number("Ncontext_dense");
  const int list_sparse = number("Nfeature_list_sparse");
  const int list_dense = number("Nfeature_list_dense");
  const auto& context_shapes = ctx->attr<Shapes>("context_dense_shapes");
  const auto& list_shapes = ctx->attr<Shapes>("feature_list_dense_shapes");
  const auto require_types = [ctx](std::string_view list, int count) {
    RequireSize(list, ctx->attr<Types>(list).size(), count);
  };
  require_types("context_sparse_types", context_sparse);
  require_types("Tcontext_dense", context_dense);
  require_types("feature_list_sparse_types", list_sparse);
  require_types("feature_list_dense_types", list_dense);
  RequireSize("context_dense_shapes", context_shapes.size(), context_dense);
  RequireSize("feature_list_dense_shapes", list_shapes.size(), list_dense);

  const auto with_records = [records](const PartialShape& shape) {
    return records == nullptr ? shape : Behind(*records, shape);
  };
  const int more = records == nullptr ? 0 : 1;
  SetSparseOutputs(ctx, 0, context_sparse, 1 + more);
  const int dense = 3 * context_sparse;
  for (int i = 0; i < context_dense; ++i) {
    ctx->set_output(dense + i, with_records(context_shapes[i]));
  }
  SetSparseOutputs(ctx, dense + context_dense, list_sparse, 2 + more);
  const int lists = dense + context_dense + 3 * list_sparse;
  for (int i = 0; i < list_dense; ++i) {
    ctx->set_output(lists + i,
                    with_records(Behind(PartialShape::kUnknown, list_shapes[i])));
    if (records != nullptr) ctx->set_output(lists + list_dense + i, {*records});
  }
}

void ParseSingleSequenceExampleShape(InferenceContext* ctx) {
  ctx->WithRank(0, 0, "serialized");
  SetSequenceOutputs(ctx, nullptr);
}

void ParseSequenceExampleShape(InferenceContext* ctx) {
  const int64_t records = ctx->WithRank(0, 1, "serialized").dim(0);
  SetSequenceOutputs(ctx, &records);
}

REGISTER_OP("ParseSingleSequenceExample")
    .Input("serialized: string")
    .Input("feature_list_dense_missing_assumed_empty: string")
    .Input("context_sparse_keys: Ncontext_sparse * string")
    .Input("context_dense_keys: Ncontext_dense * string")
    .Input("feature_list_sparse_keys: Nfeature_list_sparse * string")
    .Input("feature_list_dense_keys: Nfeature_list_dense * string")
    .Input("context_dense_defaults: Tcontext_dense")
    .Input("debug_name: string")
    .Output("context_sparse_indices: Ncontext_sparse * int64")
    .Output("context_sparse_values: context_sparse_types")
    .Output("context_sparse_shapes: Ncontext_sparse * int64")
    .Output("context_dense_values: Tcontext_dense")
    .Output("feature_list_sparse_indices: Nfeature_list_sparse * int64")
    .Output("feature_list_sparse_values: feature_list_sparse_types")
    .Output("feature_list_sparse_shapes: Nfeature_list_sparse * int64")
    .Output("feature_list_dense_values: feature_list_dense_types")
    .Attr("Ncontext_sparse: int >= 0 = 0")
    .Attr("Ncontext_dense: int >= 0 = 0")
    .Attr("Nfeature_list_sparse: int >= 0 = 0")
    .Attr("Nfeature_list_dense: int >= 0 = 0")
    .Attr("context_sparse_types: list({float, int64, string}) >= 0 = []")
    .Attr("Tcontext_dense: list({float, int64, string}) >= 0 = []")
    .Attr("feature_list_dense_types: list({float, int64, string}) >= 0 = []")
    .Attr("context_dense_shapes: list(shape) >= 0 = []")
    .Attr("feature_list_sparse_types: list({float, int64, string}) >= 0 = []")
    .Attr("feature_list_dense_shapes: list(shape) >= 0 = []")
    .SetShapeFn(ParseSingleSequenceExampleShape)
    .Doc(
        "The features of one SequenceExample `serialized`: those of its context as by "
        "ParseSingleExample, those of its lists with an axis in front that counts "
        "steps.");

REGISTER_OP("ParseSequenceExample")
    .Input("serialized: string")
    .Input("debug_name: string")
    .Input("context_dense_defaults: Tcontext_dense")
    .Output("context_sparse_indices: Ncontext_sparse * int64")
    .Output("context_sparse_values: context_sparse_types")
    .Output("context_sparse_shapes: Ncontext_sparse * int64")
    .Output("context_dense_values: Tcontext_dense")
    .Output("feature_list_sparse_indices: Nfeature_list_sparse * int64")
    .Output("feature_list_sparse_values: feature_list_sparse_types")
    .Output("feature_list_sparse_shapes: Nfeature_list_sparse * int64")
    .Output("feature_list_dense_values: feature_list_dense_types")
    .Output("feature_list_dense_lengths: Nfeature_list_dense * int64")
    .Attr("feature_list_dense_missing_assumed_empty: list(string) >= 0")
    .Attr("context_sparse_keys: list(string) >= 0")
    .Attr("context_dense_keys: list(string) >= 0")
    .Attr("feature_list_sparse_keys: list(string) >= 0")
    .Attr("feature_list_dense_keys: list(string) >= 0")
    .Attr("Ncontext_sparse: int >= 0 = 0")
    .Attr("Ncontext_dense: int >= 0 = 0")
    .Attr("Nfeature_list_sparse: int >= 0 = 0")
    .Attr("Nfeature_list_dense: int >= 0 = 0")
    .Attr("context_sparse_types: list({float, int64, string}) >= 0 = []")
    .Attr("Tcontext_dense: list({float, int64, string}) >= 0 = []")
    .Attr("feature_list_dense_types: list({float, int64, string}) >= 0 = []")
    .Attr("context_dense_shapes: list(shape) >= 0 = []")
    .Attr("feature_list_sparse_types: list({float, int64, string}) >= 0 = []")
    .Attr("feature_list_dense_shapes: list(shape) >= 0 = []")
    .SetShapeFn(ParseSequenceExampleShape)
    .Doc(
        "The features of SequenceExamples `serialized` [N], as by "
        "ParseSingleSequenceExample with an axis in front that counts records. Dense "
        "lists are filled up with zeros to the longest; `feature_list_dense_lengths` "
        "[N] has how long they are.");

REGISTER_GRADIENT("ParseSingleSequenceExample", kNotDifferentiable);
REGISTER_GRADIENT("ParseSequenceExample", kNotDifferentiable);

}  // namespace
}  // namespace minitf
